"""Plane groups: the pieces that encoders are put together from, one function a group.

The idea: every group is [rows, columns, planes of the group], bool, for one position; an encoder concatenates groups
along the last axis. Groups that speak of "own" and "opponent" take the player to move.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt32


def constant(value: Bool[Array, ""] | bool, board_shape: tuple[int, int]) -> Bool[Array, "rows columns 1"]:
    """One plane that holds `value` at every point."""
    return jnp.broadcast_to(jnp.asarray(value, jnp.bool_), (*board_shape, 1))


def own_and_opponent(board: Int[Array, "rows columns"], to_play: Int[Array, ""]) -> Bool[Array, "rows columns 2"]:
    """Two planes of `board` (0 empty, 1 player 0, 2 player 1): the pieces of the player to move, then the other's."""
    return jnp.stack([board == 1 + to_play, board == 2 - to_play], axis=-1)


def recent_stones(
    recent: UInt32[Array, "num_boards 2 rows"], to_play: Int[Array, ""]
) -> Bool[Array, "rows columns num_planes"]:
    """Two planes a board of `recent`, newest first: stones of the player to move now, then the opponent's.

    `recent` holds [board k plies ago, black or white, row] as one word a row, bit c being column c; boards are square.
    """
    # The player to move now is "own" on every board, whoever was to move there: one select turns the whole history.
    own_first = jnp.where(to_play == 0, recent, recent[:, ::-1])
    num_boards, _, size = recent.shape
    bits = (own_first[..., None] >> jnp.arange(size, dtype=jnp.uint32)) & 1  # [boards, 2, rows, columns]
    planes = bits.reshape(2 * num_boards, size, size).astype(jnp.bool_)
    return jnp.moveaxis(planes, 0, -1)
