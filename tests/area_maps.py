"""Area maps of a board from the device and from the host alike, and random boards on which they have something to say.

`maps_on_device` (square boards) and `maps_on_host` give the same dictionary: ("area", *options) has a map of benson.py,
("tax", *options) one of group_tax.py, ("areas",) the numbers of independent areas and ("points",) what points are worth
under tax. Maps are integer arrays: 0 nobody's, 1 black's, 2 white's.

*Source:* none; this is test scaffolding.
"""

import random
from functools import cache
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from referee import BLACK, EMPTY, WHITE, chains, liberties_at, new_game, with_points

from research.go import benson, group_tax, host_scoring
from research.go.chains import count_liberties, label_chains
from research.go.grid import Grid

BOTH = (False, True)
AREA_OPTIONS = ((False, False, False), (True, False, False), (True, True, False), (True, True, True))
TAX_OPTIONS = tuple(product(BOTH, BOTH))
PASS_ALIVE, ALL = ("area", *AREA_OPTIONS[0]), ("area", *AREA_OPTIONS[-1])


def numbers_of(rows: list[str]) -> np.ndarray:
    """A diagram's stones: 0 empty, 1 black, 2 white."""
    return np.array([[".XO".index(content) for content in row] for row in rows], np.int8)


def rows_of(numbers: Any) -> list[str]:
    """The diagram of a board or a map."""
    return ["".join(".XO"[number] for number in row) for row in np.asarray(numbers)]


def maps_on_host(board: np.ndarray, suicide: bool) -> dict[Any, np.ndarray]:
    """Every map, by its options."""
    maps: dict[Any, np.ndarray] = {
        ("area", *options): host_scoring.area_map(board, suicide, *options) for options in AREA_OPTIONS
    }
    for options in TAX_OPTIONS:
        maps["tax", *options], num_areas = host_scoring.taxed_map(board, maps[ALL], *options)
        maps[("areas",)] = np.array(num_areas)
    return maps | {("points",): host_scoring.taxed_points(board, maps[ALL])}


def maps_on_device(board: np.ndarray, suicide: bool) -> dict[Any, np.ndarray]:
    """The same from the device; a batch of boards gives a batch of maps."""
    boards = board.reshape(-1, *board.shape[-2:])
    maps = make_maps(board.shape[-1])(jnp.asarray(boards, jnp.int8), jnp.bool_(suicide))
    return {name: np.asarray(batch).reshape(*board.shape[:-2], *batch.shape[1:]) for name, batch in maps.items()}


@cache
def make_maps(size: int) -> Any:
    """A jitted (boards, suicide) -> maps."""
    grid = Grid(size)

    def maps_of(board: Any, suicide: Any) -> dict[Any, Any]:
        label = label_chains(grid, board)
        atari = count_liberties(grid, label) == 1
        areas = benson.areas(grid, label, suicide)
        maps: dict[Any, Any] = {("area", *options): benson.owners(areas, board, *options) for options in AREA_OPTIONS}
        life = group_tax.independent_life(grid, label, atari, maps[ALL])
        maps |= {("tax", *options): group_tax.kept(life, maps[ALL], board, *options) for options in TAX_OPTIONS}
        maps[("areas",)] = life.num_areas
        return maps | {("points",): group_tax.taxed_points(grid, label, maps[ALL])}

    return jax.jit(jax.vmap(maps_of, in_axes=(0, None)))


def random_board(rows: int, columns: int, rng: random.Random) -> str:
    """A board as the referee writes it: two to four camps with eyes and holes, some stones in the other's camp.

    So chains are alive, dead, in seki or in atari on one board in few; plain noise hardly ever makes a living one.
    """
    lines = [(rng.uniform(-2, 2), rng.uniform(-0.2, 1.2) * rows) for _ in range(rng.choice((1, 1, 2, 3)))]
    hole_rate, stray_rate = rng.uniform(0.05, 0.5), rng.choice((0.0, 0.0, 0.05, 0.2, 0.5))
    board = ""
    for point in range(rows * columns):
        row, column = divmod(point, columns)
        num_above = sum(row + slope * (column - columns / 2) < offset for slope, offset in lines)
        is_black = (num_above % 2 == 1) != (rng.random() < stray_rate)
        board += EMPTY if rng.random() < hole_rate else BLACK if is_black else WHITE
    if rng.random() < 0.5:
        board = without_neutral(board, columns, rng)
    game = new_game(rows, columns)
    for colour in (BLACK, WHITE):
        for chain in chains(game, board, colour):
            if not liberties_at(game, board, min(chain)):
                board = with_points(board, chain, EMPTY)
    return board


def without_neutral(board: str, columns: int, rng: random.Random) -> str:
    """`board` with every empty region between the colours filled by one of them, as at the end of a game."""
    game = new_game(len(board) // columns, columns)
    for region in chains(game, board, EMPTY):
        if {board[near] for point in region for near in game.neighbours(point)} >= {BLACK, WHITE}:
            board = with_points(board, region, rng.choice((BLACK, WHITE)))
    return board


def as_numbers(board: str, columns: int) -> np.ndarray:
    """The stones of a referee's board."""
    return np.array([".XO".index(content) for content in board], np.int8).reshape(-1, columns)
