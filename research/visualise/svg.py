"""A board as an SVG picture: wood, lines, star points, stones, and what one wants to say about a position.

The idea: SVG is text, so a picture needs no graphics library, can be read by a test, stays sharp at any size and shows
in a notebook, a browser and a README alike. Everything is drawn from arithmetic on the board alone: the same arguments
give the same bytes, so a picture in the repository can be checked against the code that drew it.

Points are named by action (row * size + column, row 0 on top), as everywhere in the library.

*Source:* own drawing; letters without I and star points as on a printed board.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from html import escape
from typing import SupportsIndex

import numpy as np
from jaxtyping import Array, Float, Int8

from research.go import coords

CELL = 40.0  # distance between two lines, in user units
MARGIN = 46.0  # from the outermost line to the picture's edge; holds the coordinates
TITLE_HEIGHT = 30.0  # above the board, if there is a title
STONE_RADIUS = 0.475 * CELL

_LINE_COLOUR = "#4a3418"
_TEXT_COLOUR = "#3a2812"
_HEAT_COLOUR = "#0b62a8"
_NUM_GRAIN_LINES = 26

_DEFINITIONS = """<defs>
<linearGradient id="wood" x1="0" y1="0" x2="1" y2="1">
<stop offset="0" stop-color="#edc883"/><stop offset="0.55" stop-color="#e0b36a"/><stop offset="1" stop-color="#d2a055"/>
</linearGradient>
<radialGradient id="black-stone" cx="0.36" cy="0.32" r="0.75" fx="0.32" fy="0.26">
<stop offset="0" stop-color="#7d8085"/><stop offset="0.3" stop-color="#3b3d40"/><stop offset="1" stop-color="#060607"/>
</radialGradient>
<radialGradient id="white-stone" cx="0.38" cy="0.34" r="0.78" fx="0.33" fy="0.27">
<stop offset="0" stop-color="#ffffff"/><stop offset="0.55" stop-color="#f4f1ea"/><stop offset="1" stop-color="#bdb5a6"/>
</radialGradient>
<radialGradient id="shadow">
<stop offset="0.72" stop-color="#2a1a06" stop-opacity="0.5"/><stop offset="1" stop-color="#2a1a06" stop-opacity="0"/>
</radialGradient>
</defs>"""


class Svg(str):
    """The text of an SVG file, which a notebook shows as the picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def board_svg(
    board: Int8[Array | np.ndarray, "size size"],
    last_move: SupportsIndex | None = None,
    marks: Mapping[int, str] | None = None,
    heat: Float[Array | np.ndarray, "size size"] | None = None,
    title: str | None = None,
) -> Svg:
    """The picture of `board` (0 empty, 1 black, 2 white) as the text of an SVG file.

    `last_move` (an action; a pass shows nothing) gets a ring, each of `marks` (action -> up to three characters) a
    label, and `heat` (0 or more, such as a policy) a square a point, the more opaque the larger its share of the
    largest value; the value itself shows when the pointer rests on it.

    *Raises:* ValueError if a mark or the last move is off the board, or heat is negative or not finite.
    """
    stones = np.asarray(board)
    size = stones.shape[0]
    marks = dict(marks or {})
    last_move = None if last_move is None else operator.index(last_move)
    _check_points(size, last_move, marks)
    width = board_width(size)
    top = TITLE_HEIGHT if title else 0.0
    parts = [
        *empty_board(size),
        *_clearings(stones, marks),
        *(_heat_squares(np.asarray(heat), size) if heat is not None else []),
        *position(stones, last_move, marks),
    ]
    heading = [text_at(width / 2, 0.6 * TITLE_HEIGHT, title, 17, "title")] if title else []
    return document(title or f"Go board, {size}x{size}", width, width + top, [*heading, *moved(parts, 0.0, top)])


def document(title: str, width: float, height: float, parts: Sequence[str]) -> Svg:
    """A whole SVG file around `parts`, which may use the gradients of wood and stones."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" role="img" font-family="Helvetica, Arial, sans-serif">',
        f"<title>{escape(title)}</title>",
        _DEFINITIONS,
        *parts,
        "</svg>",
    ]
    return Svg("\n".join(lines) + "\n")


def moved(parts: Sequence[str], x: float, y: float, scale: float = 1.0) -> list[str]:
    """`parts` with their origin at (x, y)."""
    zoom = f" scale({number(scale)})" if scale != 1 else ""
    return [f'<g transform="translate({number(x)} {number(y)}){zoom}">', *parts, "</g>"]


def board_width(size: int) -> float:
    """Width and height of a board with its margins."""
    return 2 * MARGIN + (size - 1) * CELL


def empty_board(size: int) -> list[str]:
    """The wood, the lines, the star points and the coordinates."""
    return [*_wood(board_width(size)), *_grid(size), *_coordinates(size)]


def position(stones: np.ndarray, last_move: int | None, marks: Mapping[int, str]) -> list[str]:
    """What lies on an empty board: the stones, the ring and the labels."""
    labels = [_label(stones, action, text) for action, text in sorted(marks.items())]
    return [*_stones(stones), *_ring(stones, last_move, marks), *labels]


def text_at(x: float, y: float, text: str, height: int, role: str, colour: str = "#777777", bold: bool = False) -> str:
    """A text centred on (x, y); `role` becomes its class."""
    # Lowered by about a third of its height, which centres it also where dominant-baseline is unknown.
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y + 0.35 * height)}" font-size="{height}" fill="{colour}" '
        f'text-anchor="middle"{weight} class="{role}">{escape(text)}</text>'
    )


def number(value: float) -> str:
    """A coordinate with at most three decimals, written in one way only."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def star_points(size: int) -> tuple[tuple[int, int], ...]:
    """(row, column) of the dots of an empty board: corners, sides and centre, as far as the size has room for them."""
    if size < 7:
        return ((size // 2, size // 2),) if size % 2 and size > 3 else ()
    near = 3 if size > 12 else 2
    corner_lines = (near, size - 1 - near)
    points = [(row, column) for row in corner_lines for column in corner_lines]
    if size % 2:
        middle = size // 2
        points.append((middle, middle))
        if size > 13:
            points += [(middle, line) for line in corner_lines] + [(line, middle) for line in corner_lines]
    return tuple(sorted(points))


def _check_points(size: int, last_move: int | None, marks: Mapping[int, str]) -> None:
    if last_move is not None and not 0 <= last_move <= size * size:
        raise ValueError(f"last_move is {last_move}; on this board it must be 0..{size * size} (the last is a pass)")
    for action, text in marks.items():
        if not 0 <= action < size * size:
            raise ValueError(
                f"mark {text!r} is on point {action}; on this board it must be on one of 0..{size * size - 1}"
            )
        if not 1 <= len(text) <= 3:
            raise ValueError(f"the mark on point {action} is {text!r}; it must have one to three characters")


def _wood(width: float) -> list[str]:
    """The board itself, with a grain of slow waves."""
    parts = [
        f'<rect width="{number(width)}" height="{number(width)}" rx="7" fill="url(#wood)"/>',
        '<g fill="none" stroke="#8a5a1c" stroke-width="1.1" class="grain">',
    ]
    for index in range(_NUM_GRAIN_LINES):
        # Two incommensurable waves give lines that neither repeat nor cross.
        y = width * (index + 0.5 + 0.28 * math.sin(2.4 * index)) / _NUM_GRAIN_LINES
        bend = width * 0.018 * math.sin(0.7 * index)
        opacity = 0.07 + 0.06 * math.sin(1.9 * index) ** 2
        parts.append(
            f'<path d="M0 {number(y)} C{number(width / 3)} {number(y + bend)} {number(2 * width / 3)} '
            f'{number(y - bend)} {number(width)} {number(y + bend / 2)}" opacity="{number(opacity)}"/>'
        )
    return [*parts, "</g>"]


def _grid(size: int) -> list[str]:
    """Lines and star points."""
    first, last = MARGIN, MARGIN + (size - 1) * CELL
    parts = [f'<g stroke="{_LINE_COLOUR}" stroke-linecap="square" class="grid">']
    for line in range(size):
        at = number(MARGIN + line * CELL)
        thickness = "1.8" if line in (0, size - 1) else "1"
        ends = number(first), number(last)
        parts.append(f'<path d="M{ends[0]} {at}H{ends[1]}M{at} {ends[0]}V{ends[1]}" stroke-width="{thickness}"/>')
    parts.append("</g>")
    for row, column in star_points(size):
        x, y = _centre(row, column)
        parts.append(f'<circle cx="{x}" cy="{y}" r="3.6" fill="{_LINE_COLOUR}" class="star"/>')
    return parts


def _clearings(stones: np.ndarray, marks: Mapping[int, str]) -> list[str]:
    """A patch of wood under the label of an empty point, so that no line crosses it."""
    parts = []
    for action in sorted(marks):
        if not stones.flat[action]:
            x, y = _centre(*divmod(action, stones.shape[0]))
            parts.append(f'<circle cx="{x}" cy="{y}" r="{number(0.36 * CELL)}" fill="#e2b871" class="clearing"/>')
    return parts


def _coordinates(size: int) -> list[str]:
    """Letters below and above (without I), numbers on both sides, counted from the bottom as players do."""
    parts = []
    far = 2 * MARGIN + (size - 1) * CELL - 0.4 * MARGIN
    for index in range(size):
        at = MARGIN + index * CELL
        letter, digits = coords.GTP_COLUMNS[index], str(size - index)
        for edge in (0.4 * MARGIN, far):
            parts.append(text_at(at, edge, letter, 14, "coordinate", _TEXT_COLOUR))
            parts.append(text_at(edge, at, digits, 14, "coordinate", _TEXT_COLOUR))
    return parts


def _heat_squares(heat: np.ndarray, size: int) -> list[str]:
    if not np.isfinite(heat).all() or (heat < 0).any():
        raise ValueError(f"heat must be finite and 0 or more; it lies between {heat.min()} and {heat.max()}")
    largest = float(heat.max())
    parts = []
    for row, column in np.argwhere(heat > 0).tolist():
        value = float(heat[row, column])
        corner = number(MARGIN + (column - 0.5) * CELL), number(MARGIN + (row - 0.5) * CELL)
        name = coords.gtp_from_point((row, column), size)
        parts.append(
            f'<rect x="{corner[0]}" y="{corner[1]}" width="{number(CELL)}" height="{number(CELL)}" '
            f'fill="{_HEAT_COLOUR}" fill-opacity="{number(0.85 * value / largest)}" class="heat">'
            f"<title>{name}: {value:.3g}</title></rect>"
        )
    return parts


def _stones(stones: np.ndarray) -> list[str]:
    """Every shadow first, so that none falls on a neighbouring stone."""
    occupied = np.argwhere(stones != 0).tolist()
    parts = []
    for row, column in occupied:
        x, y = _centre(row, column, shift=2.2)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{number(STONE_RADIUS + 2.4)}" fill="url(#shadow)" class="shadow"/>')
    for row, column in occupied:
        x, y = _centre(row, column)
        colour = "black" if stones[row, column] == 1 else "white"
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="{number(STONE_RADIUS)}" fill="url(#{colour}-stone)" class="{colour}"/>'
        )
    return parts


def _ring(stones: np.ndarray, last_move: int | None, marks: Mapping[int, str]) -> list[str]:
    """A ring on the last stone; wider if it must leave room for a label."""
    size = stones.shape[0]
    if last_move is None or last_move == size * size:
        return []
    x, y = _centre(*divmod(last_move, size))
    radius = (0.8 if last_move in marks else 0.5) * STONE_RADIUS
    colour = _contrast(int(stones.flat[last_move]))
    return [
        f'<circle cx="{x}" cy="{y}" r="{number(radius)}" fill="none" stroke="{colour}" stroke-width="2.4" '
        'class="last-move"/>'
    ]


def _label(stones: np.ndarray, action: int, text: str) -> str:
    row, column = divmod(action, stones.shape[0])
    height = 20 if len(text) == 1 else 17 if len(text) == 2 else 14
    x, y = MARGIN + column * CELL, MARGIN + row * CELL
    return text_at(x, y, text, height, "mark", _contrast(int(stones.flat[action])), bold=True)


def _contrast(stone: int) -> str:
    """The colour that can be read on a black stone, a white stone, or the wood."""
    return "#ffffff" if stone == 1 else "#1a1a1a"


def _centre(row: int, column: int, shift: float = 0.0) -> tuple[str, str]:
    return number(MARGIN + column * CELL + shift), number(MARGIN + row * CELL + shift)
