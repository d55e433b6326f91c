"""Liberties and stones of every chain at once, exactly, however many there are.

Each empty point beside a chain is credited to one stone of it, the first of the chain's stones around the point in the
order left, right, above, below. So no liberty counts twice, a stone is credited at most four, and what a chain has is
a plain sum over its stones. Both sums (credits and ones) are taken together, as two halves of one word, and handed
back to all stones of the chain.

*Source:* own design.
"""

from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int16, Int32

from research.go import grid as grids
from research.go.grid import Grid
from research.go.settled import settled

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
    is_stone = label[grid.band] != 0
    words = jnp.where(is_stone, credited_liberties(grid, label) + np.int32(1 << LIBERTY_BITS), 0)
    # The scatter's own indices are what XLA:CPU would otherwise work these out by, one at a time.
    totals = _sum_over_chains(grid, label, settled(words, label[0]))
    # Settled, or whatever reads one would work in words twice as long.
    return settled(
        ChainCounts(
            liberties=(totals & ((1 << LIBERTY_BITS) - 1)).astype(jnp.int16),
            stones=(totals >> LIBERTY_BITS).astype(jnp.int16),
        ),
        label[0],
    )


def credited_liberties(grid: Grid, label: Int16[Array, " cells"]) -> Int32[Array, " band"]:
    """Empty points beside each stone that are credited to it and to no other stone of its chain: 0 to 4."""
    length = len(grid.band_cells)
    padded, on_board = grids.with_more_rows(grid, label), np.pad(grid.on_board, grid.width)

    def at(step: int):
        return padded[2 * grid.width + step : 2 * grid.width + step + length]

    steps = [int(step) for step in grid.offsets]
    credited = jnp.zeros(length, jnp.int32)
    for step in steps:
        start = 2 * grid.width + step
        is_credited = (at(step) == 0) & on_board[start : start + length]
        # The stone lies on side -step of the empty point; the sides before that one come first.
        for earlier in steps[: steps.index(-step)]:
            is_credited = is_credited & (at(step + earlier) != at(0))
        credited = credited + is_credited
    return credited


def _sum_over_chains(grid: Grid, label: Int16[Array, " cells"], words: Int32[Array, " band"]) -> Int32[Array, " cells"]:
    """Sum of `words`, which are 0 but for stones, over the chain of each cell's stone; 0 where there is none."""
    # A TPU takes a hundred cycles for each index of a scatter and a few for a thousand compares; not so a CPU.
    return lax.platform_dependent(
        label, words, tpu=partial(_sum_by_compare, grid), default=partial(_sum_by_index, grid)
    )


def _sum_by_index(grid: Grid, label: Int16[Array, " cells"], words: Int32[Array, " band"]) -> Int32[Array, " cells"]:
    """The sums, each word being added at its chain's id and the total read there."""
    ids = jnp.abs(label).astype(jnp.int32)
    totals = jnp.zeros(grid.num_cells, jnp.int32)
    totals = totals.at[ids[grid.band]].add(words, mode="drop", wrap_negative_indices=False)
    return totals.at[ids].get(mode="clip", wrap_negative_indices=False)


def _sum_by_compare(grid: Grid, label: Int16[Array, " cells"], words: Int32[Array, " band"]) -> Int32[Array, " cells"]:
    """The sums, every cell being compared with every other; what is no stone has no word to add."""
    label = label.astype(jnp.int32)
    return jnp.where(label[grid.band][:, None] == label, words[:, None], 0).sum(0)
