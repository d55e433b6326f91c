"""A perfect tic-tac-toe player in plain Python, written without a look at research/toys.

A position is a string of nine marks, `X`, `O` or `.`, row by row from the top left; X began. `value` searches to the
end and remembers; there are 5,478 positions.
"""

from collections.abc import Iterator
from functools import cache

START = "." * 9
_LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def to_move(position: str) -> str:
    """`X` or `O`: X moves when both have played equally often."""
    return "X" if position.count("X") == position.count("O") else "O"


def winner(position: str) -> str | None:
    """The mark with three in a line, or None."""
    for line in _LINES:
        marks = {position[int(point)] for point in line}
        if marks in ({"X"}, {"O"}):
            return marks.pop()
    return None


def is_over(position: str) -> bool:
    """Whether somebody has won or the board is full."""
    return winner(position) is not None or "." not in position


def play(position: str, point: int) -> str:
    """The position after the side to move has played on an empty `point`."""
    assert point in moves(position)
    return position[:point] + to_move(position) + position[point + 1 :]


def moves(position: str) -> list[int]:
    """The points that may be played; none after the end."""
    return [] if is_over(position) else [point for point, mark in enumerate(position) if mark == "."]


@cache
def value(position: str) -> int:
    """+1, 0 or -1: what the side to move gets when both play perfectly."""
    if winner(position) is not None:
        return -1  # the other side has just made the line
    return max((-value(play(position, point)) for point in moves(position)), default=0)


@cache
def best_moves(position: str) -> tuple[int, ...]:
    """All moves that keep the value of the position."""
    return tuple(point for point in moves(position) if -value(play(position, point)) == value(position))


def all_positions() -> Iterator[str]:
    """Every position that play can reach, each once, the start first."""
    seen, waiting = {START}, [START]
    while waiting:
        position = waiting.pop()
        yield position
        for point in moves(position):
            after = play(position, point)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
