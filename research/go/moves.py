"""What a move does to the stones: it takes chains off, joins chains, and leaves some in atari.

A move touches at most five chains: the four around its cell and the one it becomes part of. So with labels

1. an enemy chain beside the cell is captured exactly if it is in atari, for its one liberty must be this cell;
2. the own chains beside the cell and the new stone become one chain, whose id is this cell;
3. the touched chains that stay are asked anew whether they have one liberty;
4. chains beside stones that were taken off gained liberties and had one, or none but the cell just filled, so they
   are out of atari. There is no bound on their number, but hardly ever more than one was in atari.

All four are compares and selects over the board. A suicide is a capture of the player's own chains in which the stone
itself is never placed; the enemy chains beside it are those that gain liberties.

Simple ko: the ban exists exactly if one stone was captured by a stone that stands alone and has one liberty.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from research.go import grid as grids
from research.go.chains import NO_CHAIN, has_one_liberty, is_member
from research.go.grid import Grid
from research.go.legality import Surroundings
from research.go.rules import Rules
from research.go.state import NO_KO, GoState, side_sign


class Removal(NamedTuple):
    """What a stone on a point would take off the board."""

    ids: Int16[Array, "4"]  # of the chains, NO_CHAIN in the other places
    is_suicide: Bool[Array, ""]  # they are the player's own


class Placement(NamedTuple):
    """The stones after a move, and what changed."""

    label: Int16[Array, " cells"]
    atari: Bool[Array, " cells"]
    cell: Int32[Array, ""]  # where the move was
    is_placed: Bool[Array, ""]  # a stone stands there now; not so after a suicide
    removed: UInt32[Array, " size"]  # stones that were taken off, bit c of a row's word for column c
    sides: UInt32[Array, ""]  # bits 0..3: on the left, right, above, below a chain was taken off
    ko: Int32[Array, ""]  # cell that the opponent may not play on at once, NO_KO for none


def removal(rules: Rules, around: Surroundings) -> Removal:
    """The chains that a stone at the centre of `around` would take off."""
    if not rules.suicide:
        return Removal(around.captured(), jnp.bool_(False))
    is_suicide = around.is_suicide()
    own = jnp.where(around.is_own, around.label, NO_CHAIN)
    return Removal(jnp.where(is_suicide, own, around.captured()), is_suicide)


def place(
    grid: Grid, state: GoState, cell: Int32[Array, ""], around: Surroundings, taken: Removal, is_played: Bool[Array, ""]
) -> Placement:
    """The stones after the player to move has played on `cell`; as before unless `is_played`."""
    sign = side_sign(state.to_play)
    is_placed = is_played & ~taken.is_suicide
    new_id = jnp.where(is_placed, cell.astype(jnp.int16) * sign, NO_CHAIN)
    removed = is_member(state.label, jnp.where(is_played, taken.ids, NO_CHAIN))
    joined = is_member(state.label, jnp.where(is_placed & around.is_own, around.label, NO_CHAIN))
    joined = joined | (np.arange(grid.num_cells, dtype=np.int16) == new_id * sign)
    label = jnp.where(removed, jnp.int16(0), jnp.where(joined, new_id, state.label))

    is_pressed = is_placed & around.is_enemy & ~around.in_atari
    touched = jnp.append(jnp.where(is_pressed, around.label, NO_CHAIN), new_id)
    is_one = has_one_liberty(grid, label, touched)
    pressed = is_member(label, jnp.where(is_one[:4], touched[:4], NO_CHAIN))
    atari = jnp.where(label == new_id, is_one[4], state.atari & (label != 0) | pressed)
    gaining_sign = jnp.where(taken.is_suicide, -sign, sign)
    # The same cells as `removed`, by two compares: whoever reads a mask works it out again for each neighbour.
    emptied = (state.label != 0) & (label == 0)
    atari = _free_beside(grid, label, atari, emptied, gaining_sign, new_id)

    removed_rows = grids.pack_rows(grid, removed[grid.band])
    # A chain of one stone that was captured from here lies beside this cell.
    captured_cell = jnp.where(taken.ids != NO_CHAIN, cell + grid.offsets, NO_KO).max()
    is_single = lax.population_count(removed_rows).sum() == 1
    is_ko = is_placed & is_single & ~around.is_own.any() & is_one[4]
    bits = np.uint32(1) << np.arange(4, dtype=np.uint32)
    sides = jnp.where(is_played & (taken.ids != NO_CHAIN), bits, np.uint32(0)).sum(dtype=jnp.uint32)
    return Placement(label, atari, cell, is_placed, removed_rows, sides, jnp.where(is_ko, captured_cell, NO_KO))


def _free_beside(
    grid: Grid,
    label: Int16[Array, " cells"],
    atari: Bool[Array, " cells"],
    removed: Bool[Array, " cells"],
    gaining_sign: Int16[Array, ""],
    new_id: Int16[Array, ""],
) -> Bool[Array, " cells"]:
    """`atari` without the chains of colour `gaining_sign` beside `removed` cells, one chain a trip.

    The new chain is left out: its liberties were counted with the removed stones gone.
    """
    band = label[grid.band]
    is_beside = grids.any_neighbour(grid, removed) & (band != new_id)
    gaining = jnp.where(is_beside, jnp.maximum(band * gaining_sign, 0), jnp.int16(0))

    def next_chain(atari):
        """Highest id of the gaining chains still marked as in atari, 0 for none."""
        return grids.reduce_slices(
            lax.max,
            0,
            lambda part, ids: jnp.where(part, ids, np.int16(0)),
            atari[grid.band],
            gaining,
            lanes=grid.width,
        )

    def free(carry):
        atari, chain = carry
        atari = atari & (label != chain * gaining_sign)
        return atari, next_chain(atari)

    return lax.while_loop(lambda carry: carry[1] > 0, free, (atari, next_chain(atari)))[0]
