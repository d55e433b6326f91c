"""What happens along the main line of a game tree: moves, stones set up, changes of the player to move.

An event is ("play", colour, point or None for a pass), ("set", colour or "empty", point) or ("to_play", colour).
Inside one node set-up comes first, then moves, whichever way they are written. A value that names no point is left out
with a warning; illegal moves are events like any other.
"""

from typing import Literal, NamedTuple

from research.go.coords import Point
from research.interop.sgf.header import Note
from research.interop.sgf.points import PASS, Shape, guess_move, names_of_moves, points_of
from research.interop.sgf.tree import Node, main_line
from research.interop.sgf.values import read_colour

Play = tuple[Literal["play"], str, Point]
Setting = tuple[Literal["set"], str, tuple[int, int]]
Turn = tuple[Literal["to_play"], str]
Event = Play | Setting | Turn

MOVES = {"B": "black", "W": "white"}
_MOVES = frozenset(MOVES)
SETTINGS = {"AB": "black", "AW": "white", "AE": "empty"}
_SET_UP = frozenset([*SETTINGS, "PL"])
_SMALL_CORNER = 13  # lines; a record without a size that stays in this corner is of a smaller board


class Events(NamedTuple):
    """The main line."""

    events: list[Event]
    positions: list[int]  # of each move in the text


def read_events(root: Node, shape: Shape, note: Note) -> Events:
    """All events in their order."""
    read = Events([], [])
    names = names_of_moves(shape)
    for node in main_line(root):
        names_here = node.properties.keys()
        if not _SET_UP.isdisjoint(names_here):
            _read_set_up(node, shape, read.events, note)
        if _MOVES.isdisjoint(names_here):
            continue
        for colour, value in _moves_of(node, root, note):
            if value in names:
                point = names[value]
            elif (guess := guess_move(value, shape)) is not None:
                point, text = guess
                note(node.position, f"move {len(read.positions) + 1}: {text}")
            else:
                kind = "black" if colour == "black" else "white"
                note(node.position, f"move {len(read.positions) + 1}: {kind} at {value[:20]!r} is no point: left out")
                continue
            read.events.append(("play", colour, point))
            read.positions.append(node.position)
    return read


def stones_before_moves(events: list[Event]) -> tuple[tuple[str, tuple[int, int]], ...]:
    """(Colour, point) of the stones that stand on the board before the first move."""
    stones: dict[tuple[int, int], str] = {}
    for event in events:
        if event[0] == "play":
            break
        if event[0] == "set":
            stones.pop(event[2], None)
            if event[1] != "empty":
                stones[event[2]] = event[1]
    return tuple((colour, point) for point, colour in stones.items())


def is_in_small_corner(events: list[Event], shape: Shape) -> bool:
    """Whether there are points, three at least, and all lie where the corner of a smaller board would be."""
    points = [event[2] for event in events if len(event) == 3 and event[2] is not None]
    return len(points) >= 3 and max(map(max, points)) < min(_SMALL_CORNER, *shape)


def _moves_of(node: Node, root: Node, note: Note) -> list[tuple[str, str]]:
    """(Colour, value) of the moves in a node, as a rule one."""
    names = [name for name in node.properties if name in MOVES]
    if node is root:
        note(node.position, "moves in the root")
    if node.properties.keys() & SETTINGS.keys():
        note(node.position, "set-up and a move in one node: the stones are set up first")
    values = [node.properties[name] for name in names]
    if len(names) == 1 and len(values[0]) == 1:
        return [(MOVES[names[0]], values[0][0])]
    note(node.position, f"{sum(map(len, values))} moves in one node")
    in_turn = []
    for number in range(max(map(len, values))):  # B[aa]W[bb]B[cc] has come as B[aa][cc] and W[bb]
        in_turn += [
            (MOVES[name], given[number]) for name, given in zip(names, values, strict=True) if number < len(given)
        ]
    return in_turn


def _read_set_up(node: Node, shape: Shape, events: list[Event], note: Note) -> None:
    """Add what the node sets up."""
    placed: dict[tuple[int, int], str] = {}
    for name, colour in ((name, SETTINGS[name]) for name in node.properties if name in SETTINGS):
        for value in node.properties[name]:
            points = points_of(value, shape)
            if points is None:
                what = "no point" if value.strip() != PASS else "empty"
                note(node.position, f"{name}[{value[:20]}] is {what}: left out")
                continue
            for point in points:
                if placed.setdefault(point, colour) != colour:
                    note(node.position, f"{name}[{value[:20]}] is set up twice: the last counts")
                events.append(("set", colour, point))
    for value in node.properties.get("PL", [])[:1]:
        player = read_colour(value)
        if player is None:
            note(node.position, f"PL[{value[:20]}] is no player")
        else:
            events.append(("to_play", player))
