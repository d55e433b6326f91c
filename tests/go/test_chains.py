"""Chains found from scratch are those a player sees, and those that play keeps up to date."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.go import chains
from research.go.grid import Grid
from research.go.text import stones_from_text

GRID = Grid(5)

DIAGRAM = """
    X X O . O
    . X O . O
    O O X O O
    . . X . .
    X . . X .
"""
CHAIN_NAMES = """
    a a b . c
    . a b . c
    d d e c c
    . . e . .
    f . . g .
"""
LIBERTIES = """
    1 1 2 0 4
    0 1 2 0 4
    3 3 3 4 4
    0 0 3 0 0
    2 0 0 3 0
"""


def rows_of(text: str) -> list[list[str]]:
    """The words of a diagram, row by row."""
    return [line.split() for line in text.strip().splitlines()]


@pytest.fixture(scope="module")
def label() -> np.ndarray:
    return np.asarray(jax.jit(chains.label_chains, static_argnums=0)(GRID, stones_from_text(DIAGRAM, 5)))


def test_labels_are_equal_exactly_within_a_chain(label):
    names = np.array(rows_of(CHAIN_NAMES)).reshape(-1)
    points = label[GRID.cells]
    assert np.array_equal(points[:, None] == points[None, :], names[:, None] == names[None, :])


def test_labels_have_the_colours_sign_and_none_is_off_the_board(label):
    stones = stones_from_text(DIAGRAM, 5).reshape(-1)
    assert np.array_equal(np.sign(label[GRID.cells]), np.array([0, 1, -1])[stones])
    assert not label[~GRID.on_board].any()


def test_liberties_shared_by_two_stones_of_a_chain_count_once(label):
    counts = np.asarray(jax.jit(chains.count_liberties, static_argnums=0)(GRID, label))
    assert np.array_equal(counts[GRID.cells].reshape(5, 5), np.array(rows_of(LIBERTIES), int))


def test_the_one_liberty_test_agrees_with_counting(label):
    ids = np.unique(label[label != 0])
    is_one = chains.has_one_liberty(GRID, jnp.asarray(label), jnp.append(jnp.asarray(ids), chains.NO_CHAIN))
    names = {
        name: label[cell] for name, cell in zip(np.array(rows_of(CHAIN_NAMES)).reshape(-1), GRID.cells, strict=True)
    }
    assert dict(zip(ids.tolist(), is_one.tolist(), strict=False)) == {
        chain: chain == names["a"] for chain in ids.tolist()
    }
    assert not is_one[-1]


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_liberty_codes_tell_one_cell_from_two(size):
    grid = Grid(size)
    codes, weight = chains.liberty_codes(grid)
    codes = codes[grid.cells].astype(np.uint32)
    either = codes[:, None] | codes[None, :]
    counts = np.vectorize(int.bit_count)(either.astype(object))
    assert (np.diag(counts) == weight).all()
    assert (counts > weight).sum() == either.size - len(codes)


@pytest.mark.parametrize("suicide", [False, True])
def test_labels_kept_in_play_agree_with_labels_from_scratch(suicide):
    game = go.Go(go.Rules(size=5, komi=0.5, ko="simple", suicide=suicide, max_moves=150))
    grid = game.grid

    def agrees(state):
        label = chains.label_chains(grid, go.board(state))
        same = (label[:, None] == label[None, :]) == (state.label[:, None] == state.label[None, :])
        return same.all() & (state.atari == (chains.count_liberties(grid, label) == 1)).all()

    def play(state, key):
        logits = jnp.where(game.legal_actions(state), 0.0, -jnp.inf).at[-1].add(-5)
        state = game.step(state, jax.random.categorical(key, logits))
        return state, (agrees(state), state.label)

    def one_game(key):
        return jax.lax.scan(play, game.init(), jax.random.split(key, 150))[1]

    is_same, labels = jax.jit(jax.vmap(one_game))(jax.random.split(jax.random.key(0), 16))
    assert is_same.all()
    num_stones = (labels != 0).sum(-1)
    assert (num_stones[:, 1:] < num_stones[:, :-1] - 2).any()  # whole chains were taken off
