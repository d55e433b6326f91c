"""Hashes are the same however a position came about, tell positions apart, and name the missing stone."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.go import chains, zobrist
from research.go.coords import action_from_gtp
from research.go.grid import Grid

STEP = jax.jit(go.Go.step, static_argnums=0)


@pytest.mark.parametrize("suicide", [False, True])
def test_the_hash_kept_in_play_is_the_hash_of_the_board(suicide):
    game = go.Go(go.Rules(size=4, komi=0.5, suicide=suicide, max_moves=80))

    def play(state, key):
        logits = jnp.where(game.legal_actions(state), 0.0, -jnp.inf).at[-1].add(-5)
        state = game.step(state, jax.random.categorical(key, logits))
        return state, (state.hashes, zobrist.board_hash(game.grid, state.label))

    def one_game(key):
        return jax.lax.scan(play, game.init(), jax.random.split(key, 80))[1]

    kept, from_scratch = jax.jit(jax.vmap(one_game))(jax.random.split(jax.random.key(0), 16))
    assert np.array_equal(kept, from_scratch)
    assert len(np.unique(kept.reshape(-1, 3), axis=0)) > 300


def test_keys_of_all_cells_differ_and_name_their_cell():
    cells = np.arange(512, dtype=np.uint32)
    keys = zobrist.cell_key(cells)
    named, is_named = zobrist.named_cell(keys)
    assert np.array_equal(named, cells)
    assert is_named.all()
    assert len(np.unique(keys >> zobrist.CELL_BITS)) == 512
    assert len(np.unique(zobrist.common_key(cells))) == 512
    # Or an unchanged board would seem to miss a stone on cell 0.
    assert not zobrist.named_cell(np.zeros(1, np.uint32))[1]


def test_keys_on_the_host_and_on_the_device_agree():
    cells = np.arange(512, dtype=np.uint32)
    assert np.array_equal(zobrist.cell_key(cells), zobrist.cell_key(jnp.asarray(cells)))
    assert np.array_equal(zobrist.common_key(cells), zobrist.common_key(jnp.asarray(cells)))


def test_one_more_stone_changes_its_colours_word_by_its_key():
    grid = Grid(5)
    stones = np.zeros((5, 5), np.int8)
    stones[1, 2], stones[3, 3] = 1, 2
    more = stones.copy()
    more[4, 4] = 2
    hash_of = jax.jit(lambda stones: zobrist.board_hash(grid, chains.label_chains(grid, stones)))
    difference = hash_of(more) - hash_of(stones)
    assert difference[0] == 0
    cell, is_named = zobrist.named_cell(difference[1])
    assert is_named
    assert int(cell) == grid.cells[24]


@pytest.mark.parametrize(("num_more", "num_less"), [(2, 1), (3, 2), (1, 2), (2, 0), (5, 4), (20, 19), (0, 3)])
def test_other_changes_name_a_cell_no_oftener_than_chance(num_more, num_less):
    random = np.random.default_rng(num_more)
    keys = zobrist.cell_key(Grid(19).cells.astype(np.uint32))
    stones = np.array([random.permutation(361)[: num_more + num_less] for _ in range(100_000)])
    changes = keys[stones[:, :num_more]].sum(1, dtype=np.uint32) - keys[stones[:, num_more:]].sum(1, dtype=np.uint32)
    # The 23 check bits agree by chance once in eight million; keys that add up would do so far oftener.
    assert zobrist.named_cell(changes)[1].sum() <= 1


def test_a_position_key_tells_sides_and_bans_apart_if_asked():
    rules = go.Rules(size=5, komi=0.5)
    diagram = "..XO.\n.XO.O\n..XO.\n.....\n....."
    black = go.from_text(rules, diagram)
    white = go.from_text(rules, diagram, to_play="white")
    banned = go.from_text(rules, diagram, ko=(1, 3))
    keys = {tuple(zobrist.position_key(state).tolist()) for state in (black, white, banned)}
    assert len(keys) == 3
    plain = {tuple(zobrist.position_key(s, with_side=False, with_ko=False).tolist()) for s in (black, white, banned)}
    assert plain == {tuple(black.hashes.tolist())}
    assert zobrist.position_key(black).dtype == jnp.uint32


def after(state: go.GoState, moves: str) -> go.GoState:
    """`state` after moves named as in GTP."""
    game = go.Go(go.Rules(size=5, komi=0.5, max_moves=100))
    for move in moves.split():
        state = STEP(game, state, jnp.int32(action_from_gtp(move, 5)))
    return state


def key_of(state: go.GoState, **options: Any) -> tuple[int, ...]:
    return tuple(zobrist.position_key(state, **options).tolist())


def test_a_position_key_is_the_same_by_whichever_moves_the_position_came_about():
    start = go.Go(go.Rules(size=5, komi=0.5, max_moves=100)).init()
    one, other = after(start, "A1 B2 C3 D4"), after(start, "C3 D4 A1 B2")
    assert key_of(one) == key_of(other)
    assert key_of(one) != key_of(after(start, "A1 B2 C3"))


def test_a_position_key_with_recent_moves_tells_the_order_of_those_moves_alone():
    start = go.Go(go.Rules(size=5, komi=0.5, max_moves=100)).init()
    one, other = after(start, "A1 B2 C3 D4 E5 E1"), after(start, "C3 B2 A1 D4 E5 E1")
    is_same = [key_of(one, num_recent=number) == key_of(other, num_recent=number) for number in range(9)]
    assert is_same == 4 * [True] + 5 * [False]  # the boards of three moves ago are the same, the fourth moves are not
    assert len({key_of(one, num_recent=number) for number in range(9)}) == 9


def test_a_position_key_tells_a_pass_by_the_moves_and_no_more_moves_than_are_kept():
    start = go.Go(go.Rules(size=5, komi=0.5, max_moves=100)).init()
    passed = after(start, "pass pass")
    assert key_of(passed) == key_of(start)
    assert key_of(passed, num_recent=1) != key_of(start, num_recent=1)
    with pytest.raises(ValueError, match="num_recent=9"):
        zobrist.position_key(start, num_recent=9)


def test_a_position_key_of_a_ko_differs_until_the_ban_is_lifted():
    rules = go.Rules(size=5, komi=0.5, max_moves=100)
    diagram = ".XO..\nXO.O.\n.XO..\n.....\n....."
    taken = after(go.from_text(rules, diagram), "C4")
    assert int(taken.ko) > 0
    lifted = after(taken, "pass pass")
    assert key_of(taken) != key_of(lifted)
    assert key_of(taken, with_ko=False) == key_of(lifted, with_ko=False)
