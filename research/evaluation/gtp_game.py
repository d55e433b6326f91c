"""The game that a controller builds up over GTP: stones, moves in any order of colours, undo, and what is legal.

A controller's game is freer than the device's: one colour may play twice, two passes end nothing, there is no last
move. So the engine keeps what happened as a list and is its own judge of legality, on the host: a board of plain
Python, with ko and superko as in research/go/rules.py. It asks the device only for moves. Undo is playing the list
again without its end.

Under simple ko a game can go round in a circle. If a position comes up for the third time with the same player to move
and no pass since, the game has no result; `is_no_result` says so until a move is taken back.

*Source:* research/go/rules.py; the no-result as in KataGo's rules, https://lightvector.github.io/KataGo/rules.html.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8

from research.go.coords import Point
from research.go.host_scoring import neighbours, parts
from research.go.rules import Rules
from research.interop.sgf.events import Event
from research.interop.sgf.legality import BLACK, EMPTY, WHITE, HostBoard
from research.interop.sgf.points import Shape

Stone = tuple[str, tuple[int, int]]  # colour and point
Move = tuple[str, Point]  # colour and point, None for a pass

NUMBER = {"black": BLACK, "white": WHITE}
NO_BAN = -1
NUM_REPETITIONS = 3  # of a position, after which the game has no result under simple ko


def other(colour: str) -> str:
    """The opponent's colour."""
    return "white" if colour == "black" else "black"


class Record(NamedTuple):
    """What happened: all that a game is made from."""

    setup: tuple[Stone, ...] = ()  # stones that stand before the first move
    first_player: str = "black"  # who moves first
    moves: tuple[Move, ...] = ()

    def events(self) -> tuple[Event, ...]:
        """The same as a record of SGF has it."""
        events: list[Event] = [("set", colour, point) for colour, point in self.setup]
        events.append(("to_play", self.first_player))
        events += [("play", colour, point) for colour, point in self.moves]
        return tuple(events)


class HostGame:
    """A position with what the rules must remember of the way there."""

    def __init__(self, rules: Rules, record: Record = Record()):  # noqa: B008 - a tuple
        """The position after all of `record`; its moves are taken as legal, whatever the rules now say."""
        self.rules = rules
        self.record = record._replace(moves=())
        self.board = HostBoard(Shape(rules.size, rules.size))
        for colour, point in record.setup:
            self.board.points[self.board.index(point)] = NUMBER[colour]
        self.to_play = record.first_player
        self.ko = NO_BAN  # entry of the board that the player to move may not take back
        self.num_passes = 0  # in a row
        self.captured = {"black": 0, "white": 0}  # stones that this colour has lost
        self.is_no_result = False
        self.seen: set[tuple[bytes, str]] = {self._situation(self.to_play)}  # what superko forbids
        self.repetitions: Counter = Counter([(bytes(self.board.points), self.to_play)])  # since the last pass
        for colour, point in record.moves:
            self.play(colour, point)

    @property
    def size(self) -> int:
        """Points a side."""
        return self.rules.size

    @property
    def num_moves(self) -> int:
        """Moves made, passes included."""
        return len(self.record.moves)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has happened yet."""
        return not self.record.setup and not self.record.moves

    def stones(self) -> Int8[np.ndarray, "size size"]:
        """The board: 0 empty, 1 black, 2 white."""
        rows = [self.board.index((row, 0)) for row in range(self.size)]
        return np.array([self.board.points[start : start + self.size] for start in rows], np.int8)

    def is_legal(self, colour: str, point: Point) -> bool:
        """Whether `colour` may play at `point` now; a pass always is."""
        if point is None:
            return True
        entry = self.board.index(point)
        ban = self.ko if colour == self.to_play else NO_BAN  # who plays out of turn retakes no ko
        if self.board.why_illegal(entry, NUMBER[colour], ban, self.rules.suicide) is not None:
            return False
        if self.rules.ko == "simple":
            return True
        before = list(self.board.points)
        self.board.play(entry, NUMBER[colour])
        situation = self._situation(other(colour))
        self.board.points = before
        return situation not in self.seen

    def legal_points(self, colour: str) -> list[tuple[int, int]]:
        """All points where `colour` may play."""
        size = self.size
        return [divmod(action, size) for action in range(size * size) if self.is_legal(colour, divmod(action, size))]

    def play(self, colour: str, point: Point) -> None:
        """Make a move; that it is legal is the caller's to know."""
        if point is None:
            self.ko = NO_BAN
            self.num_passes += 1
            self.repetitions.clear()
        else:
            self._count_captures(colour, point)
            self.num_passes = 0
        self.to_play = other(colour)
        self.record = self.record._replace(moves=(*self.record.moves, (colour, point)))
        self.seen.add(self._situation(self.to_play))
        position = (bytes(self.board.points), self.to_play)
        self.repetitions[position] += 1
        if self.rules.ko == "simple" and self.repetitions[position] >= NUM_REPETITIONS:
            self.is_no_result = True

    def turn_to(self, colour: str) -> None:
        """Have `colour` move next; a ko ban is lifted if that is a change."""
        if colour != self.to_play:
            self.to_play, self.ko = colour, NO_BAN

    def _count_captures(self, colour: str, point: tuple[int, int]) -> None:
        """Put the stone and see by how many stones each colour got fewer."""
        before = {name: self.board.points.count(number) for name, number in NUMBER.items()}
        entry = self.board.index(point)
        if self.board.points[entry] != EMPTY:  # only in a record that was never legal
            before[other(colour)] -= self.board.points[entry] == NUMBER[other(colour)]
            before[colour] -= self.board.points[entry] == NUMBER[colour]
        self.ko = self.board.play(entry, NUMBER[colour])
        for name, number in NUMBER.items():
            self.captured[name] += before[name] + (name == colour) - self.board.points.count(number)

    def _situation(self, to_play: str) -> tuple[bytes, str]:
        """What superko compares: the board, and who is to move if the rules look at that."""
        return bytes(self.board.points), to_play if self.rules.ko == "situational" else ""


def has_dead_chain(size: int, stones: tuple[Stone, ...]) -> bool:
    """Whether some chain of a set-up has no liberty."""
    board = np.zeros((size, size), np.int8)
    for colour, point in stones:
        board[point] = NUMBER[colour]
    chains = parts(board == BLACK) + parts(board == WHITE)
    return any(all(board[near] for point in chain for near in neighbours(board, point)) for chain in chains)
