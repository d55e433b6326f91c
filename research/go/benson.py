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

- Most regions are *open*: two points side by side are next to no own stone, and one of them would have to be. So they
  are vital to nothing and no territory. That is told on packed boards, one word a row, and leaves only eyes and narrow
  parts to the wider words below.
- A region's name is its highest empty cell, found by a maximum. A chain that the region is vital to is next to that
  cell, so there are at most four; their ids stand below the name in the same word and travel with it.
- Every point then says which of the four it is not next to. One or over the region collects that, and whether two
  points or more are next to no own stone.
- "At least two" needs no count. The code of a cell number sets, for every bit of it, either that bit or its complement;
  the or of several codes has one bit of each pair exactly if all were the same (as in chains.py). So the or of the
  vital regions' codes over a chain tells whether there are two of them.

Both colours share every loop. A flood takes as many trips as the longest way inside a region or a chain, the striking
off hardly ever more than four. Nothing is gathered or scattered.

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


class _Side(NamedTuple):
    """The board as one colour sees it."""

    own: UInt32[Array, " cells"]  # chain ids of its stones, 0 elsewhere
    is_free: Bool[Array, " cells"]  # points without its stones
    is_empty: Bool[Array, " cells"]  # points without a stone
    must_touch: Bool[Array, " cells"]  # points that a region vital to a chain has next to it
    is_inner: Bool[Array, " cells"]  # free points next to none of its stones


class _Kinds(NamedTuple):
    """What kind of region each point lies in, for one colour."""

    is_open: Bool[Array, " cells"]  # vital to no chain, and two points or more are inner
    has_enemy: Bool[Array, " cells"]


class _Names(NamedTuple):
    """The region of each point, for one colour; 0 where there is none, or an open one."""

    name: UInt32[Array, " cells"]  # highest empty cell
    candidates: tuple[UInt32[Array, " cells"], ...]  # ids of the chains next to that cell, four


class _Regions(NamedTuple):
    """More about the region of each point, for one colour."""

    code: UInt32[Array, " cells"]  # of its name; 0 where there is none
    vital: tuple[UInt32[Array, " cells"], ...]  # ids of the chains that it is vital to, 0 in the other places; four
    is_small: Bool[Array, " cells"]  # at most one point is inner


def areas(grid: Grid, label: Int16[Array, " cells"], suicide: Bool[Array, ""] | bool) -> Areas:
    """The areas of the board whose chains are labelled `label` (+ black, - white), where every chain has a liberty."""
    sides = [_side(grid, label * sign, suicide) for sign in (1, -1)]
    kinds = _kinds(grid, sides)
    names = _names(grid, sides, kinds)
    regions = _regions(grid, sides, kinds, names)
    alive, safe = _strike_off(grid, sides, regions)
    parts = []
    for side, kind, region, is_alive, is_safe in zip(sides, kinds, regions, alive, safe, strict=True):
        is_region = side.is_free & grids.any_cell(grid, side.own > 0)
        is_pure = is_region & ~kind.has_enemy
        parts.append((is_alive, is_region & is_safe & region.is_small, is_safe & is_pure, is_pure))
    colours = zip(*parts, strict=True)
    return Areas(*(jnp.stack([grids.to_points(grid, mask[grid.band]) for mask in both]) for both in colours))


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


def _side(grid: Grid, view: Int16[Array, " cells"], suicide: Bool[Array, ""] | bool) -> _Side:
    """The board as the colour sees it whose chain labels are positive in `view`."""
    is_free, is_empty = (view <= 0) & grid.on_board, (view == 0) & grid.on_board
    touches_own = grids.from_band(grid, grids.any_neighbour(grid, view > 0))
    return _Side(
        own=jnp.maximum(view, 0).astype(jnp.uint32),
        is_free=is_free,
        is_empty=is_empty,
        must_touch=is_empty | (is_free & suicide),
        is_inner=is_free & ~touches_own,
    )


def _kinds(grid: Grid, sides: list[_Side]) -> list[_Kinds]:
    """The kind of each region: open, with enemy stones; told on packed boards, which are a tenth of the work."""
    seeds, inside = [], []
    for side in sides:
        is_open = (side.is_inner & side.must_touch)[grid.band] & grids.any_neighbour(grid, side.is_inner)
        is_enemy = (side.is_free & ~side.is_empty)[grid.band]
        seeds += [grids.pack_rows(grid, is_open), grids.pack_rows(grid, is_enemy)]
        inside += [grids.pack_rows(grid, side.is_free[grid.band])] * 2
    rows = grids.flood_rows(jnp.stack(seeds), jnp.stack(inside))
    masks = [grids.to_cells(grid, grids.unpack_rows(grid, board)) for board in rows]
    return [_Kinds(*masks[:2]), _Kinds(*masks[2:])]


def _names(grid: Grid, sides: list[_Side], kinds: list[_Kinds]) -> list[_Names]:
    """The name of each point's region, and the chains that it could be vital to, for both colours."""
    num_bits = _num_bits(grid)
    name = jnp.asarray(grid.band_cells.astype(np.uint32) << 2 * num_bits)
    words, inside = [], []
    for side, kind in zip(sides, kinds, strict=True):
        near = grids.neighbours(grid, side.own)
        for first, second in (near[:2], near[2:]):
            word = grids.from_band(grid, name | first << num_bits | second)
            words.append(jnp.where(side.is_empty, word, ZERO))
            inside.append(side.is_free & ~kind.is_open)
    words = grids.flood(grid, lax.max, words, inside)
    low = np.uint32((1 << num_bits) - 1)
    found = []
    for pair in (words[:2], words[2:]):
        candidates = tuple(ids & low for word in pair for ids in (word >> num_bits, word))
        found.append(_Names(pair[0] >> 2 * num_bits, candidates))
    return found


def _regions(grid: Grid, sides: list[_Side], kinds: list[_Kinds], names: list[_Names]) -> list[_Regions]:
    """What the regions of both colours are like that are not open."""
    num_bits = _num_bits(grid)
    points = [_facts(grid, side, name) for side, name in zip(sides, names, strict=True)]
    is_shut = [side.is_free & ~kind.is_open for side, kind in zip(sides, kinds, strict=True)]
    facts = grids.flood(grid, lax.bitwise_or, points, is_shut)
    found = []
    for fact, mask, (name, candidates) in zip(facts, is_shut, names, strict=True):
        is_vital = [(fact & np.uint32(1 << 2 * num_bits + number)) == 0 for number in range(len(candidates))]
        num_marks = lax.population_count(fact & np.uint32((1 << 2 * num_bits) - 1))
        found.append(
            _Regions(
                code=jnp.where(name > 0, _code(name, num_bits), ZERO),
                vital=tuple(jnp.where(vital, ids, ZERO) for vital, ids in zip(is_vital, candidates, strict=True)),
                is_small=mask & (num_marks <= num_bits),
            )
        )
    return found


def _facts(grid: Grid, side: _Side, names: _Names) -> UInt32[Array, " cells"]:
    """What a point adds to the facts of its region.

    That is its code if it is inner, and above that a bit for each candidate that it should be next to and is not.
    """
    num_bits = _num_bits(grid)
    near = grids.neighbours(grid, side.own)
    facts = jnp.where(side.is_inner[grid.band], _code(grid.band_cells.astype(np.uint32), num_bits), ZERO)
    for number, candidate in enumerate(names.candidates):
        is_beside = reduce(jnp.logical_or, [ids == candidate[grid.band] for ids in near])
        is_lacking = side.must_touch[grid.band] & ~is_beside
        facts |= jnp.where(is_lacking, np.uint32(1 << 2 * num_bits + number), ZERO)
    return grids.from_band(grid, facts)


Masks = tuple[Bool[Array, " cells"], ...]  # black's, white's


def _strike_off(grid: Grid, sides: list[_Side], regions: list[_Regions]) -> tuple[Masks, Masks]:
    """(Stones of the chains that stay alive, points of the regions that border on those alone), for both colours."""
    num_bits = _num_bits(grid)
    owns = tuple(side.own > 0 for side in sides)
    frees = tuple(side.is_free for side in sides)
    free_rows = jnp.stack([grids.pack_rows(grid, is_free[grid.band]) for is_free in frees])
    vital_codes = [_vital_codes(grid, side, region) for side, region in zip(sides, regions, strict=True)]

    def strike(carry):
        alive, _, _ = carry
        lost = [is_own & ~is_alive for is_own, is_alive in zip(owns, alive, strict=True)]
        borders = [
            grids.any_neighbour(grid, mask) & is_free[grid.band] for mask, is_free in zip(lost, frees, strict=True)
        ]
        dead = grids.flood_rows(jnp.stack([grids.pack_rows(grid, mask) for mask in borders]), free_rows)
        dead = [grids.to_cells(grid, grids.unpack_rows(grid, rows)) for rows in dead]
        safe = tuple(is_free & ~mark for is_free, mark in zip(frees, dead, strict=True))
        seen = [_safe_codes(grid, codes, is_safe) for codes, is_safe in zip(vital_codes, safe, strict=True)]
        seen = grids.flood(grid, lax.bitwise_or, seen, owns)
        still_alive = tuple(lax.population_count(codes) > num_bits for codes in seen)
        is_changed = grids.any_cell(grid, (alive[0] ^ still_alive[0]) | (alive[1] ^ still_alive[1]))
        return still_alive, safe, is_changed

    alive, safe, _ = lax.while_loop(lambda carry: carry[2], strike, (owns, frees, jnp.bool_(True)))
    return alive, safe


def _vital_codes(grid: Grid, side: _Side, regions: _Regions) -> list[UInt32[Array, " band"]]:
    """For each stone the codes of the regions beside it that are vital to its chain: left, right, above and below."""
    own = side.own[grid.band]
    codes = grids.neighbours(grid, regions.code)
    ids = zip(*(grids.neighbours(grid, vital) for vital in regions.vital), strict=True)
    return [
        jnp.where((own > 0) & reduce(jnp.logical_or, (each == own for each in beside)), code, ZERO)
        for code, beside in zip(codes, ids, strict=True)
    ]


def _safe_codes(
    grid: Grid, vital_codes: list[UInt32[Array, " band"]], is_safe: Bool[Array, " cells"]
) -> UInt32[Array, " cells"]:
    """For each stone the codes among `vital_codes` whose regions are safe."""
    near = zip(vital_codes, grids.neighbours(grid, is_safe), strict=True)
    return grids.from_band(grid, reduce(jnp.bitwise_or, [jnp.where(safe, code, ZERO) for code, safe in near]))


def _num_bits(grid: Grid) -> int:
    """Bits of a cell number; three of them and more fit in a word."""
    return (grid.num_cells - 1).bit_length()


def _code(cell: UInt32[Array | np.ndarray, "..."], num_bits: int) -> UInt32[Array | np.ndarray, "..."]:
    """For each bit of the cell number either that bit or, `num_bits` above it, its complement."""
    return cell | (~cell & np.uint32((1 << num_bits) - 1)) << num_bits
