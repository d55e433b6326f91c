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
from jaxtyping import Array, Bool, Int16, Int32, UInt8, UInt16, UInt32

from research.go.grid import REDUCE_LANES, Grid
from research.go.settled import settled

OFF_BOARD = np.int16(1)
NO_KEY = np.int16(32767)  # a key that no chain has
NO_CELL = np.int32(0)  # off the board
MANY = 3  # liberties; more are not told apart
PREY_BIT = 7  # of a byte of Step.member

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
    frees_none: Bool[Array, ""]  # it is known that no other chain is in atari because of what it captures


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
    frees_none: Bool[Array, ""]  # no other chain of the prey's owner is in atari beside `captor`


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


class Step(NamedTuple):
    """The board after a move, before the chains that it touched have been asked for their liberties."""

    board: Int16[Array, " field"]  # of these chains none is marked as in atari
    touched: tuple[Int16[Array, ""], ...]  # the keys of seven chains, NO_KEY in places that are left over
    member: UInt8[Array, " field"]  # bit for each of them where its stones are, and the highest for the prey's
    ko: Int32[Array, ""]  # cell that is banned, NO_CELL for none


class _Effect(NamedTuple):
    """What a move and its reply do, told from their neighbours."""

    changed: list[Int16[Array, ""]]  # keys of up to seven chains whose stones get other values
    values: list[Int16[Array, ""]]  # these values: 0, or that of a chain they join
    key: Int16[Array, ""]  # of the chain that the move's stone is part of
    touched: list[Int16[Array, ""]]  # as Step.touched
    frees: Bool[Array, ""]  # the mover's chains beside taken stones must be looked at
    ko: Int32[Array, ""]  # as Step.ko


def empty(field: Field) -> Step:
    """An empty board."""
    return Step(
        board=jnp.zeros(field.num_cells, jnp.int16),
        touched=(jnp.int16(NO_KEY),) * 7,
        member=jnp.zeros(field.num_cells, jnp.uint8),
        ko=jnp.int32(NO_CELL),
    )


def step(
    field: Field, values: Int16[Array, " field"], move: Move, prey: Int16[Array, ""], number: Int32[Array, ""]
) -> Step:
    """The board after a legal move and its reply; as it was if the move is NO_CELL. `prey` is a key.

    `number` here and below as in settled.py.
    """
    effect = settled(_effect(field, values, move, prey, number), number)
    after = values
    for chain, value in zip(effect.changed, effect.values, strict=True):
        after = jnp.where(values | 1 == chain, value, after)
    for cell, key in ((move.cell, effect.key), (move.reply, prey)):
        after = jnp.where((cell != NO_CELL) & (field.cells == cell.astype(jnp.int16)), key - 1, after)
    after = _free_beside(field, values, after, move.by_prey, effect.frees)
    members = [_bits(after | 1 == chain, bit) for bit, chain in enumerate([*effect.touched, prey])]
    return Step(after, tuple(effect.touched), reduce(operator.or_, members), effect.ko)


def _effect(
    field: Field, values: Int16[Array, " field"], move: Move, prey: Int16[Array, ""], number: Int32[Array, ""]
) -> _Effect:
    """What the move and its reply do."""
    safe = (jnp.maximum(cell, field.grid.width) for cell in (move.cell, move.reply))
    near, beyond = settled(tuple(around(field, values, cell) for cell in safe), number)
    is_made = move.cell != NO_CELL
    near = jnp.where(is_made, near, OFF_BOARD)
    beyond = jnp.where(move.reply != NO_CELL, beyond, OFF_BOARD)
    is_own, is_enemy = is_stone(near, move.by_prey), is_stone(near, ~move.by_prey)
    is_taken = is_enemy & in_atari(near)
    own_key = (jnp.where(move.by_prey, 2, -2) * move.cell + 1).astype(jnp.int16)
    key = jnp.where((is_own & (near | 1 == prey)).any(), prey, own_key)

    # A stone that is taken alone is told by its neighbours; they are also all that it was holding in atari.
    taken_cell = move.cell + jnp.where(is_taken, field.grid.offsets, 0).sum(dtype=jnp.int32)
    is_one_side = is_taken.sum() == 1
    beside = around(field, values, jnp.where(is_one_side, taken_cell, field.grid.width))
    is_single = is_one_side & ~(beside | 1 == jnp.where(is_taken, near | 1, 0).sum(dtype=jnp.int16)).any()
    frees_any = ~is_single | (is_stone(beside, move.by_prey) & in_atari(beside)).any()
    # A lone stone with one liberty: the point beside it is where the taken one was, for nothing else became empty.
    is_ko = is_single & ~is_own.any() & ~(near == 0).any()

    joined = _three_of(jnp.where((beyond > OFF_BOARD) & (beyond | 1 != prey), beyond | 1, NO_KEY))
    pressed = _three_of(jnp.where(is_enemy & ~is_taken & (near | 1 != prey), near | 1, NO_KEY))
    pressed_by_reply = _three_of(jnp.where(beyond < 0, beyond | 1, NO_KEY))
    return _Effect(
        changed=[*jnp.where(is_taken | is_own, near | 1, NO_KEY), *joined],
        values=[*jnp.where(is_taken, _ZERO, key - 1), *[prey - 1] * 3],
        key=key,
        touched=[*pressed, *pressed_by_reply, jnp.where(is_made & (key != prey), key, NO_KEY)],
        frees=is_taken.any() & ~move.frees_none & frees_any,
        ko=jnp.where(is_ko, taken_cell, NO_CELL),
    )


def mark_atari(field: Field, after: Step) -> Int16[Array, " field"]:
    """The board of a step with those of the touched chains marked that have exactly one liberty."""
    near = field.any_neighbour(after.member) & jnp.where(field.band(after.board) == 0, np.uint8(127), _NO_BIT)
    exactly_once = _bits_set_once(field, near)
    values = after.board
    for bit, chain in enumerate(after.touched):
        marked = jnp.where((exactly_once >> bit & 1) == 1, chain, NO_KEY)
        values = jnp.where(after.board + 1 == marked, marked, values)
    return values


def look_at_prey(
    field: Field, values: Int16[Array, " field"], member: UInt8[Array, " field"], limit: Int16[Array, ""]
) -> Prey:
    """What the prey is left with, its stones being the highest bits of `member`; no captors from `limit` on."""
    is_beside = field.any_neighbour(member) >> PREY_BIT
    band = field.band(values)
    liberties = _places(field, is_beside & _bits(band == 0, 0))
    # Number and sum of the cells in one word: with the last of two cells the sum tells the first.
    word = (_number(liberties) << 16 | _sum(liberties)).sum(dtype=jnp.uint32)
    num, total = (word >> 16).astype(jnp.int32), (word & 0xFFFF).astype(jnp.int32)
    last = jnp.where(liberties == 0, 0, 15 - lax.clz(liberties).astype(jnp.int16)) * REDUCE_LANES
    last = jnp.where(liberties == 0, _ZERO, last + np.arange(REDUCE_LANES, dtype=np.int16)).max().astype(jnp.int32)
    high = last + field.grid.width
    low = jnp.where(num == 2, total - last + field.grid.width, high)
    captors = jnp.where((is_beside != 0) & (band < 0) & in_atari(band) & (band < limit), band, _ZERO)
    registers = field.registers(captors)
    last_captor = reduce(jnp.minimum, registers).min()
    captor = reduce(jnp.maximum, [jnp.where(register == 0, -NO_KEY, register) for register in registers]).max()
    captor = jnp.where(last_captor < 0, captor, _ZERO)
    return Prey(jnp.minimum(num, MANY), low, high, captor, last_captor)


def look_ahead(
    field: Field,
    values: Int16[Array, " field"],
    prey: Int16[Array, ""],
    seen: Prey,
    near_low: Int16[Array, "4"],
    near_high: Int16[Array, "4"],
    number: Int32[Array, ""],
) -> Outlook:
    """What the prey would have after its next move; `near_low` and `near_high` are around its liberties."""
    keys = values | 1
    member = _bits((values == seen.captor) & (seen.captor != 0), 2)
    for bit, (near, cell) in enumerate(((near_low, seen.low), (near_high, seen.high))):
        is_member = field.cells == cell.astype(jnp.int16)
        for joined in _three_of(jnp.where((near > OFF_BOARD) & (near | 1 != prey), near | 1, NO_KEY)):
            is_member = is_member | (keys == joined)
        member = member | _bits(is_member, bit)
    member = settled(member, number)
    near, band = field.any_neighbour(member), field.band(values)
    gained = near & jnp.where(band == 0, np.uint8(7), _NO_BIT)
    freed = near >> 2 & _bits((band > OFF_BOARD) & in_atari(band), 0)
    own = _place_of(field, seen.low) | _place_of(field, seen.high)
    low, high, capture = (_places(field, gained >> bit & 1) for bit in range(3))
    # No chain has more than 241 liberties on 19x19.
    counts = _number(low & ~own) | _number(high & ~own) << 8
    counts = counts | jnp.where(_places(field, freed) == 0, np.uint32(0), np.uint32(1 << 16))
    counts = counts.sum(dtype=jnp.uint32).astype(jnp.int32)
    # The captor has one liberty: its register's bit, and its lane.
    lane = np.arange(REDUCE_LANES, dtype=np.uint32)
    place = jnp.where(capture == 0, np.uint32(0), capture.astype(jnp.uint32) << 8 | lane).sum(dtype=jnp.uint32)
    element = (31 - lax.clz(place >> 8)) * REDUCE_LANES + (place & 0xFF)
    return Outlook(
        after_low=jnp.minimum(counts & 0xFF, MANY),
        after_high=jnp.minimum(counts >> 8 & 0xFF, MANY),
        capture=jnp.where(place == 0, NO_CELL, element.astype(jnp.int32) + field.grid.width),
        frees_none=counts >> 16 == 0,
    )


def _three_of(keys: Int16[Array, "4"]) -> list[Int16[Array, ""]]:
    """The keys of four sides of which one is known to have none."""
    return [jnp.where(keys[side] == NO_KEY, keys[3], keys[side]) for side in range(3)]


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
        # Said with what changes in the loop: what does not, XLA would compute before it, for every move.
        is_taken = (values == 0) & (before != 0)
        band = field.band(values)
        is_freed = field.any_neighbour(is_taken) & is_stone(band, by_prey) & in_atari(band)
        chain = reduce(jnp.maximum, field.registers(jnp.where(is_freed, jnp.abs(band), _ZERO))).max()
        freed = jnp.where(by_prey, chain, -chain)
        return jnp.where((values == freed) & (chain > 0), values - 1, values), chain > 0

    return lax.while_loop(lambda carry: carry[1], free, (after, is_asked))[0]


def _bits_set_once(field: Field, flags: UInt8[Array, " length"]) -> UInt32[Array, ""]:
    """The bits that exactly one of a band's bytes has."""

    def count(left, right):
        return left[0] | right[0], left[1] | right[1] | left[0] & right[0]

    once, twice = jnp.zeros(REDUCE_LANES, jnp.uint8), jnp.zeros(REDUCE_LANES, jnp.uint8)
    for register in field.registers(flags):
        once, twice = once | register, twice | once & register
    # Four bytes at a time, and then those of the last word.
    words = tuple(lax.bitcast_convert_type(part.reshape(-1, 4), jnp.uint32) for part in (once, twice))
    none = np.uint32(0)
    once, twice = lax.reduce(words, (none, none), count, (0,))
    for shift in (16, 8):
        once, twice = count((once, twice), (once >> shift, twice >> shift))
    return once & ~twice & 0xFF


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


def _number(places: UInt16[Array, " lanes"]) -> UInt32[Array, " lanes"]:
    """How many places there are in each lane."""
    return lax.population_count(places).astype(jnp.uint32)


def _sum(places: UInt16[Array, " lanes"]) -> UInt32[Array, " lanes"]:
    """Sum of the band's elements that have a place in each lane."""
    bits = np.arange(16)
    total = _number(places) * np.arange(REDUCE_LANES, dtype=np.uint32)
    for digit in range(4):
        has_digit = np.uint16(sum(1 << int(bit) for bit in bits[bits >> digit & 1 == 1]))
        total = total + (_number(places & has_digit) << digit) * REDUCE_LANES
    return total
