"""The first move of a record that no rules allow, found on the host while nothing runs on a device.

A plain board: a list of points with a border, chains followed stone by stone. It knows what every rule set shares
(occupied points, suicide, the immediate retaking of a ko); whether suicide of several stones is allowed depends on the
rules. Repeated positions are told as well, but they are not illegal everywhere and stop nothing.

research.go is what plays games; this is for reading tens of thousands of files, where a position is looked at once.

*Source:* the rules as in research/go/rules.py.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from research.interop.sgf.events import Event
from research.interop.sgf.points import Shape

EMPTY, BLACK, WHITE, BORDER = 0, 1, 2, 3
_NUMBER = {"empty": EMPTY, "black": BLACK, "white": WHITE}


class Finding(NamedTuple):
    """Something about one move."""

    move: int  # number of the move, from 1
    text: str
    is_illegal: bool


def check_moves(events: Sequence[Event], shape: Shape, suicide: bool) -> Iterator[Finding]:
    """Repetitions up to the first illegal move, and that one, behind which the game is not followed.

    `suicide` allows two stones or more to be played out of their last liberty.
    """
    board = HostBoard(shape)
    num_moves, ko, last_colour = 0, -1, ""
    seen: dict[bytes, int] = {}
    for event in events:
        if event[0] == "set":
            board.points[board.index(event[2])] = _NUMBER[event[1]]
            ko = -1
            seen.clear()
        if event[0] != "play":
            continue
        _, colour, place = event
        num_moves += 1
        if place is None:
            ko = -1
            continue
        if num_moves == 1 or not seen:
            seen[bytes(board.points)] = num_moves - 1
        point = board.index(place)
        banned = ko if colour != last_colour else -1  # who plays twice retakes nothing
        reason = board.why_illegal(point, _NUMBER[colour], banned, suicide)
        if reason is not None:
            yield Finding(num_moves, reason, is_illegal=True)
            return
        ko, last_colour = board.play(point, _NUMBER[colour]), colour
        earlier = seen.setdefault(bytes(board.points), num_moves)
        if earlier != num_moves:
            yield Finding(num_moves, f"repeats the position after move {earlier}", is_illegal=False)


class HostBoard:
    """A board with a border: point (row, column) is entry (row + 1) * (columns + 1) + column."""

    __slots__ = ("points", "steps", "width")

    def __init__(self, shape: Shape):
        """An empty board."""
        self.width = shape.columns + 1
        row = [EMPTY] * shape.columns + [BORDER]
        border = [BORDER] * self.width
        self.points = border + row * shape.rows + border
        self.steps = (-self.width, -1, 1, self.width)

    def index(self, point: tuple[int, int]) -> int:
        """The entry of a point."""
        return (point[0] + 1) * self.width + point[1]

    def why_illegal(self, point: int, colour: int, ko: int, suicide: bool) -> str | None:
        """What forbids the move under any rules; None if nothing does. `ko` is the entry that is banned, or -1."""
        points = self.points
        if points[point] != EMPTY:
            return "the point is occupied"
        if point == ko:
            return "it retakes the ko at once"
        around = [point + step for step in self.steps]
        if any(points[near] == EMPTY for near in around):
            return None
        points[point] = colour
        try:
            enemy = BLACK + WHITE - colour
            if any(points[near] == enemy and not self._chain(near)[1] for near in around):
                return None
            chain, has_liberty = self._chain(point)
            if has_liberty or (suicide and len(chain) > 1):
                return None
            return "suicide"
        finally:
            points[point] = EMPTY

    def play(self, point: int, colour: int) -> int:
        """Put a legal stone and take off what dies; the entry of the ko that this bans, or -1."""
        points = self.points
        points[point] = colour
        enemy = BLACK + WHITE - colour
        num_captured, captured, is_alone = 0, -1, True
        has_liberty = False
        for step in self.steps:
            near = point + step
            if points[near] == enemy:
                chain, is_alive = self._chain(near)
                if not is_alive:
                    for stone in chain:
                        points[stone] = EMPTY
                    num_captured += len(chain)
                    captured = near
            elif points[near] == colour:
                is_alone = False
            elif points[near] == EMPTY:
                has_liberty = True
        if num_captured:
            return captured if num_captured == 1 and is_alone and not has_liberty else -1
        if not has_liberty:
            chain, is_alive = self._chain(point)
            for stone in [] if is_alive else chain:
                points[stone] = EMPTY
        return -1

    def _chain(self, point: int) -> tuple[list[int], bool]:
        """(The stones of the chain, all of them if it has no liberty; whether it has one)."""
        points, steps = self.points, self.steps
        colour = points[point]
        chain, seen = [point], {point}
        for stone in chain:
            for step in steps:
                near = stone + step
                if points[near] == EMPTY:
                    return chain, True
                if points[near] == colour and near not in seen:
                    seen.add(near)
                    chain.append(near)
        return chain, False
