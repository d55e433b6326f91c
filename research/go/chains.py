"""Chains of stones: which cells belong to given chains, which chains have one liberty, and all of it from scratch.

During a game the labels are kept up to date by moves.py. Whether a chain has exactly one liberty is then asked of at
most five chains a move, and needs no counting. Every empty cell has a code of twice as many bits as a cell number:
for each bit of the number either that bit or its complement is set. Or together the codes of a chain's liberties: one
liberty leaves exactly one of each pair of bits set, two or more differ somewhere and set both. So the chain has one
liberty exactly if the population count is the number of pairs.

From scratch (set-up positions, old boards, and as a check of the incremental labels) labels spread to neighbours of
one colour until nothing changes, and liberties are counted by scattering each empty cell to the chains around it.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, Int32

from research.go import grid as grids
from research.go.grid import Grid

NO_CHAIN = np.int16(32767)  # a chain id that no cell has


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
    codes, num_pairs = liberty_codes(grid)
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
    return lax.population_count(seen) == num_pairs


def liberty_codes(grid: Grid) -> tuple[np.ndarray, int]:
    """(Code of each cell, 0 off the board; the number of bit pairs in a code)."""
    num_pairs = (grid.num_cells - 1).bit_length()
    cells = np.arange(grid.num_cells)
    codes = sum(np.where(cells >> bit & 1, 1 << bit, 1 << (bit + num_pairs)) for bit in range(num_pairs))
    return (codes * grid.on_board).astype(np.uint16 if 2 * num_pairs <= 16 else np.uint32), num_pairs


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
