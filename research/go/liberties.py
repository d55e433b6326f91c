"""Liberties and stones of every chain at once, exactly, however many there are.

Each empty point beside a chain is credited to one stone of it, the first of the chain's stones around the point in the
order left, right, above, below. So no liberty counts twice, a stone is credited at most four, and what a chain has is
a plain sum over its stones. Both sums (credits and ones) are taken together, as two halves of one word, and handed
back to all stones of the chain.

*Source:* own design.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Int16, Int32

from research.go import grid as grids
from research.go.grid import Grid

LIBERTY_BITS = 9  # of the word that holds both sums: a chain on 19x19 has fewer than 361 liberties


class ChainCounts(NamedTuple):
    """What the chain of each cell's stone has; 0 where there is no stone."""

    liberties: Int16[Array, " cells"]
    stones: Int16[Array, " cells"]


def liberty_counts(grid: Grid, label: Int16[Array, " cells"]) -> Int16[Array, " cells"]:
    """Liberties of the chain of each cell's stone, 0 where there is none."""
    return chain_counts(grid, label).liberties


def chain_sizes(grid: Grid, label: Int16[Array, " cells"]) -> Int16[Array, " cells"]:
    """Stones of the chain of each cell's stone, 0 where there is none."""
    return chain_counts(grid, label).stones


def chain_counts(grid: Grid, label: Int16[Array, " cells"]) -> ChainCounts:
    """Liberties and stones of the chain of each cell's stone."""
    words = jnp.where(label == 0, 0, credited_liberties(grid, label).astype(jnp.int32) + (1 << LIBERTY_BITS))
    totals = _sum_over_chains(grid, label, words)
    return ChainCounts(
        liberties=(totals & ((1 << LIBERTY_BITS) - 1)).astype(jnp.int16),
        stones=(totals >> LIBERTY_BITS).astype(jnp.int16),
    )


def credited_liberties(grid: Grid, label: Int16[Array, " cells"]) -> Int16[Array, " cells"]:
    """Liberties of its chain that are credited to each cell's stone: 0 to 4, and 0 where there is no stone."""
    near = grids.neighbours(grid, label)
    is_liberty = (label[grid.band] == 0) & grid.on_board[grid.band]
    credited = jnp.zeros_like(label)
    for direction, chain in enumerate(near):
        is_first = is_liberty & (chain != 0)
        for earlier in near[:direction]:
            is_first = is_first & (chain != earlier)
        start = grid.width + int(grid.offsets[direction])
        credited = credited.at[start : start + len(grid.band_cells)].add(is_first.astype(jnp.int16))
    return credited


def _sum_over_chains(
    grid: Grid, label: Int16[Array, " cells"], words: Int32[Array, " cells"]
) -> Int32[Array, " cells"]:
    """Sum of `words` over the chain of each cell's stone; 0 where there is none."""
    ids = jnp.abs(label).astype(jnp.int32)
    totals = jnp.zeros(grid.num_cells, jnp.int32).at[ids].add(words, mode="promise_in_bounds")
    return totals.at[ids].get(mode="promise_in_bounds")
