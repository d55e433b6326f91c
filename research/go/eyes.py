"""True eyes: empty points that their owner should not fill, told apart from false ones by their diagonals.

An eye candidate is an empty point whose neighbours all hold one colour. A diagonal point is bad if it holds the other
colour, or if it is empty and no true eye itself. A true eye has at most one bad diagonal, at the edge and in the corner
none. Since eyes lean on eyes, the true ones are the greatest set that satisfies this: start with all candidates and
drop those that fail until none does. So two eyes on each other's diagonal may each be the other's support.

The board is packed, one word a row, so one round of dropping is a few dozen bitwise operations.

*Source:* RocAlphaGo's `is_eye` (its recursion assumes that the eyes it has come from are true, which is this fixpoint).
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from research.go import grid as grids
from research.go.grid import Grid
from research.go.state import side_sign


def true_eyes(grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""]) -> Bool[Array, "size size"]:
    """The true eyes of `player` (0 black, 1 white)."""
    view = label[grid.band] * side_sign(player)
    return grids.unpack_rows(
        grid, true_eye_rows(grid, grids.pack_rows(grid, view > 0), grids.pack_rows(grid, view < 0))
    )


def true_eye_rows(
    grid: Grid, own: UInt32[Array, "*boards size"], enemy: UInt32[Array, "*boards size"]
) -> UInt32[Array, "*boards size"]:
    """The true eyes of the player with the stones `own`; all boards packed, bit c of a row's word for column c."""
    full = np.uint32((1 << grid.size) - 1)
    edge = np.full(grid.size, 1 | 1 << (grid.size - 1), np.uint32)
    edge[[0, -1]] = full
    others = full & ~own
    above, below = _rows_beside(others)
    candidates = full & ~(own | enemy | others << 1 | others >> 1 | above | below)

    def drop_false(carry):
        eyes, _ = carry
        above, below = _rows_beside(full & ~(own | eyes))
        one_above, two_above = above << 1 | above >> 1, above << 1 & above >> 1
        one_below, two_below = below << 1 | below >> 1, below << 1 & below >> 1
        is_false = two_above | two_below | one_above & one_below | edge & (one_above | one_below)
        left = eyes & ~is_false
        return left, (left != eyes).any()

    return lax.while_loop(lambda carry: carry[1], drop_false, (candidates, candidates.any()))[0]


def _rows_beside(rows: UInt32[Array, "*boards size"]) -> tuple[Array, Array]:
    """(The row above each row of packed boards, the one below); empty where there is none."""
    edge = jnp.zeros_like(rows[..., :1])
    return jnp.concatenate([edge, rows[..., :-1]], axis=-1), jnp.concatenate([rows[..., 1:], edge], axis=-1)
