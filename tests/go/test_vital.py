"""Boards with more eyes than bits are read chain by chain; that must come to the same.

*Source:* the oracle is tests/pass_alive.py.
"""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from pass_alive import pass_alive_area
from random_games import random_position
from referee import BLACK, WHITE, diagram, new_game

from research import go
from research.go import benson, vital
from research.go.grid import Grid

SIZE = 5
NUM_BOARDS = 60


def test_boards_with_more_corners_than_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vital, "NUM_BITS", 2)
    rng = random.Random("more corners than bits")
    boards = [random_position(SIZE, rng) for _ in range(NUM_BOARDS)]
    boards += [diagram(("X." * SIZE * SIZE)[: SIZE * SIZE], SIZE), ".X.X.\nXXXXX\n.X.X.\nXX.XX\n.XO.X"]
    states = [go.from_text(go.Rules(size=SIZE, ko="simple"), board) for board in boards]
    labels = jnp.stack([state.label for state in states])
    areas = jax.jit(jax.vmap(lambda label: benson.areas(Grid(SIZE), label, False)))(labels)
    safe = np.asarray(areas.chains | areas.small | areas.big)
    num_alive = 0
    for board, both in zip(boards, safe, strict=True):
        game = new_game(SIZE, board=board)
        for number, colour in enumerate((BLACK, WHITE)):
            expected = pass_alive_area(game, colour)
            assert set(np.flatnonzero(both[number])) == expected, board
            num_alive += bool(expected)
    assert num_alive > 5
    assert safe[-1][0].all()  # the white stone is dead
