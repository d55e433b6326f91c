"""The toys' encoders: drawn planes, and the player to move is always "own"."""

import jax
import jax.numpy as jnp
import numpy as np

from research import encoders
from research.toys import Bandit, BanditRules, TicTacToe


def rows_of(plane: jax.Array) -> list[str]:
    """A plane as rows of 0 and 1."""
    return ["".join("01"[int(bit)] for bit in row) for row in np.asarray(plane)]


def test_tictactoe_shows_own_signs_first_whoever_is_to_move() -> None:
    game, encoder = TicTacToe(), encoders.get("tictactoe")
    state = game.init()
    for action in (4, 0, 8):
        state = game.step(state, jnp.int32(action))
    planes = encoder.encode(game, state)  # O to move
    assert planes.shape == (3, 3, 3)
    assert planes.dtype == jnp.bool_
    assert rows_of(planes[..., 0]) == ["100", "000", "000"]
    assert rows_of(planes[..., 1]) == ["000", "010", "001"]
    assert rows_of(planes[..., 2]) == ["111", "111", "111"]
    planes = encoder.encode(game, game.step(state, jnp.int32(1)))  # X to move
    assert rows_of(planes[..., 0]) == ["000", "010", "001"]
    assert rows_of(planes[..., 1]) == ["110", "000", "000"]


def test_bandit_shows_what_can_be_pulled_and_then_what_was() -> None:
    game, encoder = Bandit(BanditRules(payoffs=(0.0, 1.0, -1.0, 0.5))), encoders.get("bandit")
    planes = encoder.encode(game, game.init())
    assert planes.shape == (*game.board_shape, 2)
    assert planes.dtype == jnp.bool_
    assert (rows_of(planes[..., 0]), rows_of(planes[..., 1])) == (["1111"], ["0000"])
    planes = encoder.encode(game, game.step(game.init(), jnp.int32(2)))
    assert (rows_of(planes[..., 0]), rows_of(planes[..., 1])) == (["0000"], ["0010"])
