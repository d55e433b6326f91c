"""Which points may be played, apart from superko.

A stone may stand on an empty point if some neighbour leaves it a liberty: an empty point, an own chain with another
liberty than this point, or an enemy chain without one, which is then captured. With labels and one-liberty bits that
is a look at four neighbours, for one point or for all of them at once. Where suicide is allowed an own chain in atari
will do as well: it is then taken off together with the stone, so a lone stone still may not be a suicide.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32

from research.go import grid as grids
from research.go.chains import NO_CHAIN
from research.go.grid import Grid
from research.go.rules import Rules
from research.go.state import GoState, side_sign


class Surroundings(NamedTuple):
    """What lies left, right, above and below one cell, seen by the player to move."""

    label: Int16[Array, "4"]
    is_open: Bool[Array, "4"]  # an empty point of the board
    is_own: Bool[Array, "4"]
    is_enemy: Bool[Array, "4"]
    in_atari: Bool[Array, "4"]  # a stone whose chain has exactly one liberty

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
    """The surroundings of `cell`, which must be a point of the board."""
    near = cell + grid.offsets
    label = state.label.at[near].get(mode="promise_in_bounds")
    on_board = jnp.asarray(grid.on_board).at[near].get(mode="promise_in_bounds")
    view = label * side_sign(state.to_play)
    return Surroundings(
        label=label,
        is_open=(label == 0) & on_board,
        is_own=view > 0,
        is_enemy=view < 0,
        in_atari=state.atari.at[near].get(mode="promise_in_bounds"),
    )


def is_legal_point(rules: Rules, state: GoState, cell: Int32[Array, ""], around: Surroundings) -> Bool[Array, ""]:
    """Whether the player to move may play on the point `cell`, superko apart."""
    breathes = around.gives_liberty() | around.is_own if rules.suicide else around.gives_liberty()
    is_empty = state.label.at[cell].get(mode="promise_in_bounds") == 0
    return is_empty & (cell != state.ko) & breathes.any()


def legal_points(grid: Grid, rules: Rules, state: GoState) -> Bool[Array, " band"]:
    """Which cells of the band the player to move may play on, superko apart."""
    view = state.label * side_sign(state.to_play)
    stone_breathes = (view > 0) | state.atari if rules.suicide else (view > 0) ^ state.atari
    breathes = jnp.where(view == 0, grid.on_board, stone_breathes)
    is_free = (state.label[grid.band] == 0) & grid.on_board[grid.band] & (grid.band_cells != state.ko)
    return is_free & grids.any_neighbour(grid, breathes)
