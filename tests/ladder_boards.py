"""Ladders as the device sees them, in the form of the reader on the host, and positions to be read by both.

One program a board size and configuration reads everything that is asked of it, sixteen boards at a time.

*Source:* none; this is test scaffolding.
"""

import random
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from ladder_reader import NO_BANS, Found
from random_games import is_near, random_position, row_of_kos
from referee import BLACK, EMPTY, WHITE, new_game

from research.go import chains
from research.go.grid import Grid
from research.go.ladders import Effort, LadderConfig, Ladders, read_ladders_counted

SYMBOLS = EMPTY + BLACK + WHITE
PLAYERS = (BLACK, WHITE)
BOARDS_AT_ONCE = 16
NUM_LANES = 16
BAN_RATE = 0.3
KINDS = ("captures", "escapes", "laddered")

# Black at `a` drives white into the far corner: 22 plies on 9x9, 62 on 19x19.
LADDER = """
    ....
    ..X.
    .XOa
    .X..
"""
CAN_EXTEND = """
    .....
    .X...
    XOX..
    .a...
    .....
"""


class Seen(NamedTuple):
    """What the device says about one board, in the host reader's form."""

    found: dict[str, Found]
    effort: Effort


@cache
def program(size: int, config: LadderConfig) -> Callable[..., tuple[Ladders, Effort]]:
    """(stones, bans) of sixteen boards -> their ladders, compiled."""
    return jax.jit(jax.vmap(partial(read_stones, size=size, config=config)))


def read_stones(stones: jax.Array, bans: jax.Array, size: int, config: LadderConfig) -> tuple[Ladders, Effort]:
    """What one board comes to."""
    grid = Grid(size)
    return read_ladders_counted(grid, chains.label_chains(grid, stones), bans, config)


def read(
    size: int, boards: list[str], bans: list[dict[str, int | None]] | None = None, ko: str = "prey", **options: Any
) -> list[Seen]:
    """What the device says about each board (one string each)."""
    config = LadderConfig(ko=ko, num_lanes=NUM_LANES, **options)
    bans = [NO_BANS] * len(boards) if bans is None else bans
    seen = []
    for start in range(0, len(boards), BOARDS_AT_ONCE):
        some, their_bans = boards[start : start + BOARDS_AT_ONCE], bans[start : start + BOARDS_AT_ONCE]
        num_missing = BOARDS_AT_ONCE - len(some)
        stones, cells = as_arrays(
            size, some + [EMPTY * size * size] * num_missing, their_bans + [NO_BANS] * num_missing
        )
        ladders, effort = jax.device_get(program(size, config)(stones, cells))
        seen += [
            Seen(
                found_in(jax.tree.map(lambda leaf, index=index: leaf[index], ladders)),
                Effort(*(n[index] for n in effort)),
            )
            for index in range(len(some))
        ]
    return seen


def as_arrays(size: int, boards: list[str], bans: list[dict[str, int | None]]) -> tuple[jax.Array, jax.Array]:
    """(stones, bans) as the device takes them."""
    grid = Grid(size)
    cells = [[0 if ban[player] is None else int(grid.cells[ban[player]]) for player in PLAYERS] for ban in bans]
    stones = [[SYMBOLS.index(content) for content in board] for board in boards]
    return jnp.array(stones, jnp.int8).reshape(-1, size, size), jnp.array(cells, jnp.int32)


def found_in(ladders: Ladders) -> dict[str, Found]:
    """The masks as sets of points."""
    return {
        player: Found(**{kind: set(np.flatnonzero(getattr(ladders, kind)[index]).tolist()) for kind in KINDS})
        for index, player in enumerate(PLAYERS)
    }


def drawn(size: int, text: str, **stones: str) -> tuple[str, int]:
    """(the board with `text` in its top left corner, the point `a`); `stones` are contents of points, "r10c3"."""
    lines = [line.ljust(size, EMPTY) for line in text.split()]
    board = "".join(lines).ljust(size * size, EMPTY)
    for name, content in stones.items():
        row, column = map(int, name.removeprefix("r").split("c"))
        point = row * size + column
        board = board[:point] + content + board[point + 1 :]
    return board.replace("a", EMPTY), board.find("a")


def tactical_position(size: int, rng: random.Random) -> str:
    """A board with much in atari: random stones, a row of kos, or a game in which both play near the last move."""
    kind = rng.random()
    if kind < 0.3:
        return "".join(random_position(size, rng).split())
    if kind < 0.4:
        return "".join(row_of_kos(size, rng).split())
    game, last = new_game(size, ko="simple", max_moves=10**6), None
    for _ in range(rng.randrange(size, size * size)):
        points = [point for point in range(size * size) if game.board[point] == EMPTY]
        if last is not None and rng.random() < 0.8:
            points = [point for point in points if is_near(game, point, last)] or points
        last = next((point for point in rng.sample(points, min(8, len(points))) if game.is_legal(point)), None)
        if last is None:
            return game.board
        game = game.step(last)
    return game.board


def random_bans(board: str, rng: random.Random) -> dict[str, int | None]:
    """Any empty point, for either player or for none."""
    points = [point for point, content in enumerate(board) if content == EMPTY]
    return {player: rng.choice(points) if points and rng.random() < BAN_RATE else None for player in PLAYERS}
