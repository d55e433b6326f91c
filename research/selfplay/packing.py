"""Samples as rows of 32-bit words, which is how a trajectory holds planes and the replay holds whole samples.

A bool takes a byte in an array and a bit here, so most planes shrink to an eighth. That is for the memory; a TPU needs
it besides, for there an array of one byte a value is laid out in tiles of 32 x 128 over whichever axes are long, and
both to turn a rollout from plies into games and to fetch one sample means to lay all of it out anew. Words of a row lie
behind one another, and a row of whole vectors is fetched from where it is.

A word holds 32 bools or 4 bytes, the first in its lowest bits, or one value of 32 bits as it is. So where a value is
takes a shift and a mask, which is cheap enough to be done again in each select of a symmetry, as XLA:CPU does. Each
array begins a new word: what is packed already stays as it is when the sample round it is packed.

*Source:* own design.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Shaped, UInt32

WORD_BITS = 32
ROW_MULTIPLE = 128  # words of one vector of a TPU


def pack(sample: Any) -> UInt32[Array, " words"]:
    """All arrays of a sample, or of any tree, in the tree's order: each in whole words of its own.

    *Raises:* ValueError for a dtype that is not bool, uint8 or of 32 bits.
    """
    return jnp.concatenate([_pack_array(jnp.asarray(array)) for array in jax.tree.leaves(sample)])


def pack_row(sample: Any) -> UInt32[Array, " words"]:
    """`pack`, filled up with zeros to the length of a row."""
    words = pack(sample)
    return jnp.pad(words, (0, row_length(sample) - len(words)))


def row_length(example: Any) -> int:
    """Words of the row of a sample like `example`, whose leaves are arrays or their shapes."""
    num_words = sum(_num_words(array) for array in jax.tree.leaves(example))
    return -(-num_words // ROW_MULTIPLE) * ROW_MULTIPLE


def unpack(words: UInt32[Array, " words"], example: Any) -> Any:
    """The sample like `example` that begins with the first of `words`: the inverse of `pack` and of `pack_row`."""
    leaves, structure = jax.tree.flatten(example)
    ends = np.cumsum([_num_words(array) for array in leaves]).tolist()
    starts = [0, *ends[:-1]]
    arrays = [_unpack_array(words[start:end], like) for start, end, like in zip(starts, ends, leaves, strict=True)]
    return jax.tree.unflatten(structure, arrays)


def _pack_array(array: Shaped[Array, "..."]) -> UInt32[Array, " words"]:
    bits = _bits_of(array.dtype)
    if bits == WORD_BITS:
        return jax.lax.bitcast_convert_type(array, jnp.uint32).reshape(-1)
    values, num_words, num_parts = array.reshape(-1).astype(jnp.uint32), _num_words(array), WORD_BITS // bits
    parts = jnp.pad(values, (0, num_words * num_parts - array.size)).reshape(num_words, num_parts)
    return jnp.sum(parts << _shifts(bits), axis=1, dtype=jnp.uint32)


def _unpack_array(words: UInt32[Array, " words"], like: Any) -> Shaped[Array, "..."]:
    bits = _bits_of(like.dtype)
    if bits == WORD_BITS:
        return jax.lax.bitcast_convert_type(words, like.dtype).reshape(like.shape)
    parts = words[:, None] >> _shifts(bits) & np.uint32(2**bits - 1)
    return parts.reshape(-1)[: math.prod(like.shape)].reshape(like.shape).astype(like.dtype)


def _num_words(array: Any) -> int:
    return -(-math.prod(array.shape) * _bits_of(array.dtype) // WORD_BITS)


def _bits_of(dtype: Any) -> int:
    """Bits of one value."""
    dtype = np.dtype(dtype)
    bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    if bits != WORD_BITS and dtype.name not in ("bool", "uint8"):
        raise ValueError(f"the replay cannot hold {dtype}; wanted bool, uint8 or 32 bits, such as float32")
    return bits


def _shifts(bits: int) -> np.ndarray:
    """Where in a word each of its values begins."""
    return np.arange(0, WORD_BITS, bits, dtype=np.uint32)
