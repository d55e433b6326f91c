"""`agz17`: the seventeen planes of AlphaGo Zero.

The idea: the last eight boards, newest first, each as two planes (stones of the player to move now, then the
opponent's, on every board alike), and one plane that says who is to move, which is what lets the network know whom
the komi favours. A pass is a ply and repeats the board. Boards from before the start, which with set-up stones is the
set-up, are zeros.

Minigo repeats the oldest board instead of zeros; pgx's last plane holds the opposite bit.

*Source:* Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), Methods, "Neural
network architecture".
"""

import jax.numpy as jnp

from research.encoders import planes
from research.encoders.encoder import Encoder, Planes
from research.go import Go, GoState

NUM_BOARDS = 8

_PLANE_NAMES = (
    *(f"{side} stones, {k} plies ago" for k in range(NUM_BOARDS) for side in ("own", "opponent")),
    "black to move",
)


def make_agz17() -> Encoder:
    """The encoder of that name; it has no options."""
    return Encoder(name="agz17", plane_names=_PLANE_NAMES, game_type=Go, draw=_draw)


def _draw(game: Go, state: GoState) -> Planes:
    to_play = game.to_play(state)
    stones = planes.recent_rows(state.recent_boards, to_play)
    return planes.draw_rows(jnp.concatenate([stones, planes.constant_rows(to_play == 0, game.rules.size)], axis=1))
