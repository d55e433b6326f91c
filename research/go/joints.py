"""Liberties that several chains of one colour share, counted for every point that lies between such chains.

A point beside two own chains or more is a *joint*. A move there makes one chain of them, whose liberties are those of
all, each once. Adding up what each chain has counts a liberty of m of them m times; and such a liberty lies beside two
own chains or more, so it is a joint too. So the joints, a dozen in a usual position, are listed, and each is compared
with each: how many of my chains are beside you? Whatever the board, nothing is left out: in the few games with a
longer list, it is compared piece by piece. A TPU, which looks up and loops badly, compares all points with all.

*Source:* own design.
"""

import operator
from functools import partial, reduce

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from research.go import grid as grids
from research.go.chains import NO_CHAIN
from research.go.grid import Grid
from research.go.listing import Listing, list_points, num_listed
from research.go.rare import where_needed
from research.go.settled import settled
from research.go.state import side_sign

JOINTS_AT_ONCE = 32  # listed at first; one board in sixteen has more
JOINTS_IN_A_PIECE = 64  # of a longer list; hardly any game has as many
GAMES_AT_A_TIME = 16  # with a longer list


def shared_liberties(
    grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""], is_joint: Bool[Array, " band"]
) -> Int16[Array, " band"]:
    """How often too many the liberties of the own chains around a joint are counted, by adding up what each has."""
    return lax.platform_dependent(
        label, player, is_joint, tpu=partial(_shared_at_once, grid), default=partial(_shared_by_list, grid)
    )


def _shared_at_once(
    grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""], is_joint: Bool[Array, " band"]
) -> Int16[Array, " band"]:
    """`shared_liberties`, all points being compared with all."""
    near = grids.neighbours(grid, label * side_sign(player))
    own: list[Array] = []
    for index, chain in enumerate(near):
        is_new = is_joint & (chain > 0)
        for earlier in near[:index]:
            is_new = is_new & (chain != earlier)
        own.append(jnp.where(is_new, chain, jnp.int16(0)).astype(jnp.int32))
    there = [jnp.where(chain == 0, np.int32(NO_CHAIN), chain) for chain in own]
    is_common = [reduce(operator.or_, (other[:, None] == chain for other in there)) for chain in own]
    common = reduce(operator.add, (mask.astype(jnp.int32) for mask in is_common))
    return jnp.maximum(common - 1, 0).sum(0).astype(jnp.int16)


def _shared_by_list(
    grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""], is_joint: Bool[Array, " band"]
) -> Int16[Array, " band"]:
    """`shared_liberties`, joints being compared with joints."""
    rows = grids.pack_rows(grid, is_joint)
    length = min(JOINTS_AT_ONCE, grid.num_points)
    cells, chains = _listed(grid, label, player, rows, jnp.int32(0), length)
    shared = jnp.zeros(grid.num_cells, jnp.int16).at[cells].add(_times_too_many(chains, chains))
    shared = where_needed(
        partial(_shared_by_pieces, grid),
        num_listed(rows) > length,
        shared,
        label,
        player,
        rows,
        games_at_a_time=GAMES_AT_A_TIME,
    )
    return shared[grid.band]


def _shared_by_pieces(
    grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""], rows: UInt32[Array, " size"]
) -> Int16[Array, " cells"]:
    """What joints share, by cells, however many there are: each piece of the list is compared with each."""
    length = min(JOINTS_IN_A_PIECE, grid.num_points)
    num_pieces = (num_listed(rows) + (length - 1)) // length

    def compare_pieces(carry):
        index, shared = carry
        cells, here = _listed(grid, label, player, rows, lax.div(index, num_pieces) * length, length)
        _, there = _listed(grid, label, player, rows, lax.rem(index, num_pieces) * length, length)
        return index + 1, shared.at[cells].add(_times_too_many(here, there))

    start = (jnp.int32(0), jnp.zeros(grid.num_cells, jnp.int16))
    return lax.while_loop(lambda carry: carry[0] < num_pieces * num_pieces, compare_pieces, start)[1]


def _times_too_many(
    here: list[Int16[Array, " length"]], there: list[Int16[Array, " length"]]
) -> Int16[Array, " length"]:
    """For each joint of one list, how often the joints of the other are beside more than one of its chains."""

    def times(*there):
        equal = ((chain[:, None] == other).astype(jnp.int16) for chain in here for other in there)
        return jnp.maximum(reduce(operator.add, equal) - 1, 0)

    there = [jnp.where(chain == 0, NO_CHAIN, chain) for chain in there]
    return grids.reduce_slices(lax.add, 0, times, *there, lanes=JOINTS_AT_ONCE)


def _listed(
    grid: Grid,
    label: Int16[Array, " cells"],
    player: Int32[Array, ""],
    rows: UInt32[Array, " size"],
    first: Int32[Array, ""],
    length: int,
) -> tuple[Int32[Array, " length"], list[Int16[Array, " length"]]]:
    """(The cells of `length` joints from number `first` on, the different own chains around each of them)."""
    # Settled twice, or XLA:CPU would look for a point in the list once for each of its chains, and would look up the
    # chains of a joint once for each joint that it is compared with.
    listing = settled(list_points(grid, rows, first, length), label[0])
    return listing.cells, settled(_own_around(grid, label, player, listing), label[0])


def _own_around(
    grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""], listing: Listing
) -> list[Int16[Array, " length"]]:
    """The different own chains around each listed point, 0 in places that are left."""
    chains = [label.at[listing.cells + step].get(mode="promise_in_bounds") for step in grid.offsets]
    sign = side_sign(player)
    own = []
    for index, chain in enumerate(chains):
        is_own = listing.is_point & (chain * sign > 0)
        for earlier in chains[:index]:
            is_own = is_own & (chain != earlier)
        own.append(jnp.where(is_own, chain, jnp.int16(0)))
    return own
