"""Reading many nodes of a tree at once: the rows of all its arrays in the slots that are asked for.

Every array is [nodes, games, ...] and each game asks for slots of its own. In general an array is read by itself. On
a TPU a row costs about the same whether it is one number or a thousand, and games lie on the lanes, so that an array
must be turned round before rows can be read. There all that belongs to a node is packed into one row of 32-bit words,
turned once and read once: smaller numbers share a word, the first with those a half or a quarter of the row further on.
Nothing is rounded: words are the bits that were there.

*Source:* own design.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Int32, Shaped, UInt32

_WORD = jnp.uint32
_BITS = {1: jnp.uint8, 2: jnp.uint16, 4: jnp.uint32}  # by the bytes of a number


def take_rows(arrays: Any, slots: Int32[Array, "asked games"]) -> Any:
    """The rows [asked, games, ...] of a pytree of arrays [nodes, games, ...]; any row where a slot is below 0."""
    slots = jnp.maximum(slots, 0)
    return lax.platform_dependent(arrays, slots, tpu=read_packed, default=read_each)


def read_each(arrays: Any, slots: Int32[Array, "asked games"]) -> Any:
    """The rows of each array by itself."""
    return jax.tree.map(lambda array: _read(array, slots), arrays)


def read_packed(arrays: Any, slots: Int32[Array, "asked games"]) -> Any:
    """The same, packed into one row a node."""
    leaves, structure = jax.tree.flatten(arrays)
    packed = [_pack(leaf) for leaf in leaves]
    # Joined while the games are still on the lanes, which moves nothing within a register.
    rows = _read(jnp.swapaxes(jnp.concatenate(packed, axis=1), 1, 2), slots)
    lengths = [words.shape[1] for words in packed]
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    words = jnp.swapaxes(rows, 1, 2)
    taken = [_unpack(words[:, at : at + size], leaf) for at, size, leaf in zip(starts, lengths, leaves, strict=True)]
    return jax.tree.unflatten(structure, taken)


def _read(array: Shaped[Array, "nodes games *rest"], slots: Int32[Array, "asked games"]) -> Array:
    num_nodes, num_games, *rest = array.shape
    places = slots * num_games + jnp.arange(num_games, dtype=jnp.int32)
    return array.reshape(num_nodes * num_games, *rest).at[places].get(mode="promise_in_bounds")


def _pack(array: Shaped[Array, "nodes games *rest"]) -> UInt32[Array, "nodes words games"]:
    """Each node's numbers as words."""
    flat = jnp.moveaxis(array, 1, -1).reshape(len(array), -1, array.shape[1])
    size = flat.dtype.itemsize
    bits = flat.astype(jnp.uint8) if flat.dtype == bool else lax.bitcast_convert_type(flat, _BITS[size])
    num_words = math.ceil(bits.shape[1] * size / 4)
    words = bits[:, :num_words].astype(_WORD)
    for place in range(size, 4, size):
        part = bits[:, place // size * num_words : (place // size + 1) * num_words].astype(_WORD)
        words = words | jnp.pad(part << (8 * place), ((0, 0), (0, num_words - part.shape[1]), (0, 0)))
    return words


def _unpack(words: UInt32[Array, "asked words games"], like: Shaped[Array, "nodes games *rest"]) -> Array:
    """The numbers that `_pack` made of an array such as `like`."""
    size = like.dtype.itemsize
    parts = [(words >> (8 * place)).astype(_BITS[size]) for place in range(0, 4, size)]
    bits = jnp.concatenate(parts, axis=1)[:, : math.prod(like.shape[2:])]
    numbers = bits.astype(bool) if like.dtype == bool else lax.bitcast_convert_type(bits, like.dtype)
    return jnp.moveaxis(numbers.reshape(len(words), *like.shape[2:], words.shape[2]), -1, 1)
