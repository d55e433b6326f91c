"""What one wants to say about a position, drawn over the board or over its stones: heat, ownership, marks.

A value a point is a square a point. Heat (a policy, visits) has one colour and says how much by its opacity, relative
to the largest. Ownership has two sides: dark squares are Black's, light ones White's, and the square is small, so that
the stone or the crossing below it stays in sight. Marks are black on white stones and on wood, white on black stones.

*Source:* own drawing; the four shapes are those of SGF's TR, SQ, CR and MA.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from research.go import coords
from research.visualise.drawing import CELL, DARK, LIGHT, MARGIN, STONE_RADIUS, at, contrast, number, text_at

SHAPES = ("triangle", "square", "circle", "cross")
MAX_LABEL = 3  # characters
OWNERSHIP_SIDE = 0.36 * CELL  # of the square of a point that is wholly one side's
MARKED_SHIFT, MARKED_SCALE = 0.33 * CELL, 0.75  # of that square on a point with a mark: down to the right, and smaller

_HEAT_COLOUR = "#0b62a8"
_WOOD = "#e2b871"
_SHAPE_RADIUS = 0.58 * STONE_RADIUS


def check_marks(num_points: int, marks: Mapping[int, str]) -> None:
    """*Raises:* ValueError for a mark off the board, or for one that is neither a shape nor a short label."""
    for action, text in marks.items():
        if not 0 <= action < num_points:
            raise ValueError(
                f"mark {text!r} is on point {action}; on this board it must be on one of 0..{num_points - 1}"
            )
        if text not in SHAPES and not 1 <= len(text) <= MAX_LABEL:
            shapes = ", ".join(SHAPES)
            raise ValueError(
                f"the mark on point {action} is {text!r}; it must be {shapes} or a label of one to three characters"
            )


def clearings(stones: np.ndarray, marks: Mapping[int, str]) -> list[str]:
    """A patch of wood under the mark of an empty point, so that no line crosses it."""
    parts = []
    for action in sorted(marks):
        if not stones.flat[action]:
            row, column = divmod(action, stones.shape[1])
            parts.append(
                f'<circle cx="{number(at(column))}" cy="{number(at(row))}" r="{number(0.36 * CELL)}" '
                f'fill="{_WOOD}" class="clearing"/>'
            )
    return parts


def heat_squares(heat: np.ndarray) -> list[str]:
    """A square for each point above 0, with its value to be read under the pointer."""
    if not np.isfinite(heat).all() or (heat < 0).any():
        raise ValueError(f"heat must be finite and 0 or more; it lies between {heat.min()} and {heat.max()}")
    size, largest = len(heat), float(heat.max())
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


def ownership_squares(ownership: np.ndarray, marks: Mapping[int, str]) -> list[str]:
    """A square for each point that leans to a side, as large as it is sure; beside a mark, not under it."""
    if not (np.abs(ownership) <= 1).all():  # false for what is not finite too
        raise ValueError(f"ownership must be in -1..1; it lies between {ownership.min()} and {ownership.max()}")
    size, parts = len(ownership), []
    for row, column in np.argwhere(ownership != 0).tolist():
        value = float(ownership[row, column])
        # The area, not the side, grows with the value: that is what the eye compares.
        is_marked = row * size + column in marks
        side = OWNERSHIP_SIDE * math.sqrt(abs(value)) * (MARKED_SCALE if is_marked else 1)
        shift = (MARKED_SHIFT if is_marked else 0) - side / 2
        colours, role = ((DARK, LIGHT), "owned-black") if value > 0 else ((LIGHT, DARK), "owned-white")
        name = coords.gtp_from_point((row, column), size)
        parts.append(
            f'<rect x="{number(at(column) + shift)}" y="{number(at(row) + shift)}" width="{number(side)}" '
            f'height="{number(side)}" fill="{colours[0]}" fill-opacity="0.9" stroke="{colours[1]}" '
            f'stroke-opacity="0.35" stroke-width="0.8" class="{role}"><title>{name}: {value:+.2f}</title></rect>'
        )
    return parts


def last_move_ring(stones: np.ndarray, last_move: int | None, marks: Mapping[int, str]) -> list[str]:
    """A ring on the last stone; wider if it must leave room for a label, none on a shape."""
    if last_move is None or last_move == stones.size or marks.get(last_move) in SHAPES:
        return []
    row, column = divmod(last_move, stones.shape[1])
    radius = (0.8 if last_move in marks else 0.5) * STONE_RADIUS
    return [
        f'<circle cx="{number(at(column))}" cy="{number(at(row))}" r="{number(radius)}" fill="none" '
        f'stroke="{contrast(int(stones.flat[last_move]))}" stroke-width="2.4" class="last-move"/>'
    ]


def mark_parts(stones: np.ndarray, marks: Mapping[int, str]) -> Iterator[str]:
    """Shapes and labels, point by point."""
    for action, text in sorted(marks.items()):
        row, column = divmod(action, stones.shape[1])
        colour = contrast(int(stones.flat[action]))
        if text in SHAPES:
            yield _shape(text, at(column), at(row), colour)
        else:
            height = (20, 17, 14)[len(text) - 1]
            yield text_at(at(column), at(row), text, height, "mark", colour, bold=True)


def _shape(name: str, x: float, y: float, colour: str) -> str:
    """The outline of a shape with (x, y) in its middle."""
    radius = _SHAPE_RADIUS
    if name == "circle":
        outline = f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(0.86 * radius)}"'
    elif name == "square":
        left, top, side = number(x - 0.72 * radius), number(y - 0.72 * radius), number(1.44 * radius)
        outline = f'<rect x="{left}" y="{top}" width="{side}" height="{side}"'
    elif name == "triangle":
        half, bottom = radius * math.sqrt(3) / 2, number(y + radius / 2)
        outline = f'<path d="M{number(x)} {number(y - radius)}L{number(x + half)} {bottom}H{number(x - half)}z"'
    else:
        arm = 0.68 * radius
        left, right, top, bottom = (number(edge) for edge in (x - arm, x + arm, y - arm, y + arm))
        outline = f'<path d="M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}"'
    return f'{outline} fill="none" stroke="{colour}" stroke-width="2.6" stroke-linejoin="round" class="{name}"/>'
