"""Many yes-or-no planes at once, as bits of two words a point.

The idea: forty-eight planes laid side by side and then turned so that they come last is a transposition of bytes,
which neither a CPU nor a TPU is good at. Instead each point gathers its planes in two words, thirty-one bits in each,
with all points side by side; drawing then tests one bit for each value, in the order in which they lie in memory.

*Source:* own design.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from research.go import Go, GoState
from research.go.settled import settled
from research.go.state import NUM_RECENT

WORD_PLANES = 31  # planes in the first word
MOVE_NAMES = ("last move", "2nd last move", "3rd last move", *(f"{k}th last move" for k in range(4, NUM_RECENT + 1)))


def draw_points(
    masks: Sequence[Bool[Array, "size size"] | Bool[Array, ""]], state: GoState
) -> Bool[Array, "size size num_planes"]:
    """The planes `masks` of `state`, at most 62, in that order; a mask without axes is a constant plane."""
    first, second = settled((_word(masks[:WORD_PLANES]), _word(masks[WORD_PLANES:])), state.num_moves)
    plane = np.arange(len(masks))
    bit = np.uint32(1) << (plane % WORD_PLANES).astype(np.uint32)
    return (jnp.where(plane < WORD_PLANES, first[..., None], second[..., None]) & bit) != 0


def exact_masks(values: Int[Array, "size size"], most: int) -> list[Bool[Array, "size size"]]:
    """Where `values` is exactly 1, exactly 2, and so on up to `most`; more than that is in no mask."""
    return [values == value for value in range(1, most + 1)]


def move_masks(game: Go, state: GoState) -> list[Bool[Array, "size size"]]:
    """The point of the last move, of the one before, and so on; empty for a pass and before the first move."""
    points = np.arange(game.grid.num_points, dtype=np.int16).reshape(game.board_shape)
    return [state.recent_moves[k] == points for k in range(NUM_RECENT)]


def _word(masks: Sequence[Bool[Array, "size size"] | Bool[Array, ""]]) -> UInt32[Array, "size size"]:
    """One bit a mask, the first mask being the lowest."""
    word = jnp.uint32(0)
    for index, mask in enumerate(masks):
        word = word | jnp.where(mask, np.uint32(1 << index), np.uint32(0))
    return word
