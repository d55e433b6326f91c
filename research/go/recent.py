"""The last eight boards and moves, kept for encoders in the smallest form that needs no unpacking to be kept.

A board is two words a row, one a colour, so eight boards of 19x19 are 1,216 bytes. The newest is changed by what the
move placed and removed, not packed anew from the labels.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32, UInt32

from research.go import grid as grids
from research.go.grid import Grid
from research.go.moves import Placement
from research.go.state import NUM_RECENT, GoState


def remember(
    grid: Grid,
    state: GoState,
    player: Int32[Array, ""],
    action: Int[Array, ""],
    placed: Placement,
    is_turn: Bool[Array, ""],
) -> GoState:
    """`state` with the move `action` of `player` and the board it led to in front; as it was unless `is_turn`."""
    boards, moves = state.recent_boards, state.recent_moves
    newest = rows_after(grid, boards[0], player, placed)
    boards = jnp.where(is_turn, jnp.concatenate([newest[None], boards[:-1]]), boards)
    moves = jnp.where(is_turn, jnp.concatenate([action.astype(jnp.int16)[None], moves[:-1]]), moves)
    players = (state.recent_players << 1 | player) & ((1 << NUM_RECENT) - 1)
    players = jnp.where(is_turn, players, state.recent_players)
    return state._replace(recent_boards=boards, recent_moves=moves, recent_players=players)


def rows_after(
    grid: Grid, rows: UInt32[Array, "2 size"], player: Int32[Array, ""], placed: Placement
) -> UInt32[Array, "2 size"]:
    """The packed board `rows` with the stone of `player` that a move placed and without those it removed."""
    row, column = placed.cell // grid.width - 1, placed.cell % grid.width
    is_here = (jnp.arange(grid.size) == row)[None, :] & (jnp.arange(2) == player)[:, None] & placed.is_placed
    stone = jnp.where(is_here, jnp.uint32(1) << column.astype(jnp.uint32), jnp.uint32(0))
    return rows & ~pack_rows(grid, placed.removed[grid.band]) | stone


def pack_rows(grid: Grid, mask: Bool[Array, " band"]) -> UInt32[Array, " size"]:
    """One word a board row, bit c for column c."""
    bits = np.uint32(1) << np.arange(grid.size, dtype=np.uint32)
    return jnp.where(grids.to_points(grid, mask), bits, np.uint32(0)).sum(1, dtype=jnp.uint32)
