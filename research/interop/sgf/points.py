"""SGF's names of points on boards of any shape up to 52 lines, and what else is found where a point should be.

A point is (row, column), row 0 at the top; None is a pass. SGF writes the column first: `pd` on 19x19 is (3, 15), GTP's
Q16. A pass is an empty value, and `tt` on boards up to 19x19, which the fixed letters of FF[3] left over.

*Source:* SGF FF[4], "Go (GM=1)": Move, Stone and Point, compressed point lists, large boards.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from research.go.coords import GTP_COLUMNS, Point

MAX_LINES = 52
PASS = ""
OLD_PASS = "tt"
OLD_PASS_LINES = 19  # up to this size "tt" is off the board

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GTP_LETTERS = GTP_COLUMNS + "UVWXYZ"
_GTP_POINT = re.compile(r"([A-HJ-Za-hj-z])([1-9]\d?)")
_OTHER_PASSES = ("pass", "zz", "``", "--", "tt")


class Shape(NamedTuple):
    """Lines of a board."""

    columns: int
    rows: int


@lru_cache(maxsize=100)
def names_of_moves(shape: Shape) -> dict[str, Point]:
    """Every proper value of a move on this board, and what it is."""
    names: dict[str, Point] = {
        LETTERS[column] + LETTERS[row]: (row, column) for row in range(shape.rows) for column in range(shape.columns)
    }
    names[PASS] = None
    if max(shape) <= OLD_PASS_LINES:
        names[OLD_PASS] = None
    return names


def name_of_point(point: Point) -> str:
    """SGF's name of a point or a pass."""
    return PASS if point is None else LETTERS[point[1]] + LETTERS[point[0]]


def guess_move(value: str, shape: Shape) -> tuple[Point, str] | None:
    """(The move that a faulty value means, why), None if it means none.

    Passes are written in many ways, the one "off the board by one" among them: `ss` on 18x18.
    """
    text = "".join(value.split())
    names = names_of_moves(shape)
    if text in names:
        return names[text], "a blank value is a pass" if text == PASS else "blanks left out"
    lowered = text.lower()
    letters = [LETTERS.find(letter) for letter in text]
    if lowered in _OTHER_PASSES or letters == [shape.columns, shape.rows]:
        return None, f"{value!r} is off the board: taken for a pass"
    if max(shape) <= len(LETTERS) // 2 and lowered in names:
        return names[lowered], f"{value!r} in capitals"
    gtp = _GTP_POINT.fullmatch(text)
    if gtp is not None:
        row, column = shape.rows - int(gtp[2]), _GTP_LETTERS.index(gtp[1].upper())
        if row >= 0 and column < shape.columns:
            return (row, column), f"{value!r} is not SGF's name of a point: taken for GTP's"
    return None


def points_of(value: str, shape: Shape) -> list[tuple[int, int]] | None:
    """The points that a value of a list of points means, a rectangle `aa:cc` too; None if it means none."""
    names = names_of_moves(shape)
    text = "".join(value.split())
    if max(shape) <= len(LETTERS) // 2:
        text = text.lower()
    corners = [names.get(part) for part in text.split(":")]
    points = [corner for corner in corners if corner is not None]
    if len(points) != len(corners) or len(points) > 2:
        return None
    (top, left), (bottom, right) = (tuple(map(pick, zip(*points, strict=True))) for pick in (min, max))
    return [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
