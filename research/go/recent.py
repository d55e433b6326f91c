"""The last eight boards and moves, kept for encoders in the smallest form that needs no unpacking to be kept.

A board is two words a row, one a colour, so eight boards of 19x19 are 1,216 bytes. The newest is changed by what the
move placed and removed, not packed anew from the labels.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Int32

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
    stone = jnp.where(placed.is_placed, grids.pack_cell(grid, placed.cell), jnp.uint32(0))
    is_mover = np.arange(2, dtype=np.int32)[:, None] == player
    newest = boards[0] & ~placed.removed | jnp.where(is_mover, stone, jnp.uint32(0))
    older = jnp.where(is_turn, boards[:-1], boards[1:])
    move = jnp.where(is_turn, action.astype(jnp.int16), moves[0])
    older_moves = jnp.where(is_turn, moves[:-1], moves[1:])
    players = (state.recent_players << 1 | player) & ((1 << NUM_RECENT) - 1)
    players = jnp.where(is_turn, players, state.recent_players)
    return state._replace(
        recent_boards=jnp.concatenate([newest[None], older]),
        recent_moves=jnp.concatenate([move[None], older_moves]),
        recent_players=players,
    )
