"""The last eight boards and moves, kept for encoders in the smallest form that needs no unpacking to be kept.

A board is two words a row, one a colour, so eight boards of 19x19 are 1,216 bytes. The newest is changed by what the
move placed and removed, not packed anew from the labels.

The board before all these is not kept, for four bits say as much: a captured chain leaves an empty region that touches
the stone which captured it and otherwise only stones of that colour. So the sides on which a move took chains off tell
which of the regions beside it held stones before.
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
    stone = jnp.where(placed.is_placed, grids.pack_cell(grid, placed.cell), jnp.uint32(0))
    is_mover = np.arange(2, dtype=np.int32)[:, None] == player
    newest = boards[0] & ~placed.removed | jnp.where(is_mover, stone, jnp.uint32(0))
    older = jnp.where(is_turn, boards[:-1], boards[1:])
    is_newest = np.arange(NUM_RECENT, dtype=np.int32) == 0
    # A select over all moves, not a new one put in front: that would be more kernels on a TPU.
    earlier_moves = jnp.where(is_newest, action.astype(jnp.int16), jnp.concatenate([moves[:1], moves[:-1]]))
    players = (state.recent_players << 1 | player) & ((1 << NUM_RECENT) - 1)
    players = jnp.where(is_turn, players, state.recent_players)
    captures = jnp.where(is_turn, state.recent_captures << 4 | placed.sides, state.recent_captures)
    return state._replace(
        recent_boards=jnp.concatenate([newest[None], older]),
        recent_moves=jnp.where(is_turn, earlier_moves, moves),
        recent_players=players,
        recent_captures=captures,
    )


def board_before(grid: Grid, state: GoState) -> UInt32[Array, "2 size"]:
    """The board before the oldest of the recent moves: NUM_RECENT plies ago. Empty if the game is not as old as that.

    Black's and White's stones, one word a row, as in `recent_boards`.
    """
    oldest = state.recent_boards[-1]
    action, sides = state.recent_moves[-1].astype(jnp.int32), state.recent_captures >> 4 * (NUM_RECENT - 1)
    player = state.recent_players >> (NUM_RECENT - 1) & 1
    cell = grids.cell_of(grid, jnp.clip(action, 0, grid.num_points - 1))
    is_point = (action >= 0) & (action < grid.num_points)
    point = jnp.where(is_point, grids.pack_cell(grid, cell), jnp.uint32(0))
    beside = jnp.zeros(grid.size, jnp.uint32)
    for side, offset in enumerate(grid.offsets):
        beside |= jnp.where(sides >> side & 1 > 0, grids.pack_cell(grid, cell + offset), jnp.uint32(0))
    occupied = oldest[0] | oldest[1]
    # Only where something was taken off is there anything to flood.
    empty = jnp.where(sides > 0, ~occupied & np.uint32((1 << grid.size) - 1), jnp.uint32(0))
    taken = grids.flood_rows(beside[None], empty)[0] & ~point
    # A suicide takes its own stones off, and its stone does not stand.
    is_suicide = ~(occupied & point).any()
    is_taken_side = np.arange(2, dtype=np.int32)[:, None] == jnp.where(is_suicide, player, 1 - player)
    before = oldest & ~point | jnp.where(is_taken_side, taken, jnp.uint32(0))
    return jnp.where(state.num_moves >= NUM_RECENT, before, jnp.uint32(0))
