"""Pass-alive chains and areas, under both suicide rules, of any position, and the area map that is built on them.

A chain is pass-alive if the opponent cannot capture it even though its owner always passes. For one colour, *regions*
are the connected sets of points without a stone of that colour, grown from empty points. A region is *vital* to a chain
if each of its empty points is next to the chain; where suicide is legal, so that a region can be filled to the last
point, if each of its points is. Chains with fewer than two vital regions are struck off, with them the regions that
they border on, until nothing changes: what is left is alive. A region among alive chains alone is territory if at most
one of its points is not next to the colour's stones, as nobody can make two eyes there.

On the device there are no lists of chains and regions, and no matrix of them, which would be large and mostly empty.
All is told by floods: every point repeatedly takes the maximum, or the or, of its own word and its neighbours'. What
makes few and narrow floods do:

- A region's name is its highest empty cell, found by a maximum. A chain that the region is vital to is next to that
  cell, so there are at most four; their ids stand below the name in the same word and travel with it.
- Every point then says which of the four it is not next to. One or over the region collects that, whether an enemy
  stone is inside, and whether two points or more are not next to own stones.
- "At least two" needs no count. The code of a cell number sets, for every bit of it, either that bit or its complement;
  the or of several codes has one bit of each pair exactly if all were the same (as in chains.py). So the or of the
  vital regions' codes over a chain tells whether there are two of them.

Both colours share every loop. A flood takes as many trips as the longest way inside a region or a chain, the striking
off hardly ever more than four.

*Source:* D. B. Benson, Life in the game of Go, Information Sciences 10 (1976), 17-29; the names of the options and what
they mean follow KataGo's Board::calculateArea.
"""

from functools import reduce
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, UInt32

from research.go import grid as grids
from research.go.chains import stones_of
from research.go.grid import Grid

ZERO = np.uint32(0)


class Areas(NamedTuple):
    """What each colour (0 black, 1 white) has."""

    chains: Bool[Array, "2 size size"]  # stones of pass-alive chains
    small: Bool[Array, "2 size size"]  # regions among pass-alive chains, at most one point not next to own stones
    big: Bool[Array, "2 size size"]  # regions among pass-alive chains, without an enemy stone
    unsafe: Bool[Array, "2 size size"]  # empty regions that border on this colour's stones alone, alive or not


class _Regions(NamedTuple):
    """Of the region that each point lies in, 0 or False where none is."""

    code: UInt32[Array, "2 cells"]  # that no other region has
    vital: UInt32[Array, "4 2 cells"]  # ids of the chains that it is vital to, 0 in the other places
    is_small: Bool[Array, "2 cells"]  # at most one point is not next to own stones
    has_enemy: Bool[Array, "2 cells"]


def areas(grid: Grid, label: Int16[Array, " cells"], suicide: Bool[Array, ""] | bool) -> Areas:
    """The areas of the board whose chains are labelled `label` (+ black, - white), where every chain has a liberty."""
    signs = np.array([[1], [-1]], np.int16)
    own = jnp.maximum(label * signs, 0).astype(jnp.uint32)
    is_own = own > 0
    is_free = ~is_own & grid.on_board
    regions = _regions(grid, own, is_free, label == 0, suicide)
    alive, is_safe = _strike_off(grid, own, is_free, regions)
    has_stones = grids.any_cell(grid, is_own)[:, None]
    is_region = is_free & (regions.code > 0) & has_stones
    on_cells = Areas(
        chains=alive,
        small=is_region & is_safe & regions.is_small,
        big=is_region & is_safe & ~regions.has_enemy,
        unsafe=is_region & ~regions.has_enemy,
    )
    return Areas(*(grids.to_points(grid, part[:, grid.band]) for part in on_cells))


def area_map(
    grid: Grid,
    label: Int16[Array, " cells"],
    suicide: Bool[Array, ""] | bool,
    safe_big_territories: bool = True,
    unsafe_big_territories: bool = True,
    non_pass_alive_stones: bool = True,
) -> Int8[Array, "size size"]:
    """Whose each point of the board with the chains `label` is; the options are those of `owners`."""
    parts = areas(grid, label, suicide)
    stones = stones_of(grid, label)
    return owners(parts, stones, safe_big_territories, unsafe_big_territories, non_pass_alive_stones)


def owners(
    parts: Areas,
    stones: Int8[Array, "size size"],
    safe_big_territories: bool = True,
    unsafe_big_territories: bool = True,
    non_pass_alive_stones: bool = True,
) -> Int8[Array, "size size"]:
    """Whose each point is: 0 nobody's, 1 black's, 2 white's; with all options on KataGo's area.

    Pass-alive chains and their small territory always count, enemy stones in it included. Beside them
    `safe_big_territories`: empty regions among pass-alive chains; `unsafe_big_territories`: other empty regions of one
    colour's; `non_pass_alive_stones`: stones on points that are nobody's otherwise.
    """
    owner = jnp.zeros_like(stones)
    for colour in (0, 1):
        number = jnp.int8(colour + 1)
        is_safe = parts.chains[colour] | parts.small[colour]
        if safe_big_territories:
            is_safe |= parts.big[colour]
        owner = jnp.where(is_safe, number, owner)
        if unsafe_big_territories:
            owner = jnp.where(parts.unsafe[colour] & (owner == 0), number, owner)
    return jnp.where(owner == 0, stones, owner) if non_pass_alive_stones else owner


def _regions(
    grid: Grid,
    own: UInt32[Array, "2 cells"],
    is_free: Bool[Array, "2 cells"],
    is_empty: Bool[Array, " cells"],
    suicide: Bool[Array, ""] | bool,
) -> _Regions:
    """The regions of both colours, whose stones have the chain ids `own`."""
    num_bits = _num_bits(grid)
    near = grids.neighbours(grid, own)
    cell = np.arange(grid.num_cells, dtype=np.uint32)
    is_start = is_free & is_empty
    names = jnp.where(is_start, cell, ZERO)[:, grid.band] << 2 * num_bits
    pairs = jnp.stack([near[0] << num_bits | near[1], near[2] << num_bits | near[3]])
    words = _to_cells(grid, jnp.where(is_start[:, grid.band], names | pairs, ZERO))
    words = grids.flood(grid, lax.max, words, jnp.broadcast_to(is_free, words.shape))
    low = np.uint32((1 << num_bits) - 1)
    name = words[0] >> 2 * num_bits
    candidates = [words[0] >> num_bits & low, words[0] & low, words[1] >> num_bits & low, words[1] & low]

    band_free = is_free[:, grid.band]
    must_touch = band_free & (is_start[:, grid.band] | suicide)
    touches_own = reduce(jnp.logical_or, (beside > 0 for beside in near))
    facts = jnp.where(band_free & ~touches_own, _code(cell[grid.band], num_bits), ZERO)
    facts |= jnp.where(band_free & ~is_start[:, grid.band], np.uint32(1 << 2 * num_bits), ZERO)
    for number, candidate in enumerate(candidates):
        is_beside = reduce(jnp.logical_or, (beside == candidate[:, grid.band] for beside in near))
        facts |= jnp.where(must_touch & ~is_beside, np.uint32(2 << 2 * num_bits + number), ZERO)
    facts = grids.flood(grid, lax.bitwise_or, _to_cells(grid, facts), is_free)
    inner = facts & np.uint32((1 << 2 * num_bits) - 1)
    vital = [
        jnp.where(facts & np.uint32(2 << 2 * num_bits + number), ZERO, candidate)
        for number, candidate in enumerate(candidates)
    ]
    return _Regions(
        code=jnp.where(name > 0, _code(name, num_bits), ZERO),
        vital=jnp.stack(vital),
        is_small=lax.population_count(inner) <= num_bits,
        has_enemy=(facts & np.uint32(1 << 2 * num_bits)) > 0,
    )


def _strike_off(
    grid: Grid, own: UInt32[Array, "2 cells"], is_free: Bool[Array, "2 cells"], regions: _Regions
) -> tuple[Bool[Array, "2 cells"], Bool[Array, "2 cells"]]:
    """(Stones of the chains that stay alive, points of the regions that border on those alone)."""
    num_bits = _num_bits(grid)
    is_own = own > 0
    codes = grids.neighbours(grid, regions.code)
    vital = grids.neighbours(grid, regions.vital)
    own_band = own[:, grid.band]
    vital_codes = [
        jnp.where((own_band > 0) & (ids == own_band).any(0), code, ZERO) for code, ids in zip(codes, vital, strict=True)
    ]

    def strike(carry):
        alive, _, _ = carry
        borders_dead = grids.any_neighbour(grid, is_own & ~alive) & is_free[:, grid.band]
        dead = grids.flood(grid, lax.bitwise_or, _to_cells(grid, borders_dead.astype(jnp.uint32)), is_free)
        is_safe = is_free & (dead == 0)
        seen = jnp.zeros_like(own_band)
        for code, is_near_safe in zip(vital_codes, grids.neighbours(grid, is_safe), strict=True):
            seen |= jnp.where(is_near_safe, code, ZERO)
        seen = grids.flood(grid, lax.bitwise_or, _to_cells(grid, seen), is_own)
        still_alive = lax.population_count(seen) > num_bits
        return still_alive, is_safe, grids.any_cell(grid, still_alive != alive).any()

    alive, is_safe, _ = lax.while_loop(lambda carry: carry[2], strike, (is_own, is_free, jnp.bool_(True)))
    return alive, is_safe


def _num_bits(grid: Grid) -> int:
    """Bits of a cell number; three of them and more fit in a word."""
    return (grid.num_cells - 1).bit_length()


def _code(cell: UInt32[Array | np.ndarray, "..."], num_bits: int) -> UInt32[Array | np.ndarray, "..."]:
    """For each bit of the cell number either that bit or, `num_bits` above it, its complement."""
    return cell | (~cell & np.uint32((1 << num_bits) - 1)) << num_bits


def _to_cells(grid: Grid, band: UInt32[Array, "*boards band"]) -> UInt32[Array, "*boards cells"]:
    """The mailbox of a band, with zeros in its border rows."""
    edges = [(0, 0)] * (band.ndim - 1) + [(grid.width, grid.width)]
    return jnp.pad(band, edges)
