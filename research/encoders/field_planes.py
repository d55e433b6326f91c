"""Planes drawn from what is known of each point, as one small number of a word, and from packed boards.

The idea: forty-eight planes laid side by side and then turned so that they come last is a transposition of bytes, which
neither a CPU nor a TPU is good at. So nothing is drawn before all is known. What was found out about a point stands in
one word a point: a number spread over eight planes needs four bits, not eight masks. What is a board already, such as
the stones some plies ago, stays packed, one word a row. Each value of the planes is then one mask and one compare of a
word, and one test of a bit, written in the order in which they lie in memory.

*Source:* own design.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

from research.encoders import packed
from research.go import GoState
from research.go import grid as grids
from research.go.fields import Field, Words
from research.go.grid import Grid
from research.go.settled import settled

ALWAYS = Field(0, 0)  # no bits, so its number is always 0
BOARD = 1  # number of ALWAYS that it never is: the plane is one of the packed boards
Boards = UInt32[Array, "num_boards size"]


class Plane(NamedTuple):
    """One plane: its name, and the number that the field has where it is set."""

    name: str
    field: Field
    number: int

    @property
    def is_board(self) -> bool:
        """Whether the plane is one of the packed boards."""
        return self.field == ALWAYS and self.number == BOARD


def board_planes(*names: str) -> tuple[Plane, ...]:
    """Planes that are packed boards, one each, in the order in which the boards are given."""
    return tuple(Plane(name, ALWAYS, BOARD) for name in names)


def flag_planes(fields: Sequence[Field], names: Sequence[str]) -> tuple[Plane, ...]:
    """Planes that are set where a field of one bit is."""
    return tuple(Plane(name, field, 1) for name, field in zip(names, fields, strict=True))


def one_hot(name: str, field: Field, numbers: range, first: int = 1) -> tuple[Plane, ...]:
    """A plane for each of `numbers`, the last standing for all higher ones too; the braces in `name` take the number.

    `first` is what the field holds for the first of them.
    """
    texts = [*map(str, numbers[:-1]), f"{numbers[-1]} or more"]
    return tuple(Plane(name.format(text), field, first + index) for index, text in enumerate(texts))


def exact(name: str, field: Field, most: int, first: int = 1) -> tuple[Plane, ...]:
    """A plane for each number from 1 to `most`, for which the field holds `first` and so on; higher ones have none."""
    return tuple(Plane(name.format(count), field, first + count - 1) for count in range(1, most + 1))


def up_to(most: int, values: Int[Array, " band"]) -> Int[Array, " band"]:
    """`values`, and 0 for those above `most`, which is how `exact` wants them."""
    return jnp.where(values <= most, values, values.dtype.type(0))


def draw_fields(
    grid: Grid,
    words: Words,
    planes: tuple[Plane, ...],
    state: GoState,
    boards: Boards | None = None,
) -> Bool[Array, "size size num_planes"]:
    """The `planes` of `state`, whose cells have the `words`; `boards` are those of the planes that are boards."""
    # What has no place in the words was not found out, such as ladders that are not read: its planes are empty.
    top = np.iinfo(words.dtype).max
    held = [plane if plane.field.mask <= top else Plane(plane.name, ALWAYS, BOARD) for plane in planes]
    masks = np.array([plane.field.mask for plane in held], words.dtype)
    numbers = np.array([plane.number << plane.field.first for plane in held], words.dtype)
    words, rows = settled((words, _rows_of(planes, boards)), state.num_moves)
    drawn = (grids.to_points(grid, words)[..., None] & masks) == numbers
    if boards is None:
        return drawn
    return drawn | ((rows.T[:, None, :] & packed.column_bits(grid.size)[:, None]) != 0)


def _rows_of(planes: tuple[Plane, ...], boards: Boards | None) -> UInt32[Array, "num_planes size"] | None:
    """The packed boards, each at the place of its plane; nothing at the places of the others."""
    if boards is None:
        return None
    parts, num_drawn = [], 0
    for is_board, run in groupby(planes, lambda plane: plane.is_board):
        length = len(list(run))
        if is_board:
            parts.append(boards[num_drawn : num_drawn + length])
            num_drawn += length
        else:
            parts.append(jnp.zeros((length, boards.shape[1]), jnp.uint32))
    return jnp.concatenate(parts)
