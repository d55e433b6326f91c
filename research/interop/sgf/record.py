"""A game record: what one game tree says about one game, along its main line.

The main line is the first variation everywhere. All of it comes in order as events: stones that are set up may come
after moves, the player to move may change, and colours need not alternate, so `events` is what a replay goes by, while
`setup` and `moves` are for who only wants a game from its first position.

Nothing is refused for what it says: the game is read as far as it can be understood, and `warnings` tells, with its
place, what was repaired, what was left out and which move is illegal.

*Source:* SGF FF[4], "Setup properties", "Move properties", "Game info properties".
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from research.go.coords import Point
from research.interop.sgf.events import Event, Events, is_in_small_corner, read_events, stones_before_moves
from research.interop.sgf.header import Header, Note, read_header
from research.interop.sgf.legality import Finding, check_moves
from research.interop.sgf.points import Shape
from research.interop.sgf.rulesets import rules_told
from research.interop.sgf.tree import Node, Repair

MAX_REPAIRS = 100  # that are listed
MAX_FINDINGS = 20  # of a record's repeated positions that are warned of


@lru_cache(maxsize=2)
def line_starts(text: str) -> list[int]:
    """Where each line of `text` begins; kept, since a file of many games asks for each of them."""
    return [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]


class Source(NamedTuple):
    """The text that a record was read from."""

    name: str  # of the file, as far as it is known
    text: str
    first_line: int  # of the file that the text begins on

    def place(self, position: int) -> str:
        """Where a position is, for a message."""
        starts = line_starts(self.text)
        line = bisect_right(starts, position)
        place = f"line {self.first_line + line - 1}, column {position - starts[line - 1] + 1}"
        return f"{self.name}: {place}" if self.name else place


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """One game."""

    size: int | tuple[int, int]  # lines of a square board; (columns, rows) of another
    komi: float  # points that White gets, a multiple of 0.5; the rules' usual one if the record does not tell
    handicap: int  # stones, as told; they stand in `setup`
    result: str | None  # "B+3.5", "W+R", "W+T", "B+F", "B+", "0" (drawn), "Void"; None: not known
    rules: str | None  # a name for go.rules_named, or the text of RU if it is none; None: not told
    setup: tuple[tuple[str, tuple[int, int]], ...]  # (colour, point) of the stones on the board before the first move
    moves: tuple[tuple[str, Point], ...]  # (colour, point or None for a pass)
    events: tuple[Event, ...]  # all of the main line, in order
    encoding: str  # Python's name of the charset
    root: Node
    name: str = ""  # of the file
    repairs: tuple[str, ...] = ()  # what was wrong with the text, each with its place
    source: Source = field(default=Source("", "", 1))
    move_positions: tuple[int, ...] = ()  # of each move in the source's text

    def __repr__(self) -> str:
        """One line: the tree would fill pages."""
        return f"Record({self.name!r}, size={self.size}, {len(self.moves)} moves, result={self.result!r})"

    @property
    def shape(self) -> Shape:
        """(Columns, rows) of the board."""
        return Shape(self.size, self.size) if isinstance(self.size, int) else Shape(*self.size)

    @property
    def winner(self) -> str | None:
        """The winner's colour, or "draw"; None if there is none or it is not known."""
        return {"B": "black", "W": "white", "0": "draw"}.get((self.result or "?")[0])

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What breaks the rules that all rule sets share, or repeats a position; looked for when first asked for."""
        rules = rules_told(self.rules)
        return tuple(check_moves(self.events, self.shape, rules is not None and rules.suicide))

    @property
    def first_illegal_move(self) -> int | None:
        """Number of the first move, from 1, that no rules allow; None if there is none."""
        return next((finding.move for finding in self.findings if finding.is_illegal), None)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Everything that was repaired or is doubtful, each with its place."""
        illegal = [finding for finding in self.findings if finding.is_illegal]
        repeated = [finding for finding in self.findings if not finding.is_illegal][:MAX_FINDINGS]
        return (*self.repairs, *(self.describe(finding) for finding in repeated + illegal))

    def describe(self, finding: Finding) -> str:
        """What a finding says, with its place."""
        position = self.move_positions[finding.move - 1] if self.move_positions else 0
        verdict = "is illegal: " if finding.is_illegal else ""
        colour, point = self.moves[finding.move - 1]
        return f"{self.source.place(position)}: move {finding.move} ({colour} at {point}) {verdict}{finding.text}"


def record_of(root: Node, repairs: list[Repair], encoding: str, source: Source) -> Record:
    """The record that a tree is; `repairs` is what had to be done to read it."""
    notes = _Notes(list(repairs))
    note = notes.add
    header = read_header(root, note)
    line = Events([], [])
    if header.is_go:
        line = read_events(root, header.shape, note)
    else:
        note(root.position, f"GM[{root.properties['GM'][0]}] is not Go: no moves are read")
    setup = stones_before_moves(line.events)
    _check_together(root, header, line, len([1 for colour, _ in setup if colour == "black"]), note)
    return Record(
        size=header.shape.columns if header.shape.columns == header.shape.rows else tuple(header.shape),
        komi=header.komi,
        handicap=header.handicap,
        result=header.result,
        rules=header.rules,
        setup=setup,
        moves=tuple((event[1], event[2]) for event in line.events if event[0] == "play"),
        events=tuple(line.events),
        encoding=encoding,
        root=root,
        name=source.name,
        repairs=tuple(f"{source.place(position)}: {text}" for position, text in notes.repairs),
        source=source,
        move_positions=tuple(line.positions),
    )


class _Notes:
    """Takes what is to be said about a record, up to a number that can still be read."""

    __slots__ = ("repairs",)

    def __init__(self, repairs: list[Repair]):
        self.repairs = repairs

    def add(self, position: int, text: str) -> None:
        if len(self.repairs) < MAX_REPAIRS:
            self.repairs.append(Repair(position, text))
        elif len(self.repairs) == MAX_REPAIRS:
            self.repairs.append(Repair(position, "and more; not listed"))


def _check_together(root: Node, header: Header, line: Events, num_black: int, note: Note) -> None:
    """Say where header and moves do not agree."""
    if not header.has_size and is_in_small_corner(line.events, header.shape):
        note(root.position, f"no SZ, and all stones in one corner: read as {header.shape.columns}x{header.shape.rows}")
    if header.handicap == 1:
        note(root.position, "HA[1] is no stone: Black moves first")
    elif header.is_go and header.handicap not in (0, num_black):
        note(root.position, f"HA[{header.handicap}], but {num_black} black stones before the first move")
