"""Planes drawn from one word a point: each plane asks whether one small number in the word has one value.

The idea: a number spread over eight planes needs four bits, not eight masks. All that forty-eight planes say of a point
fits in one word, and drawing is one mask and one compare for each value, in the order in which they lie in memory.

*Source:* own design.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Bool, UInt32

from research.go.fields import Field

ALWAYS = Field(0, 0)  # no bits, so its number is always 0


class Plane(NamedTuple):
    """One plane: its name, and the number that the field has where it is set."""

    name: str
    field: Field
    number: int


def one_hot(name: str, field: Field, numbers: range, first: int = 1) -> tuple[Plane, ...]:
    """A plane for each of `numbers`, the last standing for all higher ones too; the braces in `name` take the number.

    `first` is what the field holds for the first of them.
    """
    texts = [*map(str, numbers[:-1]), f"{numbers[-1]} or more"]
    return tuple(Plane(name.format(text), field, first + index) for index, text in enumerate(texts))


def draw_fields(words: UInt32[Array, "rows columns"], planes: tuple[Plane, ...]) -> Bool[Array, "rows columns planes"]:
    """The `planes` of words that hold the fields they ask about."""
    masks = np.array([plane.field.mask for plane in planes], np.uint32)
    numbers = np.array([plane.number << plane.field.first for plane in planes], np.uint32)
    return (words[..., None] & masks) == numbers
