"""Which points may be played, apart from superko.

A stone may stand on an empty point if some neighbour leaves it a liberty: an empty point, an own chain with another
liberty than this point, or an enemy chain without one, which is then captured. With labels and one-liberty bits that
is a look at four neighbours, for one point or for all of them at once. Where suicide is allowed an own chain in atari
will do as well: it is then taken off together with the stone, so a lone stone still may not be a suicide.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32

from research.go import grid as grids
from research.go.chains import NO_CHAIN
from research.go.grid import Grid
from research.go.rules import Rules
from research.go.state import GoState, side_sign


class Surroundings(NamedTuple):
    """What lies on one cell and left, right, above and below it, seen by the player to move."""

    is_vacant: Bool[Array, ""]  # the cell is an empty point of the board
    label: Int16[Array, "4"]
    is_open: Bool[Array, "4"]  # an empty point of the board
    is_own: Bool[Array, "4"]
    is_enemy: Bool[Array, "4"]
    in_atari: Bool[Array, "4"]  # a stone whose chain has exactly one liberty; means nothing without a stone

    def gives_liberty(self) -> Bool[Array, "4"]:
        """Whether a stone at the centre gets or keeps a liberty by what lies here."""
        return self.is_open | self.is_own & ~self.in_atari | self.is_enemy & self.in_atari

    def captured(self) -> Int16[Array, "4"]:
        """Ids of the enemy chains that a stone at the centre captures, NO_CHAIN in the other places."""
        return jnp.where(self.is_enemy & self.in_atari, self.label, NO_CHAIN)

    def is_suicide(self) -> Bool[Array, ""]:
        """Whether a stone at the centre joins an own chain and leaves it without a liberty."""
        return self.is_own.any() & ~self.gives_liberty().any()


def look_around(grid: Grid, state: GoState, cell: Int32[Array, ""]) -> Surroundings:
    """The surroundings of `cell`, which must be neither in the first nor the last row of the mailbox."""
    # One gather reads all: twice the label, and a low bit for a chain in atari or, with label 0, off the board.
    code = 2 * state.label + (state.atari | ~grid.on_board)
    read = code.at[cell + np.append(grid.offsets, 0)].get(mode="promise_in_bounds")
    label, in_atari = read[:4] >> 1, (read[:4] & 1) == 1
    view = label * side_sign(state.to_play)
    return Surroundings(
        is_vacant=read[4] == 0,
        label=label,
        is_open=read[:4] == 0,
        is_own=view > 0,
        is_enemy=view < 0,
        in_atari=in_atari,
    )


def is_legal_point(rules: Rules, state: GoState, cell: Int32[Array, ""], around: Surroundings) -> Bool[Array, ""]:
    """Whether the player to move may play on `cell`, superko apart."""
    breathes = around.gives_liberty() | around.is_own if rules.suicide else around.gives_liberty()
    return around.is_vacant & (cell != state.ko) & breathes.any()


def legal_points(grid: Grid, rules: Rules, state: GoState) -> Bool[Array, " band"]:
    """Which cells of the band the player to move may play on, superko apart."""
    view = state.label * side_sign(state.to_play)
    stone_breathes = (view > 0) | state.atari if rules.suicide else (view > 0) ^ state.atari
    breathes = jnp.where(view == 0, grid.on_board, stone_breathes)
    is_free = (state.label[grid.band] == 0) & grid.on_board[grid.band] & (grid.band_cells != state.ko)
    return is_free & grids.any_neighbour(grid, breathes)
