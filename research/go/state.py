"""One position of a game of Go, and what the rules and the encoders must remember of the way there.

The board is held as chain labels rather than stones: `label` says which chain a stone belongs to and `atari` whether
that chain has exactly one liberty. A chain's id is the cell of the stone that last extended it, which stays unique
while the chain lives. Both suffice to tell captures, suicide and legality from the four neighbours of a point.

At 19x19 a state takes 2,536 bytes without the superko history; a search node carries no more than that history's
entries on its own path (see superko.py).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int, Int8, Int16, Int32, UInt32

from research.go import grid as grids

PLAYERS = ("black", "white")
NUM_RECENT = 8  # boards and moves that a state remembers for the encoders
NO_MOVE = -1  # in recent_moves: before the first move
NO_KO = 0  # cell 0 is off the board
TURN_CHANGED = -1  # in ko: no ban, and the player to move was changed since the last move


class GoState(NamedTuple):
    """One game. Every field is data; the rules are closed over by the functions that take it."""

    label: Int16[Array, " cells"]  # id of the chain of the stone here, + black, - white; 0 empty or off the board
    atari: Bool[Array, " cells"]  # this stone's chain has exactly one liberty
    recent_boards: UInt32[Array, "8 2 size"]  # board t plies ago (0 = now): black, white rows, bit c = column c
    recent_moves: Int16[Array, "8"]  # action of the last move, the one before, ...; NO_MOVE before the first
    recent_players: Int32[Array, ""]  # bit t: player of recent_moves[t], 0 black, 1 white
    recent_captures: UInt32[Array, ""]  # bits 4t..4t+3: sides (grid.offsets) on which recent_moves[t] took chains
    to_play: Int32[Array, ""]  # 0 black, 1 white
    passes: Int32[Array, ""]  # passes in a row up to now; 2 ends the game
    num_moves: Int32[Array, ""]  # plies since the start or the set-up
    ko: Int32[Array, ""]  # cell banned by simple ko; NO_KO or TURN_CHANGED: none
    komi: Float32[Array, ""]  # points White gets
    hashes: UInt32[Array, "3"]  # of the board: black stones, white stones, both (see zobrist.py)
    history: UInt32[Array, "3 history"]  # situations that superko forbids to repeat; no columns under simple ko
    history_length: Int32[Array, ""]  # situations pushed; those beyond the last column were dropped


class History(NamedTuple):
    """Superko history that a search tree's nodes share: what had occurred up to the root."""

    entries: UInt32[Array, "3 history"]  # as GoState.history
    length: Int32[Array, ""]  # as GoState.history_length


def board_size(state: GoState) -> int:
    """Points a side, read off the shapes; also of a batch of states."""
    return state.recent_boards.shape[-1]


def board(state: GoState) -> Int8[Array, "size size"]:
    """The stones: 0 empty, 1 black, 2 white."""
    grid = grids.Grid(board_size(state))
    label = grids.to_points(grid, state.label[grid.band])
    return jnp.where(label > 0, 1, jnp.where(label < 0, 2, 0)).astype(jnp.int8)


def ko_action(state: GoState) -> Int32[Array, ""]:
    """Action that simple ko bans for the player to move, -1 for none."""
    width = board_size(state) + 1
    row = state.ko // width - 1
    return jnp.where(state.ko > NO_KO, row * (width - 1) + state.ko % width, -1)


def side_sign(player: Int32[Array, ""]) -> Int16[Array, ""]:
    """Sign of `player`'s labels: +1 black, -1 white."""
    return (1 - 2 * player).astype(jnp.int16)


def with_to_play(state: GoState, player: Int[Array, ""] | int | str) -> GoState:
    """`state` with `player` (0 or "black", 1 or "white") to move.

    If that is a change it lifts a simple-ko ban. The history stays as it is, so superko may still forbid the point.
    *Raises:* ValueError for another name.
    """
    player = jnp.asarray(player_number(player), jnp.int32)
    ko = jnp.where(player == state.to_play, state.ko, TURN_CHANGED)
    return state._replace(to_play=player, ko=ko)


def player_number(player: Int[Array, ""] | int | str) -> Int[Array, ""] | int:
    """0 for "black", 1 for "white", a number as it is; *Raises:* ValueError for another name."""
    if isinstance(player, jax.core.Tracer):
        return player
    if not isinstance(player, str):
        if int(player) != player or int(player) not in (0, 1):
            raise ValueError(f"player {player!r}: allowed is 0 or 'black', 1 or 'white'")
        return player
    if player not in PLAYERS:
        raise ValueError(f"player {player!r}: allowed is one of {', '.join(PLAYERS)}")
    return PLAYERS.index(player)
