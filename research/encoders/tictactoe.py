"""`tictactoe`: the three planes of a tic-tac-toe position.

The idea: own signs, the opponent's, and a plane of ones, which shows a convolution where the board ends (zero padding
looks like an empty point otherwise). Whose turn it is needs no plane: the game is the same for both.

*Source:* own design.
"""

import jax.numpy as jnp

from research.encoders import planes
from research.encoders.encoder import Encoder, Planes
from research.toys import TicTacToe, TicTacToeState


def make_tictactoe() -> Encoder:
    """The encoder of that name; it has no options."""
    return Encoder(
        name="tictactoe", plane_names=("own signs", "opponent signs", "ones"), game_type=TicTacToe, draw=_draw
    )


def _draw(game: TicTacToe, state: TicTacToeState) -> Planes:
    board = state.points.reshape(game.board_shape)
    pieces = planes.own_and_opponent(board, game.to_play(state))
    return jnp.concatenate([pieces, planes.constant(True, game.board_shape)], axis=-1)
