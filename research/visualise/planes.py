"""What a network sees: the planes of one position, as text and as a picture, each under its name.

*Source:* own design.
"""

import math
import textwrap
from collections.abc import Sequence

import numpy as np
from jaxtyping import Array, Shaped
from matplotlib.figure import Figure

TEXT_WIDTH = 100  # characters a line of text may have
NUM_COLUMNS = 6  # planes side by side in the picture
PLANE_SIZE = 2.0  # inches along a side
TITLE_WIDTH = 32  # characters of a name before it takes a second line

_GAP = "   "


def planes_text(
    planes: Shaped[Array | np.ndarray, "rows columns num_planes"],
    names: Sequence[str],
    numbers: Sequence[int] | None = None,
) -> str:
    """The planes as text, several side by side: `#` for 1, `.` for 0, other numbers to two decimals.

    `numbers` are those of the planes if they are some of more. A plane that holds one number everywhere takes one line.
    *Raises:* ValueError if there is not one name a plane.
    """
    values = _checked(planes, names)
    constant, drawn = [], []
    for index, (number, name) in enumerate(zip(numbers or range(len(names)), names, strict=True)):
        plane = values[..., index]
        if (plane == plane.flat[0]).all():
            constant.append(f"{number:>3}  {name}: {_cell(plane.flat[0].item())} everywhere")
        else:
            drawn.append(_block(plane, f"{number}  {name}"))
    width = max((len(block[0]) for block in drawn), default=1)
    num_side_by_side = max(1, (TEXT_WIDTH + len(_GAP)) // (width + len(_GAP)))
    lines = []
    for start in range(0, len(drawn), num_side_by_side):
        row = drawn[start : start + num_side_by_side]
        lines += [_GAP.join(line.ljust(width) for line in parts).rstrip() for parts in zip(*row, strict=True)]
        lines.append("")
    return "\n".join(lines + constant).rstrip() + "\n"


def planes_figure(
    planes: Shaped[Array | np.ndarray, "rows columns num_planes"],
    names: Sequence[str],
    title: str | None = None,
    numbers: Sequence[int] | None = None,
) -> Figure:
    """The planes as a picture, row 0 on top, white 0 and black 1, or the plane's largest value if that is above 1.

    `numbers` are those of the planes if they are some of more. *Raises:* ValueError if there is not one name a plane.
    """
    values = _checked(planes, names)
    num_columns = min(NUM_COLUMNS, len(names))
    num_rows = math.ceil(len(names) / num_columns)
    figure = Figure(figsize=(PLANE_SIZE * num_columns, (PLANE_SIZE + 0.25) * num_rows), layout="constrained")
    if title:
        figure.suptitle(title)
    for index, (number, name) in enumerate(zip(numbers or range(len(names)), names, strict=True)):
        plane = values[..., index].astype(float)
        axes = figure.add_subplot(num_rows, num_columns, index + 1)
        axes.imshow(plane, cmap="Greys", vmin=min(0.0, plane.min()), vmax=max(1.0, plane.max()))
        axes.set_title(textwrap.fill(f"{number} {name}", TITLE_WIDTH), fontsize=7)
        # Lines between the points, none on them: a plane of ones must not look like an empty one.
        axes.set_xticks(np.arange(0.5, plane.shape[1] - 1), minor=True)
        axes.set_yticks(np.arange(0.5, plane.shape[0] - 1), minor=True)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(visible=True, which="minor", color="#bbbbbb", linewidth=0.4)
        axes.tick_params(which="minor", length=0)
    return figure


def _checked(planes: Shaped[Array | np.ndarray, "rows columns num_planes"], names: Sequence[str]) -> np.ndarray:
    values = np.asarray(planes)
    if values.shape[-1] != len(names):
        raise ValueError(f"got {values.shape[-1]} planes and {len(names)} names; wanted one name a plane")
    return values


def _block(plane: np.ndarray, heading: str) -> list[str]:
    """The heading and one line a row, all equally long."""
    cells = [[_cell(value) for value in row] for row in plane.tolist()]
    cell_width = max(len(cell) for row in cells for cell in row)
    rows = [" ".join(cell.rjust(cell_width) for cell in row) for row in cells]
    width = max(len(heading), *map(len, rows))
    return [line.ljust(width) for line in (heading, *rows)]


def _cell(value: float | int) -> str:
    if value in (0, 1):
        return "#" if value else "."
    return f"{value:.2f}".rstrip("0").rstrip(".")
