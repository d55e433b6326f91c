"""The four things that a move can do to chains, each seen in the labels and the one-liberty bits that it leaves.

X is black, O is white, Black moves at `a`. The four are those of the docstring of research/go/moves.py.
"""

import functools

import jax
import numpy as np
import pytest

from research import go
from research.go import coords
from research.go.grid import Grid

RULES = go.Rules(size=5, komi=0.5)
GRID = Grid(5)


@functools.cache
def jitted_step():
    """The step of the game that all pictures here are played in, compiled once."""
    return jax.jit(go.Go(RULES).step)


def after_move(picture: str, vertex: str) -> go.GoState:
    """The position after Black has played at `vertex` in `picture`."""
    state = go.from_text(RULES, picture.replace("a", "."))
    return jitted_step()(state, coords.action_from_gtp(vertex, 5))


def chain_at(state: go.GoState, vertex: str) -> tuple[set[str], bool]:
    """(Vertices of the chain of the stone at `vertex`, whether it has exactly one liberty)."""
    points = np.asarray(state.label)[GRID.cells]
    point = coords.action_from_gtp(vertex, 5)
    assert points[point] != 0, f"no stone at {vertex}"
    stones = np.flatnonzero(points == points[point])
    in_atari = np.asarray(state.atari)[GRID.cells][stones]
    assert in_atari.all() or not in_atari.any(), "a chain is in atari as a whole"
    return {coords.gtp_from_action(int(stone), 5) for stone in stones}, bool(in_atari[0])


def test_a_move_captures_the_chain_whose_last_liberty_it_takes() -> None:
    state = after_move(
        """
        X X . . .
        O O a . .
        X X . . .
        . . . . .
        . . . . .
        """,
        "C4",
    )
    assert not np.asarray(state.label)[GRID.cells][[5, 6]].any()
    assert chain_at(state, "C4") == ({"C4"}, False)


def test_a_move_joins_the_own_chains_beside_it_into_one() -> None:
    state = after_move(
        """
        . . X . .
        . . X . .
        X X a X .
        . . O . .
        . . . . .
        """,
        "C3",
    )
    chain, in_atari = chain_at(state, "C3")
    assert chain == {"C5", "C4", "A3", "B3", "C3", "D3"}
    assert not in_atari
    assert np.asarray(state.label)[GRID.cells[12]] == GRID.cells[12], "the joined chain is named after the new stone"


@pytest.mark.parametrize("is_last_but_one", [True, False])
def test_a_move_puts_a_chain_in_atari_exactly_if_it_leaves_it_one_liberty(is_last_but_one: bool) -> None:
    picture = """
        . . . . .
        . X X . .
        . O O a .
        . X . . .
        . . . . .
    """
    if is_last_but_one:
        picture = picture.replace(". O O", "X O O")
    state = after_move(picture, "D3")
    assert chain_at(state, "B3") == ({"B3", "C3"}, is_last_but_one)


def test_a_capture_frees_the_own_chains_beside_the_stones_it_takes() -> None:
    picture = """
        X O a . .
        . X . . .
        . . . . .
        . . . . .
        . . . . .
    """
    assert chain_at(go.from_text(RULES, picture.replace("a", ".")), "A5") == ({"A5"}, True)
    state = after_move(picture, "C5")
    assert np.asarray(state.label)[GRID.cells[1]] == 0
    assert chain_at(state, "A5") == ({"A5"}, False)
