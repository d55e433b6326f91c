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
from research.go.state import NUM_RECENT

WORD_PLANES = 31  # planes in the first word


def draw_points(masks: Sequence[Bool[Array, "size size"] | Bool[Array, ""]]) -> Bool[Array, "size size num_planes"]:
    """The planes `masks`, at most 62, in that order; a mask without axes is a constant plane."""
    words = [_word(masks[:WORD_PLANES]), _word(masks[WORD_PLANES:])]
    size = max(word.shape[-1] for word in words)
    joined = jnp.zeros((2, size, size), jnp.uint32)
    joined = joined.at[0].set(words[0])
    joined = joined.at[1].set(words[1])
    plane = np.arange(len(masks))
    is_first, bit = plane < WORD_PLANES, np.uint32(1) << (plane % WORD_PLANES).astype(np.uint32)
    word = jnp.where(is_first, joined[0, :, :, None], joined[1, :, :, None])
    return (word & bit) != 0


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
