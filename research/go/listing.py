"""The few points of a board that need dear work, as a short list instead of a mask.

A mask over the whole board costs a test at every point; what is asked about a dozen points only is cheaper asked of a
list. The list's length is fixed, so a longer one is read piece by piece, and nothing is ever left out.

The n-th point of a packed board is found without sorting and without a running count over the points: a count of the
bits in each row's word tells its row, and the n-th bit of a word is found by halving it five times.

*Source:* selecting the n-th set bit by halving is folklore (e.g. S. E. Anderson, "Bit Twiddling Hacks").
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32

from research.go.grid import Grid

WORD_BITS = 32


class Listing(NamedTuple):
    """Some points of a board, in reading order, `length` of them at a time."""

    cells: Int32[Array, " length"]  # where they are, the first point of the board in places that are left over
    is_point: Bool[Array, " length"]  # the place is not left over


def num_listed(rows: UInt32[Array, " size"]) -> Int32[Array, ""]:
    """How many points a packed board has."""
    return lax.population_count(rows).sum(dtype=jnp.uint32).astype(jnp.int32)


def list_points(grid: Grid, rows: UInt32[Array, " size"], first: Int32[Array, ""], length: int) -> Listing:
    """The points of the packed board `rows` from number `first` on, `length` of them."""
    counts = lax.population_count(rows).astype(jnp.int32)
    rank = first + np.arange(length, dtype=np.int32)
    # A place's row comes after those that end before it; unrolled, so that the places are the lanes.
    row, before, end = jnp.zeros_like(rank), jnp.zeros_like(rank), jnp.int32(0)
    word = jnp.broadcast_to(rows[0], rank.shape)
    for index in range(grid.size):
        end = end + counts[index]
        is_beyond = rank >= end
        row = row + is_beyond
        before = jnp.where(is_beyond, end, before)
        if index + 1 < grid.size:
            word = jnp.where(is_beyond, rows[index + 1], word)
    is_point = row < grid.size
    column = jnp.where(is_point, _nth_bit(word, rank - before), 0)
    return Listing((jnp.where(is_point, row, 0) + 1) * grid.width + column, is_point)


def _nth_bit(word: UInt32[Array, " length"], rank: Int32[Array, " length"]) -> Int32[Array, " length"]:
    """Number of the bit of `word` that has `rank` set bits below it."""
    position = jnp.zeros_like(rank)
    width = WORD_BITS // 2
    while width:
        low = (word >> position.astype(jnp.uint32)) & np.uint32((1 << width) - 1)
        below = lax.population_count(low).astype(jnp.int32)
        is_higher = rank >= below
        rank = rank - jnp.where(is_higher, below, 0)
        position = position + jnp.where(is_higher, width, 0)
        width //= 2
    return position
