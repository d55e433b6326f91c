"""Boards packed as one word a row, bit c being column c: what encoders do to all points at once in a few words.

A word holds a whole row, so a neighbour on the left or right is a shift by one bit and one above or below is the next
word. Nineteen words do what takes 361 values otherwise; what is on the board once packed stays so until it is drawn.

*Source:* none; bitboards are common in chess programs.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

Rows = UInt32[Array, " size"]


def column_bits(size: int) -> np.ndarray:
    """The bit of each column, uint32[size]."""
    return np.uint32(1) << np.arange(size, dtype=np.uint32)


def pack_points(points: Bool[Array, "size size"]) -> Rows:
    """A board of yes and no, packed."""
    return jnp.where(points, column_bits(points.shape[0]), np.uint32(0)).sum(1, dtype=jnp.uint32)


def point_rows(action: Int[Array, ""], size: int) -> Rows:
    """The packed board with only the point `action` set; empty for what is no point (a pass, no move)."""
    action = action.astype(jnp.int32)
    is_point = (action >= 0) & (action < size * size)
    row = jnp.where(is_point, action // size, -1)
    column = jnp.where(is_point, action % size, 0).astype(jnp.uint32)
    return jnp.where(np.arange(size, dtype=np.int32) == row, jnp.uint32(1) << column, jnp.uint32(0))


def empty_points(stones: UInt32[Array, "2 size"]) -> Rows:
    """The points of the board without a stone."""
    return ~(stones[0] | stones[1]) & np.uint32((1 << stones.shape[1]) - 1)


def any_beside(rows: Rows) -> Rows:
    """The points with a set point next to them, beyond the last column too."""
    left, right, above, below = _sides(rows)
    return left | right | above | below


def one_beside(rows: Rows) -> Rows:
    """The points with exactly one set point next to them, beyond the last column too."""
    left, right, above, below = _sides(rows)
    one, other = left ^ right, above ^ below
    return (one ^ other) & ~(left & right) & ~(above & below)


def _sides(rows: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """What lies left, right, above and below of each point."""
    edge = jnp.zeros(1, jnp.uint32)
    above = jnp.concatenate([edge, rows[:-1]])
    below = jnp.concatenate([rows[1:], edge])
    return rows << 1, rows >> 1, above, below
