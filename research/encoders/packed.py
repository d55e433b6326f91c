"""Boards packed as one word a row, bit c being column c: what encoders do to all points at once in a few words.

A word holds a whole row, so a neighbour on the left or right is a shift by one bit and one above or below is the next
word. Nineteen words do what takes 361 values otherwise; what is on the board once packed stays so until it is drawn.

*Source:* none; bitboards are common in chess programs.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, UInt32


def column_bits(size: int) -> np.ndarray:
    """The bit of each column, uint32[size]."""
    return np.uint32(1) << np.arange(size, dtype=np.uint32)


def pack_points(points: Bool[Array, "size size"]) -> UInt32[Array, " size"]:
    """A board of yes and no, packed."""
    return jnp.where(points, column_bits(points.shape[0]), np.uint32(0)).sum(1, dtype=jnp.uint32)


def point_rows(actions: Int[Array, " num_actions"], size: int) -> UInt32[Array, "num_actions size"]:
    """A packed board for each action with only its point set; empty for what is no point (a pass, no move)."""
    actions = actions.astype(jnp.int32)
    is_point = (actions >= 0) & (actions < size * size)
    row = lax.div(actions, jnp.int32(size))
    column = jnp.where(is_point, actions - row * size, 0).astype(jnp.uint32)
    bit = jnp.where(is_point, jnp.uint32(1) << column, jnp.uint32(0))
    return jnp.where(row[:, None] == np.arange(size, dtype=np.int32), bit[:, None], jnp.uint32(0))


def all_points(size: int) -> np.uint32:
    """The word of a row whose points are all set."""
    return np.uint32((1 << size) - 1)


def empty_points(stones: UInt32[Array, "2 size"]) -> UInt32[Array, " size"]:
    """The points of the board without a stone."""
    return ~(stones[0] | stones[1]) & all_points(stones.shape[1])


def mirrored(boards: UInt32[Array, "num_boards size"]) -> UInt32[Array, "num_boards size"]:
    """The boards with left and right exchanged."""
    # Neighbouring bits are exchanged, then neighbouring pairs, and so on: all thirty-two in reverse order.
    for width, low in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        boards = boards >> width & np.uint32(low) | (boards & np.uint32(low)) << width
    return boards >> (32 - boards.shape[1])


def transposed(boards: UInt32[Array, "num_boards size"]) -> UInt32[Array, "num_boards size"]:
    """The boards with rows and columns exchanged."""
    size = boards.shape[1]
    row, column = np.arange(size, dtype=np.uint32)[:, None], np.arange(size, dtype=np.uint32)
    return ((boards[:, :, None] >> column & 1) << row).sum(1, dtype=jnp.uint32)


def any_beside(boards: UInt32[Array, "num_boards size"]) -> UInt32[Array, "num_boards size"]:
    """The points with a set point next to them, beyond the last column too."""
    left, right, above, below = _sides(boards)
    return left | right | above | below


def one_beside(boards: UInt32[Array, "num_boards size"]) -> UInt32[Array, "num_boards size"]:
    """The points with exactly one set point next to them, beyond the last column too."""
    left, right, above, below = _sides(boards)
    # An odd number is one or three, and three hold one of the two pairs.
    return (left ^ right ^ above ^ below) & ~(left & right) & ~(above & below)


def _sides(boards: UInt32[Array, "num_boards size"]) -> tuple[UInt32[Array, "num_boards size"], ...]:
    """What lies left, right, above and below each point."""
    rows = jnp.pad(boards, ((0, 0), (1, 1)))
    return boards << 1, boards >> 1, rows[:, :-2], rows[:, 2:]
