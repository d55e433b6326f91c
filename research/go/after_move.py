"""What a move at each point would lead to, for all points at once: stones taken, liberties, sizes, threats.

*Source:* own design.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16, Int32

from research.go import grid as grids
from research.go.chains import NO_CHAIN, is_member
from research.go.grid import Grid
from research.go.liberties import chain_counts
from research.go.state import side_sign


class AfterMove(NamedTuple):
    """The position after a move of the player at each point; 0 where the move is not legal."""

    captured: Int16[Array, "size size"]  # enemy stones taken off
    liberties: Int16[Array, "size size"]  # of the resulting own chain; 0 also for a suicide
    stones: Int16[Array, "size size"]  # of the resulting own chain, the new one included; 0 for a suicide
    enemy_liberties: Int16[Array, "size size"]  # fewest among the enemy chains beside the point that stay; 0 for none
    enemy_in_atari: Int16[Array, "size size"]  # stones of those enemy chains that then have exactly one liberty


def after_moves(
    grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""], legal: Bool[Array, "size size"]
) -> AfterMove:
    """What a move of `player` (0 black, 1 white) at each of the `legal` points would lead to."""
    counts = chain_counts(grid, label)
    sign = side_sign(player)

    def try_point(cell, is_legal):
        around = cell + grid.offsets
        ids = label[around]
        is_new = jnp.stack([(ids[:i] != ids[i]).all() for i in range(4)])
        own, enemy = is_new & (ids * sign > 0), is_new & (ids * sign < 0)
        taken = enemy & (counts.liberties[around] == 1)
        stays = enemy & ~taken
        merged = is_member(label, jnp.where(own, ids, NO_CHAIN)) | (jnp.arange(grid.num_cells) == cell)
        removed = is_member(label, jnp.where(taken, ids, NO_CHAIN))
        empty = (((label == 0) & grid.on_board) | removed) & ~merged
        band = grid.band
        liberties = (grids.any_neighbour(grid, merged) & empty[band]).sum()
        is_suicide = liberties == 0
        empty = jnp.where(is_suicide, empty | merged, empty)

        def liberties_of(chain):
            return (grids.any_neighbour(grid, label == chain) & empty[band]).sum()

        enemy_liberties = jnp.stack([liberties_of(ids[i]) for i in range(4)])
        fewest = jnp.where(stays, enemy_liberties, 999).min()
        values = (
            jnp.where(taken, counts.stones[around], 0).sum(),
            liberties,
            jnp.where(is_suicide, 0, merged.sum()),
            jnp.where(stays.any(), fewest, 0),
            jnp.where(stays & (enemy_liberties == 1), counts.stones[around], 0).sum(),
        )
        return [jnp.where(is_legal, value, 0).astype(jnp.int16) for value in values]

    values = jax.vmap(try_point)(grid.cells, legal.reshape(-1))
    return AfterMove(*(value.reshape(grid.size, grid.size) for value in values))
