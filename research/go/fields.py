"""Several small numbers of each point in one word, and how to get them out again.

What is found out about a point is often a handful of small numbers that come from the same neighbours. XLA makes one
program of a word and would make one of every number; so they are worked out once, kept in one array, and read by a
shift and a mask. Words have sixteen bits where those will do: then twice as many go into a vector.

*Source:* own design.
"""

import operator
from collections.abc import Mapping
from functools import reduce
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt16, UInt32

WORD_BITS, SHORT_WORD_BITS = 32, 16
Words = UInt16[Array, "*shape"] | UInt32[Array, "*shape"]


class Field(NamedTuple):
    """Where a number stands in a word."""

    first: int  # lowest bit
    num_bits: int

    @property
    def mask(self) -> np.uint32:
        """The word with all bits of the field set."""
        return np.uint32(((1 << self.num_bits) - 1) << self.first)


def fields_of(*num_bits: int) -> tuple[Field, ...]:
    """Fields of these widths side by side, the first being the lowest; *Raises:* ValueError if they do not fit."""
    if sum(num_bits) > WORD_BITS:
        raise ValueError(f"num_bits={num_bits}: {sum(num_bits)} bits in all, allowed are {WORD_BITS}")
    return tuple(Field(sum(num_bits[:index]), width) for index, width in enumerate(num_bits))


def pack(numbers: Mapping[Field, Int[Array, "*shape"] | Bool[Array, "*shape"]]) -> Words:
    """The words that hold these numbers, which must fit their fields; the other bits are 0."""
    num_bits = max(field.first + field.num_bits for field in numbers)
    word = jnp.uint16 if num_bits <= SHORT_WORD_BITS else jnp.uint32
    words = [number.astype(word) << word(field.first) for field, number in numbers.items()]
    return reduce(operator.or_, words)


def read(words: Words, field: Field) -> Words:
    """The number in a field."""
    return (words & words.dtype.type(field.mask)) >> words.dtype.type(field.first)


def is_set(words: Words, field: Field) -> Bool[Array, "*shape"]:
    """Whether the number in a field is not 0."""
    return (words & words.dtype.type(field.mask)) != 0
