"""The board on which one ladder is read: its stones, a move, and what both players look at afterwards.

A reader plays dozens of moves for every position, so its board is one vector of small numbers and nothing else. It is
seen from the prey, whoever that is: a prey's stone is positive, a hunter's negative. A stone holds its chain's key (an
odd number), less one unless the chain has exactly one liberty; so `value | 1` is the key of a stone, and the low bit
says atari. Empty points are 0, cells off the board 1. The chain that is hunted keeps its key when others join it; its
own low bit is never set, for its liberties are looked at in full anyway.

As in moves.py a move captures the enemy chains in atari beside it, joins the own ones, and touches at most four others
that have to be asked for their liberties. Up to eight such questions are answered together: a byte a cell says, one bit
a chain, which chains the stone belongs to; the or over a cell's neighbours says whose liberty it is; and two words,
"seen" and "seen twice", go over all cells and keep the bits apart. Liberties that must be known by place are gathered
in words of one bit a register (`_places`), which takes no more than a sum would.

Vectors are padded to whole registers of 32 cells, and everything is a compare, a select or a shift over them.

*Source:* own design.
"""

import operator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt8, UInt16

from research.go import grid as grids
from research.go.grid import REDUCE_LANES, Grid

OFF_BOARD = np.int16(1)
NO_KEY = np.int16(32767)  # a key that no chain has
NO_CELL = np.int32(0)  # off the board
MANY = 3  # liberties; more are not told apart

_ZERO = np.int16(0)
_NO_BIT = np.uint8(0)


@dataclass(frozen=True)
class Field:
    """The mailbox of `grid`, its band and itself padded to whole registers; static."""

    grid: Grid

    @property
    def num_registers(self) -> int:
        """Registers of the padded band; at most sixteen, for a place word has a bit for each."""
        return -(-self.grid.size * self.grid.width // REDUCE_LANES)

    @property
    def length(self) -> int:
        """Elements of the padded band."""
        return self.num_registers * REDUCE_LANES

    @property
    def num_cells(self) -> int:
        """Elements of a board's vector."""
        return -(-(self.length + 2 * self.grid.width) // REDUCE_LANES) * REDUCE_LANES

    @cached_property
    def cells(self) -> np.ndarray:
        """Cell number of each element of a board's vector."""
        return np.arange(self.num_cells, dtype=np.int16)

    def registers(self, band: Array) -> list[Array]:
        """A padded band, a register at a time."""
        return [band[start : start + REDUCE_LANES] for start in range(0, self.length, REDUCE_LANES)]

    def band(self, values: Array) -> Array:
        """The cells of the board's rows and some beyond."""
        return values[self.grid.width : self.grid.width + self.length]

    def any_neighbour(self, values: Array) -> Array:
        """Bitwise or over the four neighbours of each cell of the band."""
        starts = (self.grid.width + offset for offset in self.grid.offsets.tolist())
        return reduce(operator.or_, [values[start : start + self.length] for start in starts])


class Move(NamedTuple):
    """A legal move, and what the prey's owner answers at once if that is all he can do."""

    cell: Int32[Array, ""]
    by_prey: Bool[Array, ""]
    reply: Int32[Array, ""]  # an extension of the prey, NO_CELL for none; then neither of the two captures anything


class Prey(NamedTuple):
    """The chain that is hunted, as both sides see it when a move has been made."""

    num_liberties: Int32[Array, ""]  # up to MANY
    low: Int32[Array, ""]  # cell of a liberty
    high: Int32[Array, ""]  # cell of another, or the same if there is one only
    captor: Int16[Array, ""]  # highest key of the hunter's chains in atari that touch it, below a limit; 0 for none
    last_captor: Int16[Array, ""]  # lowest one


class Outlook(NamedTuple):
    """What the prey would gain by a stone on each of its two liberties, and where it could capture."""

    after_low: Int32[Array, ""]  # liberties after a stone on `low`, without `high` and what it captures; up to MANY
    after_high: Int32[Array, ""]  # likewise on `high`, without `low`
    capture: Int32[Array, ""]  # the liberty of `captor`


def pack(field: Field, label: Int16[Array, " cells"], atari: Bool[Array, " cells"]) -> Int16[Array, " field"]:
    """The reader's board of labelled chains, Black being the prey."""
    values = jnp.where(label != 0, 2 * label + atari, jnp.where(field.grid.on_board, _ZERO, OFF_BOARD))
    return jnp.pad(values.astype(jnp.int16), (0, field.num_cells - field.grid.num_cells), constant_values=OFF_BOARD)


def swap_colours(values: Int16[Array, "..."]) -> Int16[Array, "..."]:
    """The same board with the other colour as the prey."""
    return 2 * (values & 1) - values


def around(field: Field, values: Int16[Array, " field"], cell: Int32[Array, ""]) -> Int16[Array, "4"]:
    """What lies left, right, above and below a cell of the board's rows."""
    return values.at[cell + field.grid.offsets].get(mode="promise_in_bounds")


def is_stone(values: Int16[Array, "..."], of_prey: Bool[Array, ""]) -> Bool[Array, "..."]:
    """Which values are stones of the prey's colour, or else of the hunter's."""
    return jnp.where(of_prey, values > OFF_BOARD, values < 0)


def in_atari(values: Int16[Array, "..."]) -> Bool[Array, "..."]:
    """Whether these stones' chains have exactly one liberty."""
    return (values & 1) == 1


def breathes(near: Int16[Array, "4"], by_prey: Bool[Array, ""], prey: Int16[Array, ""]) -> Bool[Array, ""]:
    """Whether a stone between the neighbours `near` would have a liberty, captures counted, were there no `prey`."""
    own, enemy = is_stone(near, by_prey) & (near | 1 != prey), is_stone(near, ~by_prey)
    return ((near == 0) | own & ~in_atari(near) | enemy & in_atari(near)).any()


def place(
    field: Field, values: Int16[Array, " field"], move: Move, prey: Int16[Array, ""]
) -> tuple[Int16[Array, " field"], Int32[Array, ""]]:
    """(the board after the move and the reply, the cell that is banned by ko then or NO_CELL); `prey` is a key."""
    near, beyond = around(field, values, move.cell), around(field, values, jnp.maximum(move.reply, field.grid.width))
    is_own, is_enemy = is_stone(near, move.by_prey), is_stone(near, ~move.by_prey)
    is_taken = is_enemy & in_atari(near)
    own_key = (jnp.where(move.by_prey, 2, -2) * move.cell + 1).astype(jnp.int16)
    key = jnp.where((is_own & (near | 1 == prey)).any(), prey, own_key)
    has_reply = move.reply != NO_CELL
    joins_prey = has_reply & (beyond > OFF_BOARD) & (beyond | 1 != prey)

    after = values
    changed = jnp.where(is_taken | is_own, near | 1, NO_KEY)
    target = jnp.where(is_taken, _ZERO, key - 1)
    for side in range(4):
        after = jnp.where(values | 1 == changed[side], target[side], after)
    for joined in _three_of(jnp.where(joins_prey, beyond | 1, NO_KEY)):
        after = jnp.where(values | 1 == joined, prey - 1, after)
    after = jnp.where(field.cells == move.cell.astype(jnp.int16), key - 1, after)
    after = jnp.where(has_reply & (field.cells == move.reply.astype(jnp.int16)), prey - 1, after)

    # A stone that is taken alone is told by its neighbours; they are also all that it was holding in atari.
    taken_cell = move.cell + jnp.where(is_taken, field.grid.offsets, 0).sum(dtype=jnp.int32)
    is_one_side = is_taken.sum() == 1
    beside = around(field, values, jnp.where(is_one_side, taken_cell, move.cell))
    is_single = is_one_side & ~(beside | 1 == jnp.where(is_taken, near | 1, 0).sum(dtype=jnp.int16)).any()
    frees = (is_stone(beside, move.by_prey) & in_atari(beside)).any()
    after = _free_beside(field, values, after, move.by_prey, is_taken.any() & (frees | ~is_single))

    pressed = jnp.where(is_enemy & ~is_taken & (near | 1 != prey), near | 1, NO_KEY)
    pressed_by_reply = jnp.where(has_reply & (beyond < 0), beyond | 1, NO_KEY)
    touched = [*_three_of(pressed), *_three_of(pressed_by_reply), jnp.where(key == prey, NO_KEY, key)]
    is_one = _has_one_liberty(field, after, touched)
    for index, chain in enumerate(touched):
        after = jnp.where(is_one[index] & (after == chain - 1), chain, after)
    # A lone stone with one liberty: the point beside it is where the taken one was, for nothing else became empty.
    is_ko = is_single & ~is_own.any() & ~(near == 0).any()
    return after, jnp.where(is_ko, taken_cell, NO_CELL)


def look_at_prey(field: Field, values: Int16[Array, " field"], prey: Int16[Array, ""], limit: Int16[Array, ""]) -> Prey:
    """What the prey is left with; captors from the key `limit` on are passed over."""
    is_beside = field.any_neighbour(_bits(values | 1 == prey, 0))
    band = field.band(values)
    liberties = _places(field, is_beside & _bits(band == 0, 0))
    low, high = _first_and_last(field, liberties)

    def captors(combine, initial):
        is_captor = (is_beside != 0) & (band < 0) & in_atari(band) & (band < limit)
        return reduce(
            combine, [jnp.where(*pair, initial) for pair in zip(*map(field.registers, (is_captor, band)), strict=True)]
        )

    return Prey(
        num_liberties=_count(liberties),
        low=low,
        high=high,
        captor=jnp.where((captors(jnp.minimum, _ZERO)).min() < 0, captors(jnp.maximum, -NO_KEY).max(), _ZERO),
        last_captor=captors(jnp.minimum, _ZERO).min(),
    )


def look_ahead(
    field: Field,
    values: Int16[Array, " field"],
    prey: Int16[Array, ""],
    seen: Prey,
    near_low: Int16[Array, "4"],
    near_high: Int16[Array, "4"],
) -> Outlook:
    """What the prey would have after its next move; `near_low` and `near_high` are around its liberties."""
    keys = values | 1
    member = _bits(values == seen.captor, 2)
    for bit, (near, cell) in enumerate(((near_low, seen.low), (near_high, seen.high))):
        is_member = field.cells == cell.astype(jnp.int16)
        for joined in _three_of(jnp.where((near > OFF_BOARD) & (near | 1 != prey), near | 1, NO_KEY)):
            is_member = is_member | (keys == joined)
        member = member | _bits(is_member, bit)
    gained = field.any_neighbour(member) & jnp.where(field.band(values) == 0, np.uint8(7), _NO_BIT)
    own = _place_of(field, seen.low) | _place_of(field, seen.high)
    after_low, after_high = (_count(_places(field, gained >> bit & 1) & ~own) for bit in range(2))
    capture, _ = _first_and_last(field, _places(field, gained >> 2 & 1))
    return Outlook(after_low, after_high, capture)


def _three_of(keys: Int16[Array, "4"]) -> list[Int16[Array, ""]]:
    """The keys of four sides of which one is known to have none."""
    return [jnp.where(keys[side] == NO_KEY, keys[3], keys[side]) for side in range(3)]


def _has_one_liberty(
    field: Field, values: Int16[Array, " field"], keys: list[Int16[Array, ""]]
) -> list[Bool[Array, ""]]:
    """Whether each of up to eight chains has exactly one liberty; False for NO_KEY."""
    member = reduce(operator.or_, [_bits(values | 1 == key, bit) for bit, key in enumerate(keys)])
    near = field.any_neighbour(member) & jnp.where(field.band(values) == 0, np.uint8(255), _NO_BIT)
    once, twice = jnp.zeros(REDUCE_LANES, jnp.uint8), jnp.zeros(REDUCE_LANES, jnp.uint8)
    for register in field.registers(near):
        once, twice = once | register, twice | once & register
    while len(once) > 1:
        half = len(once) // 2
        twice = twice[:half] | twice[half:] | once[:half] & once[half:]
        once = once[:half] | once[half:]
    exactly = once[0] & ~twice[0]
    return [(exactly >> bit & 1) == 1 for bit in range(len(keys))]


def _free_beside(
    field: Field,
    before: Int16[Array, " field"],
    after: Int16[Array, " field"],
    by_prey: Bool[Array, ""],
    is_asked: Bool[Array, ""],
) -> Int16[Array, " field"]:
    """`after` with the mover's chains beside taken stones out of atari, one chain a trip, if `is_asked`."""

    def free(carry):
        values, _ = carry
        beside = field.any_neighbour((before != 0) & (values == 0))
        value = field.band(values)
        is_freed = beside & is_stone(value, by_prey) & in_atari(value)
        chain = grids.reduce_slices(lax.max, 0, lambda part: part, jnp.where(is_freed, jnp.abs(value), _ZERO))
        freed = jnp.where(by_prey, chain, -chain)
        return jnp.where((values == freed) & (chain > 0), values - 1, values), chain > 0

    return lax.while_loop(lambda carry: carry[1], free, (after, is_asked))[0]


def _bits(mask: Bool[Array, "..."], bit: int) -> UInt8[Array, "..."]:
    """That bit where `mask` is set."""
    return jnp.where(mask, np.uint8(1 << bit), _NO_BIT)


def _places(field: Field, flags: UInt8[Array, " length"]) -> UInt16[Array, " lanes"]:
    """Where the `flags` (0 or 1) of a band are set: a bit for each register."""
    registers = [register.astype(jnp.uint16) << index for index, register in enumerate(field.registers(flags))]
    return reduce(operator.or_, registers)


def _place_of(field: Field, cell: Int32[Array, ""]) -> UInt16[Array, " lanes"]:
    """`_places` of one cell."""
    element = cell - field.grid.width
    bit = jnp.uint16(1) << (element // REDUCE_LANES).astype(jnp.uint16)
    return jnp.where(np.arange(REDUCE_LANES) == element % REDUCE_LANES, bit, jnp.uint16(0))


def _count(places: UInt16[Array, " lanes"]) -> Int32[Array, ""]:
    """How many places there are, up to MANY."""
    return jnp.minimum(lax.population_count(places).sum(dtype=jnp.uint16), MANY).astype(jnp.int32)


def _first_and_last(field: Field, places: UInt16[Array, " lanes"]) -> tuple[Int32[Array, ""], Int32[Array, ""]]:
    """Cells of the first and the last place; a cell that may be looked at if there is none."""
    lane = np.arange(REDUCE_LANES, dtype=np.int16)
    has_any = places != 0
    first = lax.population_count(~places & (places - 1)).astype(jnp.int16)
    last = 15 - lax.clz(places).astype(jnp.int16)
    low = jnp.where(has_any, first * REDUCE_LANES + lane, np.int16(field.length)).min()
    high = jnp.where(has_any, last * REDUCE_LANES + lane, _ZERO).max()
    low = jnp.where(low == field.length, _ZERO, low)
    return low.astype(jnp.int32) + field.grid.width, high.astype(jnp.int32) + field.grid.width
