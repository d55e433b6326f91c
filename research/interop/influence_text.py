"""An influence map as text for people and for other programs: symbols, SGF, GoGui.

A map is [size, size], row 0 on top: 0 Black's, 1 White's, 0.5 open. As one vector it goes row by row from the bottom,
A1 first (`research.go.coords`, influence index).

| value | symbol |
|---|---|
| above 0.8 | O |
| above 0.6 | o |
| 0.4 to 0.6 | . |
| 0.2 to below 0.4 | x |
| below 0.2 | X |

GoGui and most other programs count the other way round, +1 for Black and -1 for White: 1 - 2 x.

*Source:* GoGui's documentation, "Analyze commands" (types dboard and gfx); SGF FF[4], properties C, LB, TB and TW.
"""

from typing import SupportsFloat

import numpy as np
from jaxtyping import Array, Float, Int, Int8

from research.go import coords
from research.go.rules import MAX_SIZE, MIN_SIZE
from research.interop import sgf

Map = Float[np.ndarray | Array, "rows columns"]

# In the maps' own precision, so that 0.8 is not above 0.8.
_SURE_WHITE, _WHITE, _OPEN, _BLACK = (float(np.float32(value)) for value in (0.8, 0.6, 0.4, 0.2))


def symbol(value: SupportsFloat) -> str:
    """The symbol of a value; a value on a boundary counts as the nearer to open."""
    rounded = float(np.float32(value))
    if rounded >= _OPEN:
        return "O" if rounded > _SURE_WHITE else "o" if rounded > _WHITE else "."
    return "x" if rounded >= _BLACK else "X"


def influence_text(influence: Map) -> str:
    """The symbols of a map with the board's coordinates around them."""
    values = checked(influence)
    size = len(values)
    letters = "   " + " ".join(coords.GTP_COLUMNS[:size])
    rows = [
        f"{size - row:>2} " + " ".join(symbol(value) for value in values[row]) + f" {size - row}" for row in range(size)
    ]
    return "\n".join([letters, *rows, letters]) + "\n"


def to_vector(influence: Map) -> Float[np.ndarray, " points"]:
    """The values from A1 on, row by row upwards."""
    return checked(influence)[::-1].reshape(-1)


def from_vector(vector: Float[np.ndarray | Array, " points"]) -> Float[np.ndarray, "size size"]:
    """The map of such a vector; *Raises:* ValueError if its length is no board's."""
    values = np.asarray(vector)
    size = round(len(values) ** 0.5)
    if size * size != len(values):
        raise ValueError(f"a vector of {len(values)} values is no board; wanted are size * size of them")
    return checked(values.reshape(size, size)[::-1])


def mark_node(node: sgf.Node, influence: Map) -> None:
    """Write a map into an SGF node: its text as a comment, sure points as territory, leaning ones with their symbol."""
    values = checked(influence)
    node.properties["C"] = ["\n".join([*node.properties.get("C", []), influence_text(values)])]
    marks: dict[str, list[str]] = {"TB": [], "TW": [], "LB": []}
    for row, column in np.ndindex(*values.shape):
        point, sign = coords.sgf_from_point((row, column), len(values)), symbol(values[row, column])
        if sign in "xo":
            marks["LB"].append(f"{point}:{sign}")
        elif sign in "XO":
            marks["TB" if sign == "X" else "TW"].append(point)
    for name, points in marks.items():
        node.properties.pop(name, None)  # of a map that was there before
        if points:
            node.properties[name] = points


def position_sgf(
    board: Int8[np.ndarray | Array, "size size"] | Int[np.ndarray | Array, "size size"], influence: Map
) -> bytes:
    """An SGF file of one position (0 empty, 1 black, 2 white) with its map."""
    stones = np.asarray(board)
    node = sgf.Node({"FF": ["4"], "GM": ["1"], "SZ": [str(len(stones))]})
    for name, colour in (("AB", 1), ("AW", 2)):
        points = [
            coords.sgf_from_point((int(row), int(column)), len(stones)) for row, column in np.argwhere(stones == colour)
        ]
        if points:
            node.properties[name] = points
    mark_node(node, influence)
    return sgf.write(node)


def gogui_board(influence: Map) -> str:
    """A map for a GoGui analyze command of type dboard: the rows from the top, 1 for Black, -1 for White."""
    values = 1.0 - 2.0 * checked(influence)
    return "\n".join(" ".join(f"{value:.3f}" for value in row) for row in values)


def gogui_graphics(influence: Map) -> str:
    """A map for one of type gfx: the points that lean to a side with their influence, 1 for Black, -1 for White."""
    values = 1.0 - 2.0 * checked(influence)
    points = [
        f"{coords.gtp_from_point((row, column), len(values))} {values[row, column]:.3f}"
        for row, column in np.ndindex(*values.shape)
        if f"{abs(values[row, column]):.3f}" != "0.000"
    ]
    return " ".join(["INFLUENCE", *points])


def checked(influence: Map) -> Float[np.ndarray, "size size"]:
    """The map on the host; *Raises:* ValueError if it is no square board's, or a value is not in 0..1."""
    values = np.asarray(influence)
    size = len(values)
    if values.shape != (size, size) or not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(
            f"a map has the shape {values.shape}; wanted is a square of {MIN_SIZE} to {MAX_SIZE} points a side"
        )
    if not ((values >= 0) & (values <= 1)).all():  # false for what is not finite too
        raise ValueError(f"a map's values must be in 0..1; these lie between {values.min()} and {values.max()}")
    return values
