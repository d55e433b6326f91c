"""Tromp-Taylor area: a player's points are the own stones and the empty points that reach only those.

The flood runs on the packed board, one word a row: a whole board is 2 * size words, so a trip of the loop is a few
vector operations. It stops when no board changes; a board that is not asked for starts with nothing left to do, so
under vmap it adds no trip.

*Source:* Tromp-Taylor rules, rules 4 and 9.
"""

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32


def area_difference(rows: UInt32[Array, "2 size"], is_wanted: Bool[Array, ""] | bool = True) -> Int32[Array, ""]:
    """Black's area minus White's of a packed board; unless `is_wanted` some difference that costs nothing."""
    size = rows.shape[1]
    board_mask = jnp.uint32((1 << size) - 1)
    empty = jnp.where(is_wanted, ~(rows[0] | rows[1]) & board_mask, jnp.uint32(0))

    def spread(carry):
        reach, _ = carry
        wider = reach | _beside(reach) & empty
        return wider, (wider != reach).any()

    reach, _ = lax.while_loop(lambda carry: carry[1], spread, (rows, empty.any()))
    only_black, only_white = reach[0] & ~reach[1], reach[1] & ~reach[0]
    points = lax.population_count(only_black).astype(jnp.int32) - lax.population_count(only_white).astype(jnp.int32)
    return points.sum()


def _beside(rows: UInt32[Array, "2 size"]) -> UInt32[Array, "2 size"]:
    """The neighbours of each colour's points, off-board columns included."""
    edge = jnp.zeros((2, 1), jnp.uint32)
    above = jnp.concatenate([edge, rows[:, :-1]], axis=1)
    below = jnp.concatenate([rows[:, 1:], edge], axis=1)
    return rows << 1 | rows >> 1 | above | below
