"""`absolute17`: the last eight boards in absolute colours, and who is to move.

The idea: the planes of AlphaGo Zero without its point of view. Black's stones on the eight boards come first, newest
first, then White's, and "black to move" last; so the network has to learn that the game is the same for both. A pass
is a ply and repeats the board. Boards from before the start, which with set-up stones is the set-up, are zeros.

The published sentence lists the boards from the oldest on. Read to the letter, the oldest of those that there are is
plane 0, so that a game's first plies fill the front and the planes behind them are zeros: `draw_oldest_first`. It is
no encoder of its own.

*Source:* own design after Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017),
Methods, whose planes these are apart from colour and order.
"""

import jax.numpy as jnp
from jaxtyping import Array, UInt32

from research.encoders import planes
from research.encoders.encoder import Encoder, Planes
from research.go import Go, GoState
from research.go.state import NUM_RECENT, PLAYERS

_PLANE_NAMES = (
    *(f"{colour} stones, {k} plies ago" for colour in PLAYERS for k in range(NUM_RECENT)),
    "black to move",
)


def make_absolute17() -> Encoder:
    """The encoder of that name; it has no options."""
    return Encoder(name="absolute17", plane_names=_PLANE_NAMES, game_type=Go, draw=_draw)


def draw_oldest_first(game: Go, state: GoState) -> Planes:
    """The planes with each colour's boards in the order in which they came, the first of them in plane 0."""
    num_boards = jnp.minimum(state.num_moves + 1, NUM_RECENT)
    plies_ago = num_boards - 1 - jnp.arange(NUM_RECENT)
    ordered = state.recent_boards[jnp.maximum(plies_ago, 0)]
    return _draw_boards(jnp.where(plies_ago[:, None, None] >= 0, ordered, jnp.uint32(0)), state)


def _draw(game: Go, state: GoState) -> Planes:
    return _draw_boards(state.recent_boards, state)


def _draw_boards(boards: UInt32[Array, "8 2 size"], state: GoState) -> Planes:
    """The planes of `boards` [number, colour, row], one word a row, in that order."""
    size = boards.shape[-1]
    stones = jnp.swapaxes(boards, 0, 1).reshape(2 * NUM_RECENT, size).T
    return planes.draw_rows(jnp.concatenate([stones, planes.constant_rows(state.to_play == 0, size)], axis=1))
