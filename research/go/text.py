"""Boards as text, both ways: set-up positions out of diagrams, diagrams out of positions.

A diagram has one line a row, top row first: X black, O white, . empty, blanks ignored. The coordinates that `to_text`
draws on all sides, and its brackets round the last move, may be there too and are not read.

A position that is set up has no past: its history starts with it, the older boards that encoders ask for are empty, and
superko knows only it.
"""

import string
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int8

from research.go import chains, coords
from research.go.game import Go
from research.go.grid import Grid, cell_of
from research.go.rules import Rules, check_komi
from research.go.setup import set_up
from research.go.state import NO_MOVE, GoState, board, player_number

SYMBOLS = ".XO"  # by the stone's number: 0 empty, 1 black, 2 white


def from_text(
    rules: Rules,
    text: str,
    to_play: str | int = "black",
    ko: tuple[int, int] | None = None,
    komi: float | int | None = None,
) -> GoState:
    """The position that `text` draws. `ko` is the point that the player to move may not take back.

    *Raises:* ValueError for a wrong shape, an unknown character, a chain without liberties (it says where), a ko
    point that is off the board or not empty, an unknown player, a komi out of range.
    """
    stones = stones_from_text(text, rules.size)
    player = player_number(to_play)
    ko_action = None if ko is None else coords.action_from_point(ko, rules.size)
    if ko_action is not None and stones.reshape(-1)[ko_action]:
        raise ValueError(f"ko={ko!r}: a stone stands there; wanted is an empty point\n{to_text(stones)}")
    grid = Grid(rules.size)
    komi = rules.komi if komi is None else komi
    check_komi(komi, rules.size)
    state, has_no_liberty = _set_up_and_check(_same_set_up(rules), jnp.asarray(stones), jnp.int32(player))
    state = state._replace(komi=jnp.float32(komi))
    is_dead = np.asarray(has_no_liberty)[grid.cells]
    if is_dead.any():
        point = divmod(int(is_dead.argmax()), rules.size)
        name = coords.gtp_from_point(point, rules.size)
        raise ValueError(f"the chain at {name} (row {point[0]}, column {point[1]}) has no liberty\n{to_text(stones)}")
    return state if ko_action is None else state._replace(ko=cell_of(grid, jnp.int32(ko_action)))


def stones_from_text(text: str, size: int) -> Int8[np.ndarray, "size size"]:
    """The stones that `text` draws: 0 empty, 1 black, 2 white; *Raises:* ValueError for shape or characters."""
    lines = ["".join(line.split()) for line in text.strip().splitlines()]
    if len(lines) > size and lines[0] == lines[-1] == coords.GTP_COLUMNS[:size]:
        lines = [line.strip(string.digits).replace("(", "").replace(")", "") for line in lines[1:-1]]
    if len(lines) != size or any(len(line) != size for line in lines):
        lengths = ", ".join(str(len(line)) for line in lines)
        is_rectangle = len({len(line) for line in lines}) == 1 and len(lines) != len(lines[0])
        hint = " (games are on square boards; research.go.host_scoring scores rectangles)" if is_rectangle else ""
        wanted = f"wanted are {size} rows of {size} points"
        raise ValueError(f"{wanted}, got {len(lines)} rows of {lengths or 'nothing'}{hint}")
    for row, line in enumerate(lines):
        for column, symbol in enumerate(line):
            if symbol not in SYMBOLS:
                raise ValueError(f"row {row}, column {column}: {symbol!r} is unknown; allowed are X, O and '.'")
    return np.array([[SYMBOLS.index(symbol) for symbol in line] for line in lines], np.int8)


def to_text(position: GoState | Int[Array | np.ndarray, "size size"], last_move: coords.Point = None) -> str:
    """A diagram with GTP coordinates, `last_move` in brackets; a state shows its own last move."""
    if isinstance(position, GoState):
        last_action = int(position.recent_moves[0])
        size = position.recent_boards.shape[-1]
        last_move = None if last_action == NO_MOVE else coords.point_from_action(last_action, size)
        position = board(position)
    rows = np.asarray(position)
    size = len(rows)
    columns = "   " + " ".join(coords.GTP_COLUMNS[:size])
    lines = [_line(rows[row], size - row, _column_in(last_move, row)) for row in range(size)]
    return "\n".join([columns, *lines, columns])


def plain_text(stones: Int[Array | np.ndarray, "size size"]) -> str:
    """The stones alone, as `from_text` reads them."""
    return "\n".join("".join(SYMBOLS[stone] for stone in row) for row in np.asarray(stones))


@partial(jax.jit, static_argnums=0)  # operation by operation a set-up takes half a second
def _set_up_and_check(
    game: Go, stones: Int8[Array, "size size"], player: Int[Array, ""]
) -> tuple[GoState, Bool[Array, " cells"]]:
    """(The position, its stones without a liberty)."""
    state = set_up(game, stones, player)
    return state, (state.label != 0) & (chains.count_liberties(game.grid, state.label) == 0)


def _same_set_up(rules: Rules) -> Go:
    """The game by `rules` less what a set-up does not depend on, so that fewer games are compiled for."""
    Go(rules)  # refuses what the device cannot play
    return Go(Rules(size=rules.size, komi=0.0, ko=rules.ko, max_moves=rules.max_moves))


def _column_in(point: coords.Point, row: int) -> int | None:
    """Column of `point` if it lies in `row`."""
    return point[1] if point is not None and point[0] == row else None


def _line(stones: np.ndarray, number: int, marked_column: int | None) -> str:
    """One row of the diagram between its numbers; brackets take the place of the blanks around a point."""
    line = f"{number:2d} " + " ".join(SYMBOLS[stone] for stone in stones) + f" {number}"
    if marked_column is None:
        return line
    before, after = 2 + 2 * marked_column, 4 + 2 * marked_column
    return f"{line[:before]}({line[before + 1 : after]}){line[after + 1 :]}"
