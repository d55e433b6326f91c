"""Positions drawn as text, played on by the names of points, on either engine.

In a drawing `X` is black, `O` white, `.` empty, and a small letter is an empty point with that name. A drawing smaller
than the board is its top left corner; the rest of the board is empty. Moves are names in a row: `play("a b pass c")`.
Points that are occupied at first get their names from a second drawing. The board is 7x7 unless `size` says otherwise,
so that few programs have to be compiled, the same as for KataGo's cases.

*Source:* none; drawings with named points are how Go books show sequences.
"""

from collections.abc import Callable
from typing import Any

from engines import Engine, Setting
from katago_cases import MAX_MOVES
from referee import EMPTY, diagram

SIZE = 7
SUPERKO = ("positional", "situational")
KO_RULES = ("simple", *SUPERKO)


class Position:
    """A game that began on a drawing."""

    def __init__(
        self,
        make_engine: Callable[[Setting], Engine],
        text: str,
        size: int = SIZE,
        names: str = "",
        ban: str | None = None,
        **options: Any,
    ) -> None:
        """Read the drawings; `ban` names a point that simple ko forbids, `options` are fields of `Setting`."""
        lines = text.split()
        self.size, self.num_rows, self.num_columns = size, len(lines), len(lines[0])
        cells = self.cells(lines)
        both = (cells, self.cells(names.split()))
        self.points = {cell: point for drawn in both for point, cell in enumerate(drawn) if cell.islower()}
        board = diagram("".join(EMPTY if cell.islower() else cell for cell in cells), size)
        ko_point = None if ban is None else self.points[ban]
        settings: dict[str, Any] = {"max_moves": MAX_MOVES} | options
        self.engine = make_engine(Setting(size, size, board, ko_point=ko_point, **settings))

    def cells(self, lines: list[str]) -> str:
        """The drawing filled up to the whole board."""
        return "".join(line.ljust(self.size, EMPTY) for line in lines).ljust(self.size * self.size, EMPTY)

    def action(self, name: str) -> int:
        """The action of a named point, or "pass"."""
        return self.size * self.size if name == "pass" else self.points[name]

    def play(self, names: str) -> "Position":
        """This position after the named moves, each of which must be legal."""
        for name in names.split():
            assert self.is_legal(name), f"{name} ought to be legal for {self.to_play} on\n{self.engine.board()}"
            self.engine.play(self.action(name))
        return self

    def try_action(self, action: int) -> "Position":
        """This position after any action, legal or not."""
        self.engine.play(action)
        return self

    def turn_to(self, player: str) -> "Position":
        """This position with `player` to move."""
        self.engine.turn_to(player)
        return self

    def is_legal(self, name: str) -> bool:
        """Whether the player to move may do this."""
        return self.engine.legal()[self.action(name)]

    def legal_names(self) -> str:
        """The names of the points that may be played, in alphabetical order."""
        return "".join(sorted(name for name in self.points if self.is_legal(name)))

    @property
    def board(self) -> str:
        """The drawing as it is now: the rows and columns that were drawn, and nothing beyond."""
        rows = self.engine.board().split()
        return "\n".join(row[: self.num_columns] for row in rows[: self.num_rows])

    @property
    def to_play(self) -> str:
        """The player to move."""
        return self.engine.to_play()


def drawing(text: str) -> str:
    """`text` without its indentation, to compare a board with."""
    return "\n".join(text.split())


Make = Callable[..., Position]  # what the fixture `make` of tests/go/conftest.py gives
