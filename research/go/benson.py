"""Pass-alive chains and areas, under both suicide rules, of any position, and the area map that is built on them.

A chain is pass-alive if the opponent cannot capture it even though its owner always passes. For one colour, *regions*
are the connected sets of points without a stone of that colour, grown from empty points. A region is *vital* to a chain
if each of its empty points is next to the chain; where suicide is legal, so that a region can be filled to the last
point, if each of its points is. Chains with fewer than two vital regions are struck off, with them the regions that
they border on, until nothing changes: what is left is alive (see vital.py). A region among alive chains alone is
territory if at most one of its points is not next to the colour's stones, as nobody can make two eyes there.

All is told on packed boards, one word a row, by floods: a region's points take on what one of them has. Both colours
share every loop, as two boards. Most boards of a game have no pass-alive chain, and a first look tells it of nearly all
of them; only the others are looked at closer.

*Source:* D. B. Benson, Life in the game of Go, Information Sciences 10 (1976), 17-29; the names of the options and what
they mean follow KataGo's Board::calculateArea.
"""

from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, UInt32

from research.go import grid as grids
from research.go import vital
from research.go.chains import stones_of
from research.go.grid import Grid
from research.go.rare import where_needed
from research.go.vital import ZERO, Boards, Sides

BOARDS_AT_A_TIME = 16  # of a batch, of those that may have a pass-alive chain


class Areas(NamedTuple):
    """What each colour (0 black, 1 white) has."""

    chains: Bool[Array, "2 size size"]  # stones of pass-alive chains
    small: Bool[Array, "2 size size"]  # regions among pass-alive chains, at most one point not next to own stones
    big: Bool[Array, "2 size size"]  # regions among pass-alive chains, without an enemy stone
    unsafe: Bool[Array, "2 size size"]  # empty regions that border on this colour's stones alone, alive or not


class AreaRows(NamedTuple):
    """The same as `Areas`, packed."""

    chains: UInt32[Array, "2 size"]
    small: UInt32[Array, "2 size"]
    big: UInt32[Array, "2 size"]
    unsafe: UInt32[Array, "2 size"]


def areas(grid: Grid, label: Int16[Array, " cells"], suicide: Bool[Array, ""] | bool) -> Areas:
    """The areas of the board whose chains are labelled `label` (+ black, - white), where every chain has a liberty."""
    band = label[grid.band]
    stones = jnp.stack([grids.pack_rows(grid, band > 0), grids.pack_rows(grid, band < 0)])
    rows = area_rows(grid, label, stones, suicide)
    return Areas(*(jnp.stack([grids.unpack_rows(grid, board) for board in boards]) for boards in rows))


def area_rows(grid: Grid, label: Int16[Array, " cells"], stones: Boards, suicide: Bool[Array, ""] | bool) -> AreaRows:
    """The areas, packed, of the board with the chains `label`, whose packed black and white stones are `stones`."""
    sides, has_enemy = _sides(stones, suicide)
    pure = jnp.where((sides.own != 0).any(1)[:, None], sides.free & ~has_enemy, ZERO)
    may_live, question = vital.first_look(grid, label, sides)
    nothing = jnp.zeros_like(stones)
    alive, safe, small = where_needed(
        partial(_look_closer, grid), may_live, (nothing, nothing, nothing), question, games_at_a_time=BOARDS_AT_A_TIME
    )
    return AreaRows(chains=alive, small=small, big=safe & pure, unsafe=pure)


def owner_rows(rows: AreaRows, stones: Boards) -> Boards:
    """The points that are Black's and White's, packed, with all options of `owners`."""
    safe = rows.chains | rows.small | rows.big
    black = (safe[0] | rows.unsafe[0]) & ~safe[1]
    white = safe[1] | (rows.unsafe[1] & ~black)
    owned = jnp.stack([black, white])
    return owned | (stones & ~(black | white))


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


def _sides(stones: Boards, suicide: Bool[Array, ""] | bool) -> tuple[Sides, Boards]:
    """(The board as both colours see it, the points of regions with enemy stones)."""
    own = stones
    free = ~own & np.uint32((1 << own.shape[1]) - 1)
    empty = free & free[::-1]
    inner = free & ~grids.beside_rows(own)
    must = jnp.where(suicide, free, empty)
    enemy = own[::-1]
    open_and_enemy = grids.flood_rows(jnp.concatenate([must & inner, enemy]), jnp.concatenate([free, free]))
    return Sides(own=own, free=free, must=must, inner=inner, shut=free & ~open_and_enemy[:2]), open_and_enemy[2:]


def _look_closer(grid: Grid, question: vital.Question) -> tuple[Boards, Boards, Boards]:
    """(Pass-alive chains, the regions that border on those alone, those of them with one inner point at most)."""
    sides, alive = question.sides, vital.alive_chains(grid, question)
    inside = jnp.where((alive != 0).any(1)[:, None], sides.free, ZERO)
    lost = grids.beside_rows(sides.own & ~alive) & inside
    safe = inside & ~grids.flood_rows(lost, inside)
    return alive, safe, safe & ~_roomy(safe, sides.inner)


def _roomy(safe: Boards, inner: Boards) -> Boards:
    """The points of the regions `safe` with two inner points or more."""
    inner = inner & safe
    roomy = grids.flood_rows(inner & grids.beside_rows(inner), safe)

    def count(carry):
        roomy, unread = carry
        point = vital.first_point(unread)
        region = grids.flood_rows(point, jnp.where((point != 0).any(), safe, ZERO))
        has_more = (region & inner & ~point != 0).any(1)[:, None]
        return roomy | jnp.where(has_more, region, ZERO), unread & ~region

    return lax.while_loop(lambda carry: (carry[1] != 0).any(), count, (roomy, inner & ~roomy))[0]
