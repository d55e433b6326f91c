"""A game record as the viewer shows it: every node a step, with all variations, comments and marks.

Played out on the host's plain board, which takes any record as it comes: boards of any shape up to 52 lines, colours
that do not alternate, stones set up at any time, moves that no rules allow (the stone is put where it says). A node
with several moves becomes several steps; what it says belongs to the last of them.

*Source:* SGF FF[4], "Markup properties"; M and L are those of FF[3].
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from research.go.coords import Point
from research.interop import sgf
from research.interop.sgf.events import MOVES, Event, read_events
from research.interop.sgf.legality import BLACK, EMPTY, WHITE, HostBoard
from research.interop.sgf.points import points_of
from research.interop.sgf.tree import is_go
from research.visualise.viewer import GameStep, ViewedGame

_STONES = {"empty": EMPTY, "black": BLACK, "white": WHITE}
_SHAPES = {"TR": "triangle", "SQ": "square", "SL": "square", "CR": "circle", "MA": "cross", "M": "cross"}
_TERRITORY = {"TB": BLACK, "TW": WHITE}
_FACTS = (
    ("Black", ("PB", "BR")),
    ("White", ("PW", "WR")),
    ("Date", ("DT",)),
    ("Event", ("EV", "RO")),
    ("Place", ("PC",)),
    ("Rules", ("RU",)),
    ("Source", ("SO",)),
    ("About", ("GC",)),
)


class _Place(NamedTuple):
    """What a walk through the tree has left behind it."""

    step: int = -1  # index of the last step
    points: tuple[int, ...] = ()  # of a HostBoard
    number: int = 0  # moves so far
    taken: tuple[int, int] = (0, 0)  # stones that Black and White have captured
    to_play: int = EMPTY  # who is to move; EMPTY if nothing tells it


def chosen_record(path: Path, number: int) -> sgf.Record:
    """Game `number`, from 1, of everything below `path`.

    *Raises:* FileNotFoundError, ValueError (SgfError is one) if there is no such file or game.
    """
    games, num_games = sgf.load(path), 0
    for num_games, record in enumerate(games, start=1):
        if num_games == number:
            return record
    if num_games:
        raise ValueError(f"there is no game {number} in {path}; games count from 1, the last is {num_games}")
    skipped = [f"{found.name} ({found.reason})" for found in games.skipped]
    raise ValueError(f"there is no game in {path}" + (f"; skipped: {', '.join(skipped[:3])}" if skipped else ""))


def view_record(record: sgf.Record, title: str | None = None) -> ViewedGame:
    """The game for `viewer_html`. The main line comes first, so its step i is step i of all."""
    reader = _Reader(record)
    waiting = [(record.root, _Place(points=tuple(reader.board.points)))]
    while waiting:  # no recursion: a tree may be thousands of nodes deep
        node, place = waiting.pop()
        after = reader.read(node, place)
        waiting += [(child, after) for child in reversed(node.children)]
    return ViewedGame(
        title=title or _title(record),
        num_rows=record.shape.rows,
        num_columns=record.shape.columns,
        steps=tuple(reader.steps),
        facts=tuple(_facts(record)),
        warnings=record.warnings,
    )


class _Reader:
    """Makes steps of nodes, in whichever order they come."""

    def __init__(self, record: sgf.Record):
        self.shape = record.shape
        self.board = HostBoard(self.shape)
        self.points = [(row, column) for row in range(self.shape.rows) for column in range(self.shape.columns)]
        self.entries = [self.board.index(point) for point in self.points]
        self.has_moves = is_go(record.root.properties.get("GM", []))
        self.steps: list[GameStep] = []

    def read(self, node: sgf.Node, place: _Place) -> _Place:
        """Add the node's steps, one at least; the place behind it."""
        alone = sgf.Node(node.properties)  # events are those of a main line, and this node shall be all of it
        events = read_events(alone, self.shape, _ignore).events if self.has_moves else []
        plays = [event for event in events if event[0] == "play"]
        settings: list[Event] = [event for event in events if event[0] != "play"]
        movers = [_STONES[event[1]] for event in plays[1:]] + [_first_mover(node)]
        if not plays or place.step < 0 or any(event[0] == "set" for event in settings):
            next_player = _STONES[plays[0][1]] if plays else movers[0]
            place = self._set_up(place, settings, next_player, {} if plays else self._text(node))
        for number, (event, mover) in enumerate(zip(plays, movers, strict=False), start=1):
            place = self._play(place, event[1], event[2], mover, self._text(node) if number == len(plays) else {})
        return place

    def _set_up(self, place: _Place, settings: list[Event], next_player: int, text: dict[str, Any]) -> _Place:
        """A step without a move."""
        points = list(place.points)
        to_play = place.to_play
        for event in settings:
            if event[0] == "set":
                points[self.board.index(event[2])] = _STONES[event[1]]
            else:
                to_play = _STONES[event[1]]
        if place.step < 0 and to_play == EMPTY and BLACK in points and WHITE not in points:
            to_play = WHITE  # behind handicap stones
        changes = self._changes(place.points, points)
        return self._add(place._replace(points=tuple(points), to_play=to_play), next_player, text, changes=changes)

    def _play(self, place: _Place, colour: str, point: Point, next_player: int, text: dict[str, Any]) -> _Place:
        """A step that is a move."""
        player = _STONES[colour]
        other = BLACK + WHITE - player
        board, taken, action = self.board, list(place.taken), len(self.points)
        board.points = list(place.points)
        if point is not None:
            action = point[0] * self.shape.columns + point[1]
            board.points[self.entries[action]] = EMPTY  # a move that was never legal may be on a stone
            num_own, num_other = board.points.count(player), board.points.count(other)
            board.play(self.entries[action], player)
            taken[player - 1] += num_other - board.points.count(other)
            taken[other - 1] += num_own + 1 - board.points.count(player)
        after = place._replace(
            points=tuple(board.points), number=place.number + 1, taken=(taken[0], taken[1]), to_play=other
        )
        changes = self._changes(place.points, board.points)
        return self._add(after, next_player, text, player=player, action=action, changes=changes)

    def _add(self, place: _Place, next_player: int, text: dict[str, Any], **what: Any) -> _Place:
        """Add a step that leads to `place`, whose own step is still the one before."""
        to_play = next_player or place.to_play or BLACK
        step = GameStep(parent=place.step, number=place.number, taken=place.taken, to_play=to_play, **what, **text)
        self.steps.append(step)
        return place._replace(step=len(self.steps) - 1)

    def _changes(self, before: Sequence[int], after: Sequence[int]) -> tuple[tuple[int, int], ...]:
        return tuple(
            (action, after[entry]) for action, entry in enumerate(self.entries) if before[entry] != after[entry]
        )

    def _text(self, node: sgf.Node) -> dict[str, Any]:
        """Comment, name and marks of a node."""
        told = {"comment": "\n\n".join(node.properties.get("C", [])), "name": " ".join(node.properties.get("N", []))}
        return told | {"marks": dict(self._marks(node)), "territory": dict(self._marked(node, _TERRITORY))}

    def _marks(self, node: sgf.Node) -> Iterator[tuple[int, str]]:
        """(Point, shape or label) of every mark."""
        yield from self._marked(node, _SHAPES)
        for number, value in enumerate(node.properties.get("L", [])):
            yield from ((action, chr(ord("a") + number % 26)) for action in self._actions(value))
        for value in node.properties.get("LB", []):
            place, *label = sgf.value_parts(value)
            if label and label[0].strip():
                yield from ((action, label[0].strip()) for action in self._actions(place))

    def _marked(self, node: sgf.Node, meanings: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """(Point, meaning) of the points that the properties list."""
        for name, meaning in meanings.items():
            for value in node.properties.get(name, []):
                yield from ((action, meaning) for action in self._actions(value))

    def _actions(self, value: str) -> list[int]:
        """Points as the viewer numbers them; none for what is not on the board."""
        return [row * self.shape.columns + column for row, column in points_of(value, self.shape) or []]


def _ignore(position: int, text: str) -> None:
    """What is wrong with a node's moves; the record's own warnings have it already."""


def _first_mover(node: sgf.Node) -> int:
    """Who moves in the first node behind this one; EMPTY if nobody does."""
    moved = node.children[0].properties if node.children else {}
    return next((_STONES[MOVES[name]] for name in moved if name in MOVES), EMPTY)


def _title(record: sgf.Record) -> str:
    """The game's own name, or who played, or the file's name."""
    told = {name: " ".join(record.root.properties.get(name, [])).strip() for name in ("GN", "PB", "PW")}
    players = f"{told['PB'] or '?'} \u2013 {told['PW'] or '?'}" if told["PB"] or told["PW"] else ""
    return told["GN"] or players or Path(record.name).name or "Game"


def _facts(record: sgf.Record) -> Iterator[tuple[str, str]]:
    """What is told of the whole game, in the viewer's order."""
    for what, names in _FACTS:
        told = [value.strip() for name in names for value in record.root.properties.get(name, []) if value.strip()]
        if told:
            yield what, ", ".join(told)
    if record.handicap:
        yield "Handicap", str(record.handicap)
    yield "Komi", f"{record.komi:g}"
    if record.result is not None:
        yield "Result", record.result
