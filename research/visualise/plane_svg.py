"""All planes of a position as one SVG picture, each under its number and name.

The idea: SVG is text, so the picture of a position is the same bytes wherever it is drawn, and a test can read it. To
be small enough for a page of documentation a plane is one path of bars, a bar for each run of equal numbers in a row.
What is 1 is dark, fractions are lighter, negative numbers red; a plane that is the same everywhere says its number.

*Source:* own drawing.
"""

import textwrap
from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from jaxtyping import Array, Shaped

from research.visualise.drawing import Svg, document, number

NUM_COLUMNS = 6  # planes side by side
PLANE_WIDTH = 114.0  # of a plane, in user units
GAP = 14.0  # between planes
NAME_WIDTH = 26  # characters of a line of a name
NAME_LINES = 3
LINE_HEIGHT = 10
TITLE_HEIGHT = 34.0

_POSITIVE, _NEGATIVE, _EMPTY, _LINES = "#1d1d1f", "#b3261e", "#ffffff", "#d9d9de"


def planes_svg(planes: Shaped[Array | np.ndarray, "rows columns num_planes"], names: Sequence[str], title: str) -> Svg:
    """The picture of `planes`, row 0 on top, as the text of an SVG file.

    *Raises:* ValueError if there is not one name a plane.
    """
    values = np.asarray(planes).astype(float)
    if values.shape[-1] != len(names):
        raise ValueError(f"got {values.shape[-1]} planes and {len(names)} names; wanted one name a plane")
    num_rows, num_columns = values.shape[:2]
    point = PLANE_WIDTH / max(num_rows, num_columns)
    name_height = NAME_LINES * LINE_HEIGHT + 4.0
    step = name_height + num_rows * point + GAP
    width = GAP + min(NUM_COLUMNS, len(names)) * (PLANE_WIDTH + GAP)
    height = TITLE_HEIGHT + -(-len(names) // NUM_COLUMNS) * step
    # Its own paper, or a dark page would swallow the names.
    paper = f'<rect width="{number(width)}" height="{number(height)}" rx="7" fill="{_EMPTY}" class="paper"/>'
    parts = [paper, _board(num_rows, num_columns), _text(GAP, 22.0, title, 13)]
    for index, name in enumerate(names):
        x = GAP + index % NUM_COLUMNS * (PLANE_WIDTH + GAP)
        y = TITLE_HEIGHT + index // NUM_COLUMNS * step
        parts += _name(x, y, f"{index} {name}")
        parts.append(f'<g transform="translate({number(x)} {number(y + name_height)}) scale({number(point)})">')
        parts += ['<use href="#board"/>', *_bars(values[..., index]), "</g>"]
    return document(title, width, height, parts)


def _board(num_rows: int, num_columns: int) -> str:
    """The empty board that each plane is drawn on, a unit a point, for reuse."""
    lines = "".join(f"M0 {row}h{num_columns}" for row in range(1, num_rows))
    lines += "".join(f"M{column} 0v{num_rows}" for column in range(1, num_columns))
    return (
        f'<defs><g id="board"><rect width="{num_columns}" height="{num_rows}" fill="{_EMPTY}" stroke="{_LINES}" '
        f'stroke-width="0.12"/><path d="{lines}" stroke="{_LINES}" stroke-width="0.06"/></g></defs>'
    )


def _name(x: float, y: float, name: str) -> Iterator[str]:
    """The name above a plane, on as many lines as there is room for."""
    lines = textwrap.wrap(name, NAME_WIDTH, max_lines=NAME_LINES, placeholder=" ...")
    yield f"<g><title>{escape(name)}</title>"
    for index, line in enumerate(lines):
        # The last line stands right above the plane.
        offset = LINE_HEIGHT * (NAME_LINES - len(lines) + index + 1)
        yield _text(x, y + offset, line, 8)
    yield "</g>"


def _text(x: float, y: float, text: str, height: int, anchor: str = "start") -> str:
    """A text whose line stands at y and begins at x, or has its middle there."""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{height}" text-anchor="{anchor}" fill="{_POSITIVE}">'
        f"{escape(text)}</text>"
    )


def _bars(plane: np.ndarray) -> Iterator[str]:
    """One path for each number in the plane but 0, or a filled board with the number on it."""
    num_rows, num_columns = plane.shape
    if (plane == plane[0, 0]).all() and plane[0, 0] != 0:
        value = plane[0, 0]
        yield f'<rect width="{num_columns}" height="{num_rows}" {_fill(value)}/>'
        if abs(value) != 1:
            yield _text(num_columns / 2, num_rows / 2 + 1, f"{value:.4g}", 3, "middle")
        return
    for value in np.unique(plane[plane != 0]).tolist():
        bars = "".join(f"M{start} {row}h{end - start}v1H{start}z" for row, start, end in _runs(plane == value))
        yield f'<path d="{bars}" {_fill(value)}/>'


def _fill(value: float) -> str:
    """The colour of a number."""
    colour, share = _POSITIVE if value > 0 else _NEGATIVE, min(abs(value), 1.0)
    return f'fill="{colour}"' + (f' fill-opacity="{number(share)}"' if share < 1 else "")


def _runs(mask: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(row, first column, column after the last) of each run of set points in a row."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    for row, line in enumerate(edges):
        yield from (
            (row, int(a), int(b)) for a, b in zip(np.flatnonzero(line > 0), np.flatnonzero(line < 0), strict=True)
        )
