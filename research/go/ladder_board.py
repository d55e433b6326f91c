"""The board on which one ladder is read: its stones, a move, and what both players look at afterwards.

A reader plays thousands of moves for every position, so its board is one vector of small numbers and nothing else. It
is seen from the prey, whoever that is: a prey's stone is positive, a hunter's negative. A stone holds its chain's key
(an odd number), less one unless the chain has exactly one liberty; so `value | 1` is the key of a stone, and the low
bit says atari, as in moves.py. Empty points are 0, cells off the board 1.

As in moves.py a move captures the enemy chains in atari beside it and joins the own ones, and then asks the chains
that it touched whether they have one liberty. The codes that tell this here have the same number of bits set for
every point, so two different ones always set more; eleven bits are enough for 19x19, where a bit or its complement for
each bit of a number would take eighteen. The chain that is hunted keeps its key when others join it.

Vectors are padded to whole registers, and every reduction over them is a tree of slices (see grid.py).

*Source:* own design; the codes are an antichain (Sperner).
"""

import operator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import comb
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32

from research.go import grid as grids
from research.go.grid import Grid

OFF_BOARD = np.int16(1)
NO_KEY = np.int16(32767)  # a key that no chain has
NO_CELL = np.int32(0)  # off the board


@dataclass(frozen=True)
class Field:
    """The mailbox of `grid`, its band and itself padded to whole registers; static."""

    grid: Grid

    @property
    def length(self) -> int:
        """Elements of the padded band."""
        return _whole_registers(self.grid.size * self.grid.width)

    @property
    def num_cells(self) -> int:
        """Elements of a board's vector."""
        return _whole_registers(self.length + 2 * self.grid.width)

    @cached_property
    def cells(self) -> np.ndarray:
        """Cell number of each element of the band."""
        return np.arange(self.grid.width, self.grid.width + self.length, dtype=np.int16)

    @cached_property
    def codes(self) -> np.ndarray:
        """Code of each cell, uint16: `num_code_bits` bits, no two points alike; 0 off the board."""
        length = next(n for n in range(1, 17) if comb(n, n // 2) >= self.grid.num_points)
        subsets = combinations(range(length), length // 2)
        codes = np.zeros(self.num_cells, np.uint16)
        codes[self.grid.cells] = [sum(1 << bit for bit in next(subsets)) for _ in range(self.grid.num_points)]
        return codes

    @cached_property
    def num_code_bits(self) -> int:
        """Bits that are set in the code of a point."""
        return int(self.codes[self.grid.cells[0]]).bit_count()

    def band(self, values: Array) -> Array:
        """The cells of the board's rows and some beyond."""
        return values[self.grid.width : self.grid.width + self.length]

    def neighbours(self, values: Array) -> list[Array]:
        """What lies left, right, above and below each cell of the band."""
        starts = (self.grid.width + offset for offset in self.grid.offsets.tolist())
        return [values[start : start + self.length] for start in starts]

    def any_neighbour(self, values: Array) -> Array:
        """Bitwise or over the four neighbours of each cell of the band."""
        return reduce(operator.or_, self.neighbours(values))


class Prey(NamedTuple):
    """The chain that is hunted, as both sides see it when a move has been made."""

    num_liberties: Int32[Array, ""]
    low: Int32[Array, ""]  # cell of its first liberty in reading order
    high: Int32[Array, ""]  # cell of its last liberty
    captor: Int16[Array, ""]  # highest key of the hunter's chains in atari that touch it, below a limit; 0 for none
    last_captor: Int16[Array, ""]  # lowest one


class Outlook(NamedTuple):
    """What the prey would gain by a stone on each of its two liberties, and where it could capture."""

    after_low: Int32[Array, ""]  # liberties after a stone on `low`, without `high` and without what it captures
    after_high: Int32[Array, ""]  # likewise on `high`, without `low`
    capture: Int32[Array, ""]  # the liberty of `captor`


def pack(field: Field, label: Int16[Array, " cells"], atari: Bool[Array, " cells"]) -> Int16[Array, " field"]:
    """The reader's board of labelled chains, Black being the prey."""
    values = jnp.where(label != 0, 2 * label + atari, jnp.where(field.grid.on_board, np.int16(0), OFF_BOARD))
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


def breathes(near: Int16[Array, "4"], by_prey: Bool[Array, ""]) -> Bool[Array, ""]:
    """Whether a stone between the neighbours `near` would have a liberty, captures counted."""
    own, enemy = is_stone(near, by_prey), is_stone(near, ~by_prey)
    return ((near == 0) | own & ~in_atari(near) | enemy & in_atari(near)).any()


def place(
    field: Field,
    values: Int16[Array, " field"],
    cell: Int32[Array, ""],
    by_prey: Bool[Array, ""],
    prey: Int16[Array, ""],
) -> tuple[Int16[Array, " field"], Int32[Array, ""]]:
    """(the board after a legal move on `cell`, the cell that it bans by ko or NO_CELL); `prey` is a key."""
    near = around(field, values, cell)
    keys = near | 1
    is_own, is_enemy = is_stone(near, by_prey), is_stone(near, ~by_prey)
    is_taken = is_enemy & in_atari(near)
    own_key = (jnp.where(by_prey, 2, -2) * cell + 1).astype(jnp.int16)
    key = jnp.where((is_own & (keys == prey)).any(), prey, own_key)

    changed = jnp.where(is_taken | is_own, keys, NO_KEY)
    target = jnp.where(is_taken, np.int16(0), key - 1)
    after = values
    for side in range(4):
        after = jnp.where(values | 1 == changed[side], target[side], after)
    after = jnp.where(np.arange(field.num_cells, dtype=np.int16) == cell.astype(jnp.int16), key - 1, after)

    # Chains beside stones that were taken are out of atari. Mostly one stone is taken, and they are around it.
    taken_cell = cell + jnp.where(is_taken, field.grid.offsets, 0).sum(dtype=jnp.int32)
    beside = around(field, values, jnp.where(is_taken.sum() == 1, taken_cell, cell))
    is_single = (is_taken.sum() == 1) & ~(beside | 1 == jnp.where(is_taken, keys, 0).sum(dtype=jnp.int16)).any()
    freed = jnp.where(is_single & is_stone(beside, by_prey) & in_atari(beside), beside, NO_KEY)
    for side in range(4):
        after = jnp.where(after == freed[side], after - 1, after)
    after = _free_beside_many(field, values, after, by_prey, is_taken.any() & ~is_single)

    pressed = jnp.where(is_enemy & ~in_atari(near), keys, NO_KEY)
    touched = jnp.append(pressed, key)
    is_one = _has_one_liberty(field, after, touched)
    marked = jnp.where(is_one, touched - 1, NO_KEY)
    for side in range(5):
        after = jnp.where(after == marked[side], after + 1, after)
    is_ko = is_single & ~is_own.any() & is_one[4]
    return after, jnp.where(is_ko, taken_cell, NO_CELL)


def look_at_prey(field: Field, values: Int16[Array, " field"], prey: Int16[Array, ""], limit: Int16[Array, ""]) -> Prey:
    """What the prey is left with; captors from the key `limit` on are passed over."""
    is_beside = field.any_neighbour(values | 1 == prey)
    band, cells = field.band(values), field.cells
    beyond = np.int16(field.num_cells)

    def is_liberty(beside, value):
        return beside & (value == 0)

    def is_captor(beside, value):
        return beside & (value < 0) & in_atari(value) & (value < limit)

    def total(combine, initial, value_of):
        return grids.reduce_slices(combine, initial, value_of, is_beside, band, cells)

    zero = np.int16(0)
    num = total(lax.add, 0, lambda beside, value, _: is_liberty(beside, value).astype(jnp.int16))
    low = total(lax.min, beyond, lambda beside, value, cell: jnp.where(is_liberty(beside, value), cell, beyond))
    high = total(lax.max, 0, lambda beside, value, cell: jnp.where(is_liberty(beside, value), cell, zero))
    lowest = np.int16(-NO_KEY)
    captor = total(lax.max, lowest, lambda beside, value, _: jnp.where(is_captor(beside, value), value, lowest))
    last = total(lax.min, 0, lambda beside, value, _: jnp.where(is_captor(beside, value), value, zero))
    safe = field.grid.width  # a cell that can be looked at where there is no liberty
    return Prey(
        num_liberties=num.astype(jnp.int32),
        low=jnp.where(num > 0, low, safe).astype(jnp.int32),
        high=jnp.where(num > 0, high, safe).astype(jnp.int32),
        captor=jnp.where(last < 0, captor, zero),
        last_captor=last,
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
    band, cells = field.band(values), field.cells
    low, high = seen.low.astype(jnp.int16), seen.high.astype(jnp.int16)

    def gains(near, cell):
        """Cells beside a stone on `cell` and beside the chains that it would join to the prey."""
        joined = jnp.where((near > OFF_BOARD) & (near | 1 != prey), near | 1, NO_KEY)
        member = np.arange(field.num_cells, dtype=np.int16) == cell
        for side in range(4):
            member = member | (values | 1 == joined[side])
        return field.any_neighbour(member)

    def count(beside):
        return grids.reduce_slices(
            lax.add,
            0,
            lambda beside, value, cell: (beside & (value == 0) & (cell != low) & (cell != high)).astype(jnp.int16),
            beside,
            band,
            cells,
        ).astype(jnp.int32)

    capture = grids.reduce_slices(
        lax.max,
        0,
        lambda beside, value, cell: jnp.where(beside & (value == 0), cell, np.int16(0)),
        field.any_neighbour(values == seen.captor),
        band,
        cells,
    )
    return Outlook(count(gains(near_low, low)), count(gains(near_high, high)), capture.astype(jnp.int32))


def _has_one_liberty(
    field: Field, values: Int16[Array, " field"], keys: Int16[Array, " num_keys"]
) -> Bool[Array, " num_keys"]:
    """Whether each of the chains has exactly one liberty; False for NO_KEY."""
    none = np.uint16(0)
    near = field.any_neighbour(jnp.where(values == 0, field.codes, none))
    seen = grids.reduce_slices(
        lax.bitwise_or,
        0,
        lambda value, code: jnp.where(value[None] | 1 == keys[:, None], code[None], none),
        field.band(values),
        near,
    )
    return lax.population_count(seen) == field.num_code_bits


def _free_beside_many(
    field: Field,
    before: Int16[Array, " field"],
    after: Int16[Array, " field"],
    by_prey: Bool[Array, ""],
    is_asked: Bool[Array, ""],
) -> Int16[Array, " field"]:
    """`after` with the mover's chains beside taken stones out of atari, one chain a trip, if `is_asked`."""

    def free(carry):
        values, _ = carry
        beside = field.any_neighbour((before != 0) & (after == 0))
        value = field.band(values)
        is_freed = beside & is_stone(value, by_prey) & in_atari(value)
        chain = grids.reduce_slices(lax.max, 0, lambda part: part, jnp.where(is_freed, jnp.abs(value), np.int16(0)))
        freed = jnp.where(by_prey, chain, -chain)
        return jnp.where((values == freed) & (chain > 0), values - 1, values), chain > 0

    return lax.while_loop(lambda carry: carry[1], free, (after, is_asked))[0]


def _whole_registers(length: int) -> int:
    return -(-length // grids.REDUCE_LANES) * grids.REDUCE_LANES
