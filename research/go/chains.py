"""Chains of stones: which cells belong to given chains, which chains have one liberty, and all of it from scratch.

During a game the labels are kept up to date by moves.py. Whether a chain has exactly one liberty is then asked of at
most five chains a move, and needs no counting. Every empty point has a code, a word of few bits of which always the
same number are set: 5 of 11 at 19x19, which makes 462 codes for 361 points. Or together the codes of a chain's
liberties: one liberty leaves as many bits set as a code has, two or more, since their codes differ, leave more. So the
chain has one liberty exactly if the population count is that of a code.

From scratch (set-up positions, old boards, and as a check of the incremental labels) labels spread to neighbours of
one colour until nothing changes, and liberties are counted by scattering each empty cell to the chains around it.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, Int32

from research.go import grid as grids
from research.go.grid import Grid

NO_CHAIN = np.int16(32767)  # a chain id that no cell has
WORD_BITS = 16  # of a liberty's code


def is_member(label: Int16[Array, " cells"], ids: Int16[Array, " num_ids"]) -> Bool[Array, " cells"]:
    """Which cells belong to one of the chains `ids`."""
    mask = label == ids[0]
    for index in range(1, ids.shape[0]):
        mask = mask | (label == ids[index])
    return mask


def has_one_liberty(
    grid: Grid, label: Int16[Array, " cells"], ids: Int16[Array, " num_ids"]
) -> Bool[Array, " num_ids"]:
    """Whether each of the chains `ids` has exactly one liberty; False for NO_CHAIN."""
    codes, weight = liberty_codes(grid)
    none = codes.dtype.type(0)
    near = grids.any_neighbour(grid, jnp.where(label == 0, codes, none))
    seen = grids.reduce_slices(
        lax.bitwise_or,
        0,
        lambda part, code: jnp.where(part[None] == ids[:, None], code[None], none),
        label[grid.band],
        near,
        lanes=grid.width,
    )
    return lax.population_count(seen) == weight


def liberty_codes(grid: Grid) -> tuple[np.ndarray, int]:
    """(Code of each cell, 0 off the board; how many bits of a code are set)."""
    num_bits = next(bits for bits in range(1, WORD_BITS) if math.comb(bits, bits // 2) >= grid.num_points)
    weight = num_bits // 2
    words = [word for word in range(1 << num_bits) if word.bit_count() == weight]
    codes = np.zeros(grid.num_cells, np.uint16)
    codes[grid.cells] = words[: grid.num_points]
    return codes, weight


def label_chains(grid: Grid, stones: Int8[Array, "size size"]) -> Int16[Array, " cells"]:
    """Labels of a board (0 empty, 1 black, 2 white) from scratch; a chain's id is its highest cell."""
    colour = grids.to_cells(grid, stones)
    band_colour = colour[grid.band]
    same = [near == band_colour for near in grids.neighbours(grid, colour)]
    ids = jnp.where(colour > 0, jnp.arange(grid.num_cells, dtype=jnp.int16), jnp.int16(0))

    def spread(carry):
        ids, _ = carry
        band = ids[grid.band]
        highest = band
        for near, is_same in zip(grids.neighbours(grid, ids), same, strict=True):
            highest = jnp.maximum(highest, jnp.where(is_same, near, jnp.int16(0)))
        return ids.at[grid.band].set(highest), grids.any_cell(grid, highest != band)

    ids, _ = lax.while_loop(lambda carry: carry[1], spread, (ids, jnp.bool_(True)))
    return jnp.where(colour == 2, -ids, ids)


def stones_of(grid: Grid, label: Int16[Array, " cells"]) -> Int8[Array, "size size"]:
    """The board of labelled chains: 0 empty, 1 black, 2 white."""
    points = grids.to_points(grid, label[grid.band])
    return jnp.where(points > 0, 1, jnp.where(points < 0, 2, 0)).astype(jnp.int8)


def count_liberties(grid: Grid, label: Int16[Array, " cells"]) -> Int32[Array, " cells"]:
    """Liberties of the chain of each cell's stone, from scratch; 0 where there is no stone."""
    is_liberty = (label[grid.band] == 0) & grid.on_board[grid.band]
    chains = [jnp.abs(near).astype(jnp.int32) for near in grids.neighbours(grid, label)]
    counts = jnp.zeros(grid.num_cells, jnp.int32)
    for index, chain in enumerate(chains):
        is_new = is_liberty & (chain > 0)
        for earlier in chains[:index]:
            is_new = is_new & (chain != earlier)
        counts = counts.at[chain].add(is_new.astype(jnp.int32))
    return jnp.where(label == 0, 0, counts[jnp.abs(label).astype(jnp.int32)])
