"""A board without stones, of any shape: wood, lines, star points, coordinates.

*Source:* own drawing; letters without I and star points as on a printed board.
"""

import itertools
import math

from research.visualise.drawing import CELL, MARGIN, at, number, text_at

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"  # of columns: no I, which looks like 1

_LINE_COLOUR = "#4a3418"
_TEXT_COLOUR = "#3a2812"
_GRAIN_SPACING = 16.0  # user units from one wave of the wood to the next
_MIN_NUM_GRAIN_LINES = 26


def empty_board(num_rows: int, num_columns: int) -> list[str]:
    """The parts of the picture, from the bottom up."""
    width, height = board_width(num_columns), board_width(num_rows)
    return [*_wood(width, height), *_grid(num_rows, num_columns), *_coordinates(num_rows, num_columns)]


def board_width(num_lines: int) -> float:
    """Width of a board of so many columns with its margins, or its height by its rows."""
    return 2 * MARGIN + (num_lines - 1) * CELL


def column_name(column: int) -> str:
    """A to Z without I, then AA, AB and so on."""
    first, last = divmod(column, len(LETTERS))
    return (LETTERS[first - 1] if first else "") + LETTERS[last]


def star_points(num_rows: int, num_columns: int) -> tuple[tuple[int, int], ...]:
    """(row, column) of the dots of an empty board: corners, sides and centre, as far as the size has room for them."""
    rows, columns = _star_lines(num_rows), _star_lines(num_columns)
    if min(num_rows, num_columns) < 7:
        middle = (num_rows // 2, num_columns // 2)
        return (middle,) if num_rows == num_columns == 5 else ()
    points = set(itertools.product(rows, columns))
    if min(num_rows, num_columns) <= 13:
        # Of the lines in the middle only the point where both cross.
        points = {
            (row, column) for row, column in points if (2 * row + 1 == num_rows) == (2 * column + 1 == num_columns)
        }
    return tuple(sorted(points))


def _star_lines(num_lines: int) -> list[int]:
    near = 3 if num_lines > 12 else 2
    return [near, num_lines - 1 - near] + [num_lines // 2] * (num_lines % 2)


def _wood(width: float, height: float) -> list[str]:
    """The board itself, with a grain of slow waves."""
    parts = [
        f'<rect width="{number(width)}" height="{number(height)}" rx="7" fill="url(#wood)"/>',
        '<g fill="none" stroke="#8a5a1c" stroke-width="1.1" class="grain">',
    ]
    num_lines = max(_MIN_NUM_GRAIN_LINES, round(height / _GRAIN_SPACING / 2))
    for index in range(num_lines):
        # Two incommensurable waves give lines that neither repeat nor cross.
        y = height * (index + 0.5 + 0.28 * math.sin(2.4 * index)) / num_lines
        bend = height * 0.018 * math.sin(0.7 * index)
        opacity = 0.07 + 0.06 * math.sin(1.9 * index) ** 2
        parts.append(
            f'<path d="M0 {number(y)} C{number(width / 3)} {number(y + bend)} {number(2 * width / 3)} '
            f'{number(y - bend)} {number(width)} {number(y + bend / 2)}" opacity="{number(opacity)}"/>'
        )
    return [*parts, "</g>"]


def _grid(num_rows: int, num_columns: int) -> list[str]:
    """Lines and star points."""
    left, right, top, bottom = (number(edge) for edge in (MARGIN, at(num_columns - 1), MARGIN, at(num_rows - 1)))
    inner = "".join(f"M{left} {number(at(row))}H{right}" for row in range(1, num_rows - 1))
    inner += "".join(f"M{number(at(column))} {top}V{bottom}" for column in range(1, num_columns - 1))
    edge = f"M{left} {top}H{right}V{bottom}H{left}z"
    parts = [
        f'<g fill="none" stroke="{_LINE_COLOUR}" stroke-linejoin="round" class="grid">'
        f'<path d="{inner}" stroke-width="1"/><path d="{edge}" stroke-width="1.8"/></g>'
    ]
    for row, column in star_points(num_rows, num_columns):
        x, y = number(at(column)), number(at(row))
        parts.append(f'<circle cx="{x}" cy="{y}" r="3.6" fill="{_LINE_COLOUR}" class="star"/>')
    return parts


def _coordinates(num_rows: int, num_columns: int) -> list[str]:
    """Letters below and above (without I), numbers on both sides, counted from the bottom as players do."""
    parts, near = [], 0.4 * MARGIN
    for column in range(num_columns):
        for edge in (near, board_width(num_rows) - near):
            parts.append(text_at(at(column), edge, column_name(column), 14, "coordinate", _TEXT_COLOUR))
    for row in range(num_rows):
        for edge in (near, board_width(num_columns) - near):
            parts.append(text_at(edge, at(row), str(num_rows - row), 14, "coordinate", _TEXT_COLOUR))
    return parts
