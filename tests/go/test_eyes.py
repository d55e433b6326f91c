"""True eyes, on drawings a player would choose and against the reference."""

from functools import partial

import encoder_reference as reference
import jax
import numpy as np
import pytest
from random_positions import boards_of, random_positions
from referee import BLACK, WHITE

from research.go import chains
from research.go.eyes import true_eyes
from research.go.grid import Grid
from research.go.text import stones_from_text


@partial(jax.jit, static_argnums=0)
def eyes_of(grid: Grid, stones: jax.Array, players: jax.Array) -> jax.Array:
    """The eyes of many positions."""
    return jax.vmap(lambda board, player: true_eyes(grid, chains.label_chains(grid, board), player))(stones, players)


@pytest.mark.parametrize(("size", "num_moments"), [(2, 20), (6, 300)])
def test_random_positions_agree_with_the_definition(size: int, num_moments: int) -> None:
    moments = random_positions(size, 8, 2 * size * size, suicide=True)[-num_moments:]
    boards = boards_of(moments)
    num_eyes = 0
    for player, symbol in enumerate((BLACK, WHITE)):
        found = np.asarray(eyes_of(Grid(size), boards.stones, np.full(len(moments), player, np.int32)))
        for index, game in enumerate(moments):
            wanted = reference.true_eyes(game, game.board, symbol)
            assert set(np.flatnonzero(found[index]).tolist()) == wanted, f"{symbol}\n{game.diagram()}"
            num_eyes += len(wanted)
    assert num_eyes > 4


@pytest.mark.parametrize(
    ("position", "wanted"),
    [
        # The corner is no eye while its diagonal is open, or white.
        (". X . . . .\nX . . . . .", ""),
        (". X . . . .\nX O . . . .", ""),
        (". X . . . .\nX X . . . .", "0,0"),
        # Away from the edge one bad diagonal is allowed, two are not.
        ("O X X . . .\nX . X . . .\nX X X . . .", "1,1"),
        ("O X O . . .\nX . X . . .\nX X X . . .", ""),
        # Two white stones bring down the eyes beside them, these the next, and so on to the far corner.
        (". X . X . X\nX O X O X .\n. X . X . X\nX . X . X .\n. X . X . X\nX . X . X .", ""),
    ],
)
def test_eyes_of_black(position: str, wanted: str) -> None:
    lines = position.split("\n")
    stones = stones_from_text("\n".join(lines + [". . . . . ."] * (6 - len(lines))), 6)
    found = np.asarray(eyes_of(Grid(6), stones[None], np.zeros(1, np.int32)))[0]
    eyes = {f"{row},{column}" for row, column in np.argwhere(found)}
    assert eyes == set(wanted.split())


def test_eyes_that_hold_each_other_up_are_true() -> None:
    stones = np.array([[(row + column) % 2 for column in range(6)] for row in range(6)], np.int8)
    found = np.asarray(eyes_of(Grid(6), stones[None], np.zeros(1, np.int32)))[0]
    np.testing.assert_array_equal(found, stones == 0)
