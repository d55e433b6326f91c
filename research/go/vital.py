"""Which chains are pass-alive: striking off those with fewer than two vital regions, both colours at once.

A region counts here if it is *shut*: each of its points that a chain must touch is next to some stone of the colour, so
that it can be vital at all. Hardly any region is, so most boards are settled by a few words:

- A shut region is stood for by its corner points, those without another point to be touched above or on the left,
  each of which gets a bit of its own. A chain is credited with the bits of the corner points next to it, once each, so
  a sum over the chain is their union. For regions of one point, as most are, that is just what is vital to it.
- For larger ones it is too much: more bits than regions, and chains that do not touch all that they must. So chains
  with fewer than two bits are struck off first, with the regions they border on. That leaves few larger regions, which
  are looked at one at a time: up to four chains touch its corner, and only these can touch all of it. Bits that are not
  due are taken away, and striking off goes on until nothing changes.

Bits are those of one word a colour. Boards with more corner points than that are read chain by chain.

*Source:* D. B. Benson, Life in the game of Go, Information Sciences 10 (1976), 17-29; the rest is own design.
"""

from functools import partial, reduce
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from research.go import grid as grids
from research.go.chains import NO_CHAIN, is_member
from research.go.grid import Grid
from research.go.settled import settled

NUM_BITS = 32
ZERO = np.uint32(0)
ALL_BITS = np.uint32(0xFFFFFFFF)

Boards = UInt32[Array, "2 size"]  # packed, as black and as white sees it
Words = UInt32[Array, " band"]


class Sides(NamedTuple):
    """The board as black and as white sees it, packed."""

    own: UInt32[Array, "2 size"]  # stones
    free: UInt32[Array, "2 size"]  # points without such a stone
    must: UInt32[Array, "2 size"]  # free points that a chain must touch for the region to be vital to it
    inner: UInt32[Array, "2 size"]  # free points next to no such stone
    shut: UInt32[Array, "2 size"]  # points of regions without a point that must be touched and is inner


class _Bits(NamedTuple):
    """What each stone has to do with corner points of its own colour's shut regions."""

    touched: UInt32[Array, " band"]  # bits of the regions that the stone borders on
    vital: UInt32[Array, " band"]  # bits that count for its chain
    left: UInt32[Array, "2"]  # bits of the regions that border on no chain struck off, of black and of white


class Question(NamedTuple):
    """What is known of a board after the first striking off, and what `alive_chains` needs to go on."""

    label: Int16[Array, " cells"]
    sides: Sides
    words: UInt32[Array, "2 size size"]  # the bit of each corner point
    bits: _Bits
    is_read: Bool[Array, ""]  # there were bits enough


def first_look(grid: Grid, label: Int16[Array, " cells"], sides: Sides) -> tuple[Bool[Array, ""], Question]:
    """(Whether the board with the chains `label` may have a pass-alive chain, what to ask `alive_chains`)."""
    corners = _corners(sides)
    num_corners = lax.population_count(corners).astype(jnp.int32)
    words = settled(_corner_words(corners, num_corners), label[0])
    is_read = (num_corners.sum(1) <= NUM_BITS).all()
    mailbox = tuple(grids.to_cells(grid, word) for word in words)
    bits = _Bits(
        touched=_touched(grid, label, mailbox),
        vital=_over_chains(grid, label, _credited(grid, label, mailbox)),
        left=jnp.where(is_read, jnp.full(2, ALL_BITS), jnp.zeros(2, jnp.uint32)),
    )
    bits = _strike_off(grid, label, bits)
    may_live = grids.any_cell(grid, _is_alive(grid, label, bits)) | ~is_read
    return may_live, Question(label, sides, words, bits, is_read)


def alive_chains(grid: Grid, question: Question) -> Boards:
    """The stones of pass-alive chains."""
    label, sides, words, bits, is_read = question
    bits = _strike_off(grid, label, _check_larger(grid, label, sides, words, bits))
    alive, band = _is_alive(grid, label, bits), label[grid.band]
    rows = jnp.stack([grids.pack_rows(grid, alive & (band > 0)), grids.pack_rows(grid, alive & (band < 0))])
    return rows | _alive_one_by_one(sides, ~is_read)


def first_point(boards: UInt32[Array, "boards size"]) -> UInt32[Array, "boards size"]:
    """Each packed board with only its first point, in reading order; empty if it has none."""
    row = np.arange(boards.shape[1], dtype=np.int32)
    first = lax.reduce(jnp.where(boards != 0, row, len(row)), np.int32(len(row)), lax.min, (1,))
    return jnp.where(row == first[:, None], boards & (~boards + 1), ZERO)


def _corners(sides: Sides) -> Boards:
    """The points to be touched in shut regions that have no other above or on the left."""
    points = sides.shut & sides.must
    above = jnp.pad(points, ((0, 0), (1, 0)))[:, :-1]
    return points & ~(points << 1) & ~above


def _corner_words(corners: Boards, num_corners: Int32[Array, "2 size"]) -> UInt32[Array, "2 size size"]:
    """The bit of each corner point, 0 elsewhere and where bits have run out."""
    size = corners.shape[1]
    column = np.uint32(1) << np.arange(size, dtype=np.uint32)
    before = jnp.where(np.tri(size, k=-1, dtype=bool), num_corners[:, None, :], 0).sum(2)
    rank = before[:, :, None] + lax.population_count(corners[:, :, None] & (column - 1)).astype(jnp.int32)
    is_numbered = (corners[:, :, None] & column != 0) & (rank < NUM_BITS)
    return jnp.where(is_numbered, np.uint32(1) << jnp.where(is_numbered, rank, 0).astype(jnp.uint32), ZERO)


def _touched(grid: Grid, label: Int16[Array, " cells"], words: tuple[Array, ...]) -> Words:
    """The bits next to each stone, of its own colour's."""
    band = label[grid.band]
    black, white = (grids.any_neighbour(grid, word) for word in words)
    return jnp.where(band > 0, black, jnp.where(band < 0, white, ZERO))


def _credited(grid: Grid, label: Int16[Array, " cells"], words: tuple[Array, ...]) -> Words:
    """The bits next to each stone that no stone of its chain has been credited with.

    Of a chain's stones around a point the first counts, in the order left, right, above, below. So a stone that the
    point lies to the right of always counts, and the others must look past the point.
    """
    width = grid.width
    around = jnp.pad(label, width)
    own = label[grid.band]

    def at(array, offset):
        start = grid.band.start + offset + (len(array) - grid.num_cells) // 2
        return array[start : start + len(own)]

    # For each point around the stone, as an offset: where the stones around that point lie which come before this one.
    earlier = {1: (), -1: (-2,), width: (width - 1, width + 1), -width: (-width - 1, -width + 1, -2 * width)}
    credited = jnp.zeros(len(own), jnp.uint32)
    for point, offsets in earlier.items():
        is_first = own != 0
        for offset in offsets:
            is_first &= at(around, offset) != own
        word = jnp.where(own > 0, at(words[0], point), at(words[1], point))
        credited |= jnp.where(is_first, word, ZERO)
    return credited


def _over_chains(grid: Grid, label: Int16[Array, " cells"], credited: Words) -> Words:
    """The union of `credited` over the chain of each stone, anything on empty cells."""
    # A scatter is a serial loop on a TPU; on a CPU it costs less than two trips of a flood.
    return lax.platform_dependent(
        label, credited, tpu=lambda *args: _union_by_flood(grid, *args), default=lambda *args: _sum_by_id(grid, *args)
    )


def _sum_by_id(grid: Grid, label: Int16[Array, " cells"], credited: Words) -> Words:
    ids = jnp.abs(label[grid.band]).astype(jnp.int32)
    # The scatter's own indices are what XLA:CPU would otherwise work the words out by, one at a time.
    credited = settled(credited, label[0])
    sums = jnp.zeros(grid.num_cells, jnp.uint32).at[ids].add(credited, mode="drop", wrap_negative_indices=False)
    return sums.at[ids].get(mode="clip", wrap_negative_indices=False)


def _union_by_flood(grid: Grid, label: Int16[Array, " cells"], credited: Words) -> Words:
    words, inside = grids.from_band(grid, credited), (label > 0, label < 0)
    black, white = grids.flood(grid, lax.bitwise_or, [words, words], inside)
    return (black | white)[grid.band]


def _is_alive(grid: Grid, label: Int16[Array, " cells"], bits: _Bits) -> Bool[Array, " band"]:
    """Stones whose chain has two vital regions left or more."""
    count = bits.vital & jnp.where(label[grid.band] > 0, bits.left[0], bits.left[1])
    return (label[grid.band] != 0) & (count & (count - 1) != 0)


def _strike_off(grid: Grid, label: Int16[Array, " cells"], bits: _Bits) -> _Bits:
    """`bits` when no more chains can be struck off."""
    band = label[grid.band]

    def union(words, is_meant):
        return grids.reduce_slices(
            lax.bitwise_or,
            0,
            lambda word, stone: jnp.where(is_meant(stone), word, ZERO),
            words,
            band,
            lanes=grid.width,
        )

    def strike(carry):
        left, _ = carry
        lost = jnp.where(_is_alive(grid, label, bits._replace(left=left)), ZERO, bits.touched)
        still = left & ~jnp.stack([union(lost, lambda stone: stone > 0), union(lost, lambda stone: stone < 0)])
        return still, (still != left).any()

    left, _ = lax.while_loop(lambda carry: carry[1], strike, (bits.left, (bits.left != 0).any()))
    return bits._replace(left=left)


def _check_larger(
    grid: Grid, label: Int16[Array, " cells"], sides: Sides, words: UInt32[Array, "2 size size"], bits: _Bits
) -> _Bits:
    """`bits` put right for the regions of several points that are left, one region of each colour a trip."""
    columns = np.uint32(1) << np.arange(grid.size, dtype=np.uint32)
    is_left = (words & bits.left[:, None, None]) != 0
    corners = jnp.where(is_left, columns, ZERO).sum(2, dtype=jnp.uint32) & grids.beside_rows(sides.shut)

    views = jnp.stack([label, -label])

    def check(carry):
        corners, bits = carry
        corner = first_point(corners)
        region = grids.flood_rows(corner, sides.shut)
        touching = grids.beside_rows(region) & sides.own
        seen = _Region(corner, region, region & sides.must, touching)
        touched, undue = jax.vmap(partial(_check_region, grid))(views, seen, words)
        bits = bits._replace(touched=bits.touched | touched[0] | touched[1], vital=bits.vital & ~(undue[0] | undue[1]))
        return corners & ~region, bits

    return lax.while_loop(lambda carry: (carry[0] != 0).any(), check, (corners, bits))[1]


class _Region(NamedTuple):
    """One region of one colour, packed; all empty if there is none."""

    corner: UInt32[Array, "*both size"]  # one of its corner points
    points: UInt32[Array, "*both size"]
    must: UInt32[Array, "*both size"]  # those that a chain must touch
    touching: UInt32[Array, "*both size"]  # stones of the colour next to it


def _check_region(
    grid: Grid, view: Int16[Array, " cells"], region: _Region, words: UInt32[Array, "size size"]
) -> tuple[Words, Words]:
    """(The region's bits at the stones that touch it, at each stone those that are not due to its chain).

    `view`: chain labels, positive for the region's colour.
    """
    points, must, touching = (_to_band(grid, rows) for rows in (region.points, region.must, region.touching))
    whole = grids.reduce_slices(
        lax.bitwise_or,
        0,
        lambda word, mask: jnp.where(mask, word, ZERO),
        _pad_band(grid, words),
        points,
        lanes=grid.width,
    )
    is_vital = is_member(view[grid.band], _chains_touching_all(grid, view, region.corner, must))
    # One of the region's bits is enough for a chain that it is vital to, and none of them is due to any other.
    undue = jnp.where(is_vital, whole & (whole - 1), whole)
    return jnp.where(touching, whole, ZERO), jnp.where(view[grid.band] > 0, undue, ZERO)


def _chains_touching_all(
    grid: Grid, view: Int16[Array, " cells"], corner: UInt32[Array, " size"], must: Bool[Array, " band"]
) -> Int16[Array, "4"]:
    """Ids of the chains, positive in `view`, that touch all of `must`, `corner` among them; NO_CHAIN elsewhere."""
    is_row = corner != 0
    column = lax.population_count(corner - 1).astype(jnp.int32)
    cell = jnp.where(is_row, column + grid.width * np.arange(1, grid.size + 1, dtype=np.int32), 0).sum()
    ids = view.at[jnp.where(is_row.any(), cell, grid.width) + grid.offsets].get(mode="promise_in_bounds")
    near = grids.neighbours(grid, view)
    is_missed = [
        grids.any_cell(grid, must & ~reduce(jnp.logical_or, [chain == ids[number] for chain in near]))
        for number in range(4)
    ]
    return jnp.where((ids > 0) & ~jnp.stack(is_missed), ids, NO_CHAIN)


def _to_band(grid: Grid, rows: UInt32[Array, " size"]) -> Bool[Array, " band"]:
    """The band of a packed board."""
    return _pad_band(grid, grids.unpack_rows(grid, rows))


def _pad_band(grid: Grid, points: Array) -> Array:
    """The band that holds `points` and zeros (False) off the board."""
    return jnp.pad(points, ((0, 0), (0, 1))).reshape(-1)


def _alive_one_by_one(sides: Sides, is_asked: Bool[Array, ""]) -> Boards:
    """The stones of pass-alive chains, found chain by chain without bits; none unless asked."""
    shut = jnp.where(is_asked, sides.shut, ZERO)

    def check(carry):
        shut, alive, unread = carry
        chain = grids.flood_rows(first_point(unread), sides.own)
        beside = grids.beside_rows(chain)
        vital = shut & ~grids.flood_rows(shut & sides.must & ~beside, shut)
        others = vital & ~grids.flood_rows(first_point(vital & sides.must), vital)
        has_two = (others & sides.must != 0).any(1)
        lost = jnp.where(has_two[:, None], ZERO, grids.flood_rows(beside & shut, shut))
        again = grids.flood_rows(grids.beside_rows(lost) & alive, alive)
        alive = alive & ~jnp.where(has_two[:, None], ZERO, chain)
        return shut & ~lost, alive, (unread & ~chain | again) & alive

    start = jnp.where(is_asked, sides.own, ZERO)
    return lax.while_loop(lambda carry: (carry[2] != 0).any(), check, (shut, start, start))[1]
