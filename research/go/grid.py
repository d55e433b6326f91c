"""The board as one flat vector with an empty border, so that neighbours are plain slices.

A board of `size` rows lies in a mailbox of (size + 2) rows of width size + 1: point (row, column) is cell
(row + 1) * width + column. The first and the last row and the last column are off the board; one column is enough,
because the cell left of column 0 is the off-board cell that ends the row above. The cells of the board's rows are the
*band*, and its four neighbours are four static slices of the mailbox: no padding, rolling or gathering, which both
XLA:CPU and a TPU vectorise at once.

Reductions are unrolled into a tree over slices of one row each, with one short reduce at the end. XLA:CPU turns any
reduce over more than 32 elements into a chain of windowed reduces, which is several times slower. A TPU reduces at
once; there each slice would be a kernel of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, Shaped, UInt32

MAX_SLICES = 64  # of an unrolled reduction
REDUCE_LANES = 32  # longest reduce that XLA:CPU keeps as one loop


@dataclass(frozen=True)
class Grid:
    """The mailbox of a board; static, so it is closed over by jitted functions."""

    size: int  # points a side

    @property
    def width(self) -> int:
        """Cells in a mailbox row."""
        return self.size + 1

    @property
    def num_cells(self) -> int:
        """Cells of the whole mailbox, at most 420 (19x19), so a cell fits in 9 bits."""
        return (self.size + 2) * self.width

    @property
    def num_points(self) -> int:
        """Points of the board, which is also the action number of a pass."""
        return self.size * self.size

    @property
    def band(self) -> slice:
        """The mailbox rows that hold the board, each with its off-board cell at the end."""
        return slice(self.width, self.width + self.size * self.width)

    @property
    def offsets(self) -> np.ndarray:
        """What to add to a cell for the one on its left, right, above and below, int32[4]."""
        return np.array([-1, 1, -self.width, self.width], np.int32)

    @cached_property
    def cells(self) -> np.ndarray:
        """Cell of each point, int32[size * size]."""
        points = np.arange(self.num_points, dtype=np.int32)
        return points + points // self.size + self.width

    @cached_property
    def on_board(self) -> np.ndarray:
        """Which cells are points of the board, bool[num_cells]."""
        mask = np.zeros(self.num_cells, bool)
        mask[self.cells] = True
        return mask

    @cached_property
    def band_cells(self) -> np.ndarray:
        """Cell number of each element of the band, int16."""
        return np.arange(self.num_cells, dtype=np.int16)[self.band]


def cell_of(grid: Grid, action: Int[Array, ""]) -> Int[Array, ""]:
    """Cell of the point `action` in [0, size * size)."""
    return action + lax.div(action, jnp.int32(grid.size)) + grid.width


def neighbours(grid: Grid, values: Shaped[Array, " cells"]) -> tuple[Array, Array, Array, Array]:
    """What lies left, right, above and below each cell of the band; four views of `values`."""
    width, length = grid.width, grid.size * grid.width
    starts = (width - 1, width + 1, 0, 2 * width)
    left, right, above, below = (values[start : start + length] for start in starts)
    return left, right, above, below


def with_more_rows(grid: Grid, values: Shaped[Array, " cells"]) -> Shaped[Array, " longer"]:
    """`values` with their empty first and last rows doubled: what lies two steps from a point is among them.

    Copies of rows, for XLA:CPU pads element by element.
    """
    return jnp.concatenate([values[: grid.width], values, values[-grid.width :]])


def any_neighbour(grid: Grid, values: Shaped[Array, " cells"]) -> Shaped[Array, " band"]:
    """Bitwise or over the four neighbours of each cell of the band."""
    left, right, above, below = neighbours(grid, values)
    return left | right | above | below


def flood(
    grid: Grid,
    combine: Callable,
    values: Sequence[UInt32[Array, " cells"]],
    inside: Sequence[Bool[Array, " cells"]],
) -> tuple[UInt32[Array, " cells"], ...]:
    """Each of `values` combined (lax.max or lax.bitwise_or) over every connected part of its `inside`; 0 outside.

    All share one loop, but as arrays of their own: stacked, a TPU lays cells along its lanes, where shifts are slow.
    """
    values = tuple(jnp.where(mask, value, jnp.uint32(0)) for value, mask in zip(values, inside, strict=True))

    def spread(carry):
        values, _ = carry
        wider, is_changed = [], jnp.bool_(False)
        for value, mask in zip(values, inside, strict=True):
            band = reduce(combine, neighbours(grid, value), value[grid.band])
            band = jnp.where(mask[grid.band], band, jnp.uint32(0))
            is_changed |= any_cell(grid, band != value[grid.band])
            wider.append(value.at[grid.band].set(band))
        return tuple(wider), is_changed

    values, _ = lax.while_loop(lambda carry: carry[1], spread, (values, jnp.bool_(True)))
    return values


def flood_rows(
    reach: UInt32[Array, "boards size"], inside: UInt32[Array, "*boards size"]
) -> UInt32[Array, "boards size"]:
    """Packed boards `reach` and all that they reach by points of `inside`; no trip of the loop if that is empty."""

    def spread(carry):
        reach, _ = carry
        wider = reach | beside_rows(reach) & inside
        return wider, (wider != reach).any()

    reach, _ = lax.while_loop(lambda carry: carry[1], spread, (reach, inside.any()))
    return reach


def to_points(grid: Grid, band: Shaped[Array, " band"]) -> Shaped[Array, "size size"]:
    """The board's points out of the band."""
    return band.reshape(grid.size, grid.width)[:, : grid.size]


def to_cells(grid: Grid, points: Shaped[Array, "size size"]) -> Shaped[Array, " cells"]:
    """A mailbox that holds `points` and zeros (False) off the board."""
    return jnp.pad(points, ((1, 1), (0, 1))).reshape(grid.num_cells)


def from_band(grid: Grid, band: Shaped[Array, " band"]) -> Shaped[Array, " cells"]:
    """The mailbox of a band, with zeros (False) in its first and last row."""
    return jnp.pad(band, grid.width)


def pack_rows(grid: Grid, mask: Bool[Array, " band"]) -> UInt32[Array, " size"]:
    """One word a board row, bit c for column c."""
    bits = np.uint32(1) << np.arange(grid.size, dtype=np.uint32)
    return jnp.where(to_points(grid, mask), bits, np.uint32(0)).sum(1, dtype=jnp.uint32)


def unpack_rows(grid: Grid, rows: UInt32[Array, " size"]) -> Bool[Array, "size size"]:
    """The points of a packed board."""
    return (rows[:, None] >> np.arange(grid.size, dtype=np.uint32) & 1) > 0


def pack_cell(grid: Grid, cell: Int[Array, ""]) -> UInt32[Array, " size"]:
    """The packed board with only the point `cell` set."""
    column = cell - grid.width * np.arange(1, grid.size + 1, dtype=np.int32)
    is_row = (column >= 0) & (column < grid.size)
    return jnp.where(is_row, np.uint32(1) << jnp.where(is_row, column, 0).astype(jnp.uint32), np.uint32(0))


def reduce_slices(
    combine: Callable,
    initial: int | bool | np.integer,
    value_of: Callable,
    *arrays: Array | np.ndarray,
    lanes: int = REDUCE_LANES,
) -> Array:
    """`combine` over value_of(*arrays) along the last axis.

    `value_of` is applied to each slice of `lanes` elements, so that its compares and selects are part of the
    unrolled tree. `initial` is the neutral element of `combine`.
    """

    def at_once(*arrays: Array | np.ndarray) -> Array:
        values = value_of(*arrays)
        return lax.reduce(values, np.array(initial, values.dtype), combine, (values.ndim - 1,))

    def unrolled(*arrays: Array | np.ndarray) -> Array:
        return _reduce_unrolled(combine, initial, value_of, arrays, lanes)

    return lax.platform_dependent(*arrays, tpu=at_once, default=unrolled)


def any_cell(grid: Grid, mask: Bool[Array, "..."]) -> Bool[Array, ""]:
    """Whether any element of a band or a mailbox is set."""
    return reduce_slices(lax.bitwise_or, False, lambda part: part, mask, lanes=grid.width)


def beside_rows(rows: UInt32[Array, "boards size"]) -> UInt32[Array, "boards size"]:
    """The neighbours of each packed board's points, off-board columns included."""
    edge = jnp.zeros((len(rows), 1), jnp.uint32)
    above = jnp.concatenate([edge, rows[:, :-1]], axis=1)
    below = jnp.concatenate([rows[:, 1:], edge], axis=1)
    return rows << 1 | rows >> 1 | above | below


def _reduce_unrolled(
    combine: Callable,
    initial: int | bool | np.integer,
    value_of: Callable,
    arrays: Sequence[Array | np.ndarray],
    lanes: int,
) -> Array:
    """`reduce_slices` as a tree over slices."""
    length = arrays[0].shape[-1]
    # Very long vectors take wider slices, or the program would grow with them.
    lanes = max(lanes, -(-length // MAX_SLICES))
    parts = [value_of(*(array[..., start : start + lanes] for array in arrays)) for start in range(0, length, lanes)]
    if length % lanes:
        parts[-1] = jnp.pad(
            parts[-1], [(0, 0)] * (parts[-1].ndim - 1) + [(0, lanes - length % lanes)], constant_values=initial
        )
    while len(parts) > 1:
        pairs = [combine(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    total = parts[0]
    if lanes > REDUCE_LANES:
        return _reduce_unrolled(combine, initial, lambda part: part, (total,), REDUCE_LANES)
    return lax.reduce(total, np.array(initial, total.dtype), combine, (total.ndim - 1,))
