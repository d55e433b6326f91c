"""Chains and their liberties by union-find, on the host: the data structure a Go programmer would reach for first.

Every stone points to a stone of its chain, the chain's *root* to itself; the root holds the set of the chain's stones
and the set of its liberties. A stone that is placed joins the chains beside it, and their liberties are merged as sets,
so one that two of them share counts once.

Union-find only ever joins, but in Go chains also come apart: a capture takes a whole chain off, and taking a move back
takes the stone out that held others together. So a chain that loses stones is dissolved, and those that stay are placed
again. That costs as much as the chain has stones, which is what a reference can afford and what makes it easy to trust.

The device keeps labels instead (chains.py, moves.py), because a pointer that is followed is a gather, and following
it to the end a loop. Random games hold the two against each other.

*Source:* R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", 1975.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

Point = tuple[int, int]  # (row, column), row 0 at the top

EMPTY, BLACK, WHITE = 0, 1, 2


class Played(NamedTuple):
    """A move, and what `undo` must put back."""

    point: Point
    colour: int  # BLACK or WHITE
    captured: frozenset[Point]  # the opponent's stones that were taken off
    lost: frozenset[Point]  # the player's own, by suicide, the stone just played among them


class Chains:
    """The stones on a board of any shape, as chains; they can be placed, taken off, played, and played back.

    Nothing here asks whether a move is legal: ko, superko and turns are the caller's.
    """

    def __init__(self, rows: int, columns: int) -> None:
        """An empty board."""
        self.rows, self.columns = rows, columns
        self.moves: list[Played] = []  # that `undo` can take back, the last one last
        self._colour: dict[Point, int] = {}
        self._parent: dict[Point, Point] = {}
        self._stones: dict[Point, set[Point]] = {}  # by root, as the liberties
        self._liberties: dict[Point, set[Point]] = {}

    def colour(self, point: Point) -> int:
        """What is on `point`: EMPTY, BLACK or WHITE."""
        return self._colour.get(self._on_board(point), EMPTY)

    def find(self, point: Point) -> Point:
        """The root of the chain of the stone on `point`, the same for all its stones; *Raises:* ValueError without one.

        The way there is halved: every other stone on it is pointed one further.
        """
        if self.colour(point) == EMPTY:
            raise ValueError(f"no stone on {point}: wanted is a point of a chain")
        while self._parent[point] != point:
            self._parent[point] = self._parent[self._parent[point]]
            point = self._parent[point]
        return point

    def stones(self, point: Point) -> frozenset[Point]:
        """The chain of the stone on `point`."""
        return frozenset(self._stones[self.find(point)])

    def liberties(self, point: Point) -> frozenset[Point]:
        """The liberties of the chain of the stone on `point`."""
        return frozenset(self._liberties[self.find(point)])

    def play(self, point: Point, colour: int) -> Played:
        """What a move does: captures of the chains that it leaves without a liberty, enemy ones first, then the own."""
        self.place(point, colour)
        captured = {stone for root in self._beside(point, _other(colour)) for stone in self._if_dead(root)}
        self.remove(captured)
        lost = set(self._if_dead(self.find(point)))
        self.remove(lost)
        self.moves.append(Played(point, colour, frozenset(captured), frozenset(lost)))
        return self.moves[-1]

    def undo(self) -> Played:
        """The last move, taken back: its stone off, what it took back on; *Raises:* ValueError without one."""
        if not self.moves:
            raise ValueError("no move to take back: stones that were placed are taken off by remove")
        move = self.moves.pop()
        if not move.lost:
            self.remove({move.point})
        for stone in move.lost - {move.point}:
            self.place(stone, move.colour)
        for stone in move.captured:
            self.place(stone, _other(move.colour))
        return move

    def place(self, point: Point, colour: int) -> None:
        """Put a stone on the empty `point`, which takes nothing off; *Raises:* ValueError if it is not empty."""
        if colour not in (BLACK, WHITE):
            raise ValueError(f"colour={colour!r}: allowed is {BLACK} for black or {WHITE} for white")
        if self.colour(point) != EMPTY:
            raise ValueError(f"{point} is occupied: stones go on empty points")
        self._colour[point], self._parent[point] = colour, point
        self._stones[point] = {point}
        self._liberties[point] = {near for near in self.neighbours(point) if self.colour(near) == EMPTY}
        for root in self._beside(point, BLACK) | self._beside(point, WHITE):
            self._liberties[root].discard(point)
        for root in self._beside(point, colour):
            self._join(root, self.find(point))

    def remove(self, points: Iterable[Point]) -> None:
        """Take the stones on `points` off; what is left of their chains may come apart."""
        points = set(points)
        for root in {self.find(point) for point in points}:
            colour, chain = self._colour[root], self._stones.pop(root)
            del self._liberties[root]
            for stone in chain:
                del self._colour[stone], self._parent[stone]
            for stone in chain:
                for near_root in self._beside(stone, BLACK) | self._beside(stone, WHITE):
                    self._liberties[near_root].add(stone)
            for stone in chain - points:
                self.place(stone, colour)

    def labels(self) -> Int[np.ndarray, "rows columns"]:
        """A number for each chain on its stones, + black, - white; 0 where it is empty."""
        labels = np.zeros((self.rows, self.columns), int)
        for point, colour in self._colour.items():
            row, column = self.find(point)
            number = 1 + row * self.columns + column
            labels[point] = number if colour == BLACK else -number
        return labels

    def liberty_counts(self) -> Int[np.ndarray, "rows columns"]:
        """The number of liberties of the chain of each stone; 0 where it is empty."""
        counts = np.zeros((self.rows, self.columns), int)
        for point in self._colour:
            counts[point] = len(self._liberties[self.find(point)])
        return counts

    def neighbours(self, point: Point) -> list[Point]:
        """The points next to `point` on the board."""
        row, column = point
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [(r, c) for r, c in around if 0 <= r < self.rows and 0 <= c < self.columns]

    def _join(self, one: Point, other: Point) -> None:
        """Make one chain of two, given by their roots, which are one root afterwards: that of the longer chain."""
        small, large = sorted((one, other), key=lambda root: len(self._stones[root]))
        self._parent[small] = large
        self._stones[large] |= self._stones.pop(small)
        self._liberties[large] |= self._liberties.pop(small)

    def _beside(self, point: Point, colour: int) -> set[Point]:
        """The roots of the chains of `colour` next to `point`."""
        return {self.find(near) for near in self.neighbours(point) if self.colour(near) == colour}

    def _if_dead(self, root: Point) -> set[Point]:
        """The stones of a chain without a liberty; none of any other."""
        return set() if self._liberties[root] else self._stones[root]

    def _on_board(self, point: Point) -> Point:
        row, column = point
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise ValueError(
                f"{point} is off the board: allowed are rows 0..{self.rows - 1}, columns 0..{self.columns - 1}"
            )
        return point


def _other(colour: int) -> int:
    """The opponent's colour."""
    return BLACK + WHITE - colour
