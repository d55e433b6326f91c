"""A board as an SVG picture: wood, lines, star points, stones, and what one wants to say about a position.

The idea: SVG is text, so a picture needs no graphics library, can be read by a test, stays sharp at any size and shows
in a notebook, a browser and a README alike, on light and dark pages, since the board brings its own wood. Everything is
drawn from arithmetic on the board alone: the same arguments give the same bytes, so a picture in the repository can be
checked against the code that drew it.

Points are named by action (row * size + column, row 0 on top), as everywhere in the library.

*Source:* own drawing.
"""

import operator
import textwrap
from collections.abc import Mapping
from typing import SupportsIndex

import numpy as np
from jaxtyping import Array, Float, Int8, Shaped

from research.visualise import overlays
from research.visualise.drawing import STONE_RADIUS, Svg, at, document, moved, number, text_at
from research.visualise.empty_board import board_width, empty_board

TITLE_HEIGHT = 30.0  # above the board, if there is a title
CAPTION_HEIGHT = 20.0  # of a line below the board
CAPTION_LETTER = 6.5  # width of its letters, about


def board_svg(
    board: Int8[Array | np.ndarray, "size size"],
    last_move: SupportsIndex | None = None,
    marks: Mapping[int, str] | None = None,
    heat: Shaped[Array | np.ndarray, "size size"] | None = None,
    title: str | None = None,
    ownership: Float[Array | np.ndarray, "size size"] | None = None,
    caption: str = "",
) -> Svg:
    """The picture of `board` (0 empty, 1 black, 2 white) as the text of an SVG file.

    `last_move` (an action; a pass shows nothing) gets a ring. `marks` (action -> mark) are "triangle", "square",
    "circle", "cross", or labels of up to three characters; `games.numbered_svg` numbers moves with them. `heat` (0 or
    more: a policy, visits) is a square a point, the more opaque the larger its share of the largest value. `ownership`
    (+1 Black's, -1 White's: territory, a network's estimate, `1 - 2 * influence`) is a small square a point, dark or
    light, the larger the surer. Values show when the pointer rests on them. `title` stands above, `caption` below.

    *Raises:* ValueError if a mark or the last move is off the board, heat is negative or not finite, or ownership is
    not in -1..1.
    """
    stones = np.asarray(board)
    size = stones.shape[0]
    marks = dict(marks or {})
    last_move = None if last_move is None else operator.index(last_move)
    if last_move is not None and not 0 <= last_move <= size * size:
        raise ValueError(f"last_move is {last_move}; on this board it must be 0..{size * size} (the last is a pass)")
    overlays.check_marks(size * size, marks)
    width = board_width(size)
    top = TITLE_HEIGHT if title else 0.0
    parts = [
        *empty_board(size, size),
        *overlays.clearings(stones, marks),
        *(overlays.heat_squares(np.asarray(heat)) if heat is not None else []),
        *stone_parts(stones),
        *(overlays.ownership_squares(np.asarray(ownership), marks) if ownership is not None else []),
        *overlays.last_move_ring(stones, last_move, marks),
        *overlays.mark_parts(stones, marks),
    ]
    parts = moved(parts, 0.0, top)
    if title:
        parts.append(text_at(width / 2, 0.6 * TITLE_HEIGHT, title, 17, "title"))
    height = top + width
    for line in textwrap.wrap(caption, int(width / CAPTION_LETTER)):
        parts.append(text_at(width / 2, height + CAPTION_HEIGHT / 2, line, 13, "caption"))
        height += CAPTION_HEIGHT
    return document(title or f"Go board, {size}x{size}", width, height, parts)


def stone_parts(stones: np.ndarray) -> list[str]:
    """The stones; every shadow first, so that none falls on a neighbouring stone."""
    occupied = np.argwhere(stones != 0).tolist()
    parts = []
    for row, column in occupied:
        x, y = number(at(column) + 2.2), number(at(row) + 2.2)
        parts.append(f'<circle cx="{x}" cy="{y}" r="{number(STONE_RADIUS + 2.4)}" fill="url(#shadow)" class="shadow"/>')
    for row, column in occupied:
        x, y = number(at(column)), number(at(row))
        colour = "black" if stones[row, column] == 1 else "white"
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="{number(STONE_RADIUS)}" fill="url(#{colour}-stone)" class="{colour}"/>'
        )
    return parts
