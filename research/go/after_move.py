"""What a move at each point would lead to, for all points at once: stones taken, liberties, sizes, threats.

Nothing is played. Labels tell the chains around a point apart, so what a move takes off and which chains it joins are
compares of four labels, and sizes add up. Only liberties need care, because chains share them.

The chain that results has as liberties, in three groups without overlap:
- the liberties of the own chains around the point, each once, less the point itself;
- the empty neighbours of the point that touch none of these chains;
- the points of taken stones that touch the new stone or one of these chains.

With one own chain the first group is its number of liberties less one. Several share some, and joints.py says
how many. The third group matters only where a chain of several stones is taken beside an own chain; these points are
rare, and looked at one by one (`_taken_beside_own`), in the games that have any. So are suicides, for what they do to
the enemy's liberties (`_freed_by_suicide`).

*Source:* own design; what is counted is AlphaGo's "liberties after move", "self-atari size" and "capture size" (Nature
529, 2016, Extended Data Table 2).
"""

import operator
from collections.abc import Callable, Iterable
from functools import partial, reduce
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt16

from research.go import grid as grids
from research.go.chains import NO_CHAIN, is_member
from research.go.fields import fields_of, is_set, pack, read
from research.go.grid import Grid
from research.go.joints import shared_liberties
from research.go.liberties import ChainCounts, chain_counts
from research.go.listing import list_points, num_listed
from research.go.rare import where_needed
from research.go.settled import settled
from research.go.state import side_sign

POINTS_AT_ONCE = 2  # looked at one by one: hardly any board has more
GAMES_AT_A_TIME = 32  # looked at together: one in eight has such a point
MANY = np.int16(32767)  # more liberties than there are


class AfterMove(NamedTuple):
    """The position after a move of the player at each point or cell; 0 where the move is not legal."""

    captured: Int16[Array, "*places"]  # enemy stones taken off
    liberties: Int16[Array, "*places"]  # of the resulting own chain; 0 also for a suicide
    stones: Int16[Array, "*places"]  # of the resulting own chain, the new one included; 0 for a suicide
    enemy_liberties: Int16[Array, "*places"]  # fewest among the enemy chains beside the point that stay; 0 for none
    enemy_in_atari: Int16[Array, "*places"]  # stones of those enemy chains that then have exactly one liberty


# What `_facts` says of a move, in a word.
LIBERTIES, IS_JOINT, IS_ASKED, IS_SUICIDE = fields_of(11, 1, 1, 1)


class _Side(NamedTuple):
    """What lies on one side of each cell of the band."""

    label: Int16[Array, " band"]
    is_open: Bool[Array, " band"]  # an empty point
    is_own: Bool[Array, " band"]  # a stone of the player, of a chain that no earlier side has
    is_enemy: Bool[Array, " band"]  # likewise of the opponent
    is_enemy_stone: Bool[Array, " band"]  # a stone of the opponent, of any chain
    liberties: Int16[Array, " band"]  # of the stone's chain
    stones: Int16[Array, " band"]  # of the stone's chain


def after_moves(
    grid: Grid,
    label: Int16[Array, " cells"],
    player: Int32[Array, ""],
    legal: Bool[Array, "size size"],
    counts: ChainCounts | None = None,
    suicide: bool = True,
) -> AfterMove:
    """What a move of `player` (0 black, 1 white) at each of the `legal` points would lead to.

    `counts` are those of `chain_counts`, from a caller who has them; `suicide`: whether a legal move can be one.
    """
    legal_band = grids.to_cells(grid, legal)[grid.band]
    after = after_moves_on_band(grid, label, player, legal_band, counts, suicide)
    return AfterMove(*(grids.to_points(grid, values) for values in after))


def after_moves_on_band(
    grid: Grid,
    label: Int16[Array, " cells"],
    player: Int32[Array, ""],
    legal: Bool[Array, " band"],
    counts: ChainCounts | None = None,
    suicide: bool = True,
) -> AfterMove:
    """`after_moves` in the layout of grid.py's band, which has no row ends for XLA:CPU's vectors to stumble over."""
    counts = chain_counts(grid, label) if counts is None else counts
    facts = settled(_facts(grid, label, counts, player), label[0])
    is_asked = is_set(facts, IS_ASKED)
    liberties = (
        read(facts, LIBERTIES).astype(jnp.int16)
        - shared_liberties(grid, label, player, is_set(facts, IS_JOINT))
        + _where_any(is_asked, partial(_taken_beside_own, grid), label, counts.liberties, player)
    )
    captured, joined = _sizes(_sides(grid, label, counts, player))
    stones = jnp.where(is_set(facts, IS_SUICIDE), jnp.int16(0), joined + 1)
    is_suicide = is_set(facts, IS_SUICIDE) & legal if suicide else None
    enemy_liberties, enemy_in_atari = _threats(grid, label, counts, player, is_suicide)
    values = (captured, liberties, stones, enemy_liberties, enemy_in_atari)
    return AfterMove(*(jnp.where(legal, value, jnp.int16(0)) for value in values))


def _facts(
    grid: Grid, label: Int16[Array, " cells"], counts: ChainCounts, player: Int32[Array, ""]
) -> UInt16[Array, " band"]:
    """All that can be said of a move's liberties from the chains around it.

    `LIBERTIES` of the resulting chain lack those that taken stones leave, where `IS_ASKED` (a chain of several stones
    is taken beside an own chain), and are too many by those that own chains share, where `IS_JOINT`.
    """
    sides = _sides(grid, label, counts, player)
    is_vacant = (label[grid.band] == 0) & grid.on_board[grid.band]
    num_own = _total(side.is_own for side in sides)
    is_taken = [side.is_enemy & (side.liberties == 1) for side in sides]
    is_asked = (
        is_vacant
        & (num_own > 0)
        & _any_of([mask & (side.stones > 1) for mask, side in zip(is_taken, sides, strict=True)])
    )
    breathes = [side.is_open | side.is_own & (side.liberties > 1) for side in sides]
    is_suicide = is_vacant & ~_any_of(breathes) & ~_any_of(is_taken)

    zero = jnp.int16(0)
    liberties = _total(jnp.where(side.is_own, side.liberties, zero) for side in sides) - (num_own > 0)
    left_beside = _total(side.is_enemy_stone & (side.liberties == 1) for side in sides)
    liberties = liberties + _new_liberties(grid, label, sides) + jnp.where(is_asked, zero, left_beside)
    return pack({LIBERTIES: liberties, IS_JOINT: is_vacant & (num_own > 1), IS_ASKED: is_asked, IS_SUICIDE: is_suicide})


def _sizes(sides: list[_Side]) -> tuple[Int16[Array, " band"], Int16[Array, " band"]]:
    """(Stones of the enemy that a move takes, stones of the own chains around it)."""
    zero = jnp.int16(0)
    captured = _total(jnp.where(side.is_enemy & (side.liberties == 1), side.stones, zero) for side in sides)
    return captured, _total(jnp.where(side.is_own, side.stones, zero) for side in sides)


def _threats(
    grid: Grid,
    label: Int16[Array, " cells"],
    counts: ChainCounts,
    player: Int32[Array, ""],
    is_suicide: Bool[Array, " band"] | None,
) -> tuple[Int16[Array, " band"], Int16[Array, " band"]]:
    """(Fewest liberties of the enemy chains around that stay, stones of those of them that are left with one)."""
    fewest, in_atari = jnp.full(len(grid.band_cells), MANY), jnp.zeros(len(grid.band_cells), jnp.int16)
    for side in _sides(grid, label, counts, player):
        stays = side.is_enemy & (side.liberties != 1)
        fewest = jnp.minimum(fewest, jnp.where(stays, side.liberties - 1, MANY))
        in_atari = in_atari + jnp.where(stays & (side.liberties == 2), side.stones, jnp.int16(0))
    if is_suicide is not None:
        freed = _where_any(is_suicide, partial(_freed_by_suicide, grid), label, counts.liberties, player)
        fewest, in_atari = jnp.where(is_suicide, freed, fewest), jnp.where(is_suicide, jnp.int16(0), in_atari)
    return jnp.where(fewest == MANY, jnp.int16(0), fewest), in_atari


def _sides(grid: Grid, label: Int16[Array, " cells"], counts: ChainCounts, player: Int32[Array, ""]) -> list[_Side]:
    """What lies left, right, above and below each cell of the band."""
    sign = side_sign(player)
    near = grids.neighbours(grid, label)
    others = (jnp.asarray(grid.on_board), counts.liberties, counts.stones)
    columns = (grids.neighbours(grid, values) for values in others)
    sides = []
    for index, (chain, is_point, liberties, stones) in enumerate(zip(near, *columns, strict=True)):
        is_new = jnp.ones_like(is_point)
        for earlier in near[:index]:
            is_new = is_new & (chain != earlier)
        view = chain * sign
        sides.append(
            _Side(
                label=chain,
                is_open=is_point & (chain == 0),
                is_own=is_new & (view > 0),
                is_enemy=is_new & (view < 0),
                is_enemy_stone=view < 0,
                liberties=liberties,
                stones=stones,
            )
        )
    return sides


def _new_liberties(grid: Grid, label: Int16[Array, " cells"], sides: list[_Side]) -> Int16[Array, " band"]:
    """Empty neighbours of each cell of the band that touch none of the own chains beside it."""
    own = [_bits(jnp.where(side.is_own, side.label, NO_CHAIN)) for side in sides]
    padded = _bits(grids.with_more_rows(grid, label))
    length = len(grid.band_cells)
    total = jnp.zeros(length, jnp.int16)
    for index, (side, step) in enumerate(zip(sides, grid.offsets, strict=True)):
        difference = np.uint16(NO_CHAIN)
        for further in grid.offsets[grid.offsets != -step]:
            start = 2 * grid.width + int(step + further)
            beyond = padded[start : start + length]
            difference = reduce(jnp.minimum, (beyond ^ chain for chain in own[:index] + own[index + 1 :]), difference)
        total = total + (side.is_open & (difference != 0))
    return total


def _bits(label: Int16[Array, "*shape"]) -> UInt16[Array, "*shape"]:
    """Labels as bits. Whether one equals any of several is asked by the minimum of differences (exclusive or):
    XLA:CPU keeps that in vectors, which it does not do with a long chain of compares.
    """
    return lax.bitcast_convert_type(label, jnp.uint16)


def _taken_beside_own(
    grid: Grid,
    label: Int16[Array, " cells"],
    liberties: Int16[Array, " cells"],
    player: Int32[Array, ""],
    is_asked: Bool[Array, " band"],
) -> Int16[Array, " band"]:
    """At the points asked about, the taken stones that touch the chain which the move becomes part of."""

    def count(cell, own, enemy, enemy_liberties):
        taken = jnp.where(enemy_liberties == 1, enemy, NO_CHAIN)
        beside_cell = reduce(operator.or_, (grid.band_cells == cell + step for step in grid.offsets))
        is_beside = beside_cell | _is_any(grids.neighbours(grid, label), own)
        return _count(grid, _is_any([label[grid.band]], taken) & is_beside)

    return _one_by_one(grid, label, liberties, player, is_asked, count)


def _freed_by_suicide(
    grid: Grid,
    label: Int16[Array, " cells"],
    liberties: Int16[Array, " cells"],
    player: Int32[Array, ""],
    is_suicide: Bool[Array, " band"],
) -> Int16[Array, " band"]:
    """At the suicides, the fewest liberties of the enemy chains around, with the player's stones gone."""

    def fewest(cell, own, enemy, enemy_liberties):
        removed = is_member(label[grid.band], own)
        gained = [_count(grid, removed & grids.any_neighbour(grid, label == enemy[side])) for side in range(4)]
        return jnp.where(enemy != NO_CHAIN, enemy_liberties + jnp.stack(gained), MANY).min()

    return _one_by_one(grid, label, liberties, player, is_suicide, fewest)


def _where_any(
    is_asked: Bool[Array, " band"], function: Callable[..., Int16[Array, " band"]], *arguments: Array
) -> Int16[Array, " band"]:
    """function(*arguments, is_asked) in the games in which any point is asked about, 0 in the others."""
    is_needed = grids.reduce_slices(lax.bitwise_or, False, lambda part: part, is_asked)
    return where_needed(
        function, is_needed, jnp.zeros(is_asked.shape, jnp.int16), *arguments, is_asked, games_at_a_time=GAMES_AT_A_TIME
    )


def _one_by_one(
    grid: Grid,
    label: Int16[Array, " cells"],
    liberties: Int16[Array, " cells"],
    player: Int32[Array, ""],
    is_asked: Bool[Array, " band"],
    value_at: Callable[..., Int16[Array, ""]],
) -> Int16[Array, " band"]:
    """value_at(cell, own chains, enemy chains, their liberties) at the points asked about, 0 elsewhere."""
    sign = side_sign(player)

    rows = grids.pack_rows(grid, is_asked)

    def answer(carry):
        """The values of the next points in the list."""
        first, values = carry
        listing = list_points(grid, rows, first, POINTS_AT_ONCE)
        around = listing.cells[:, None] + grid.offsets
        chain = label.at[around].get(mode="promise_in_bounds")
        own, enemy = (jnp.where(side * chain * sign > 0, chain, NO_CHAIN) for side in (1, -1))
        enemy_liberties = liberties.at[around].get(mode="promise_in_bounds")
        # Settled, or XLA:CPU would look all this up anew for every cell that it meets.
        looked_up = settled((listing.cells, own, enemy, enemy_liberties), label[0])
        found = jax.vmap(value_at)(*looked_up)
        for index in range(POINTS_AT_ONCE):  # a select for each: a TPU is slow at scatters, and a CPU no faster
            is_here = (grid.band_cells == listing.cells[index]) & listing.is_point[index]
            values = jnp.where(is_here, found[index], values)
        return first + POINTS_AT_ONCE, values

    start = (jnp.int32(0), jnp.zeros(len(grid.band_cells), jnp.int16))
    return lax.while_loop(lambda carry: carry[0] < num_listed(rows), answer, start)[1]


def _count(grid: Grid, mask: Bool[Array, " band"]) -> Int16[Array, ""]:
    """How many cells of the band are in `mask`."""
    return grids.reduce_slices(lax.add, 0, lambda part: part.astype(jnp.int16), mask, lanes=grid.width)


def _is_any(labels: Iterable[Int16[Array, " band"]], ids: Int16[Array, " num_ids"]) -> Bool[Array, " band"]:
    """Whether any of `labels` is one of `ids`."""
    differences = (_bits(label) ^ chain for label in labels for chain in _bits(ids))
    return reduce(jnp.minimum, differences) == 0


def _any_of(masks: list[Bool[Array, " band"]]) -> Bool[Array, " band"]:
    """Where any of `masks` is set."""
    return reduce(operator.or_, masks)


def _total(numbers: Iterable[Int16[Array, "*shape"] | Bool[Array, "*shape"]]) -> Int16[Array, "*shape"]:
    """The sum of `numbers`, point by point."""
    return reduce(operator.add, (number.astype(jnp.int16) for number in numbers))
