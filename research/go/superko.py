"""Positional and situational superko, exact, without trying the moves.

The history holds the three hash words of every situation that has occurred. A move that recreates a past position adds
one stone of mine to mine, so the past word of my colour exceeds today's by that stone's key: the cell stands in the
top bits of the difference and the others check it (see zobrist.py). One pass over the history therefore names the few
cells that could repeat something, nearly always none. Only a named cell is tried, for what it captures, and its three
words are compared with the whole history. A suicide adds no stone: it leaves the opponent's stones as they are and
takes off some of mine. Such points are tried one by one, and only where the opponent's word has occurred before.

A pass may repeat what it likes. Under positional superko it makes no new position and is not pushed; under situational
superko it makes a new situation and is.

In a search the history of the root is shared by all nodes (`past`), and a node holds only its path's.

*Source:* Tromp-Taylor rules, rule 8 (positional); AGA rules (situational).
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32

from research.go import grid as grids
from research.go.chains import is_member
from research.go.grid import Grid
from research.go.legality import Surroundings, legal_points, look_around
from research.go.moves import removal
from research.go.rare import where_needed
from research.go.rules import Rules
from research.go.state import TURN_CHANGED, GoState, History
from research.go.zobrist import CELL_BITS, hash_change, named_cell, situation

NO_CELL = 0  # cell 0 is off the board


def history_capacity(num_situations: int) -> int:
    """Columns of a history for `num_situations`, a whole number of vector registers."""
    lanes = grids.REDUCE_LANES
    return (num_situations + lanes - 1) // lanes * lanes


def push(
    history: UInt32[Array, "3 history"],
    column: Int32[Array, ""] | int,
    entry: UInt32[Array, "3"],
    is_pushed: Bool[Array, ""],
) -> UInt32[Array, "3 history"]:
    """`history` with `entry` in `column` if `is_pushed`; an entry beyond the last column is dropped."""
    capacity = history.shape[1]

    # A write at an index of each board's own is a serial loop over the batch on a TPU, a select over the whole
    # history is not; on a CPU or a GPU the select would rewrite kilobytes for twelve bytes.
    def select(history, entry, is_pushed):
        return jnp.where((np.arange(capacity) == column) & is_pushed, entry[:, None], history)

    def write(history, entry, is_pushed):
        if isinstance(column, int):
            return history.at[:, column].set(jnp.where(is_pushed, entry, history[:, column]))
        return history.at[:, jnp.where(is_pushed, column, capacity)].set(entry, mode="drop")

    return lax.platform_dependent(history, entry, is_pushed, tpu=select, default=write)


def is_repetition(
    target: UInt32[Array, "3"], histories: tuple[History, ...], is_asked: Bool[Array, ""]
) -> Bool[Array, ""]:
    """Whether the situation `target` is in one of `histories`; False unless `is_asked`.

    On a CPU or a GPU one word of three is compared with every entry, and all three only where that one is found, which
    is next to never where the moves are those of a mask. A TPU compares all at once.
    """

    def by_one_word(target, histories, is_asked):
        is_likely = is_asked & _any_entry(
            lambda black, white, both, index, length: (both == target[2]) & (index < length), histories
        )
        return where_needed(has_occurred, is_likely, jnp.bool_(False), target, histories)

    def at_once(target, histories, is_asked):
        return is_asked & has_occurred(target, histories)

    return lax.platform_dependent(target, histories, is_asked, tpu=at_once, default=by_one_word)


def has_occurred(target: UInt32[Array, "3"], histories: tuple[History, ...]) -> Bool[Array, ""]:
    """Whether the situation `target` is in one of `histories`."""
    return _any_entry(
        lambda black, white, both, index, length: (
            (black == target[0]) & (white == target[1]) & (both == target[2]) & (index < length)
        ),
        histories,
    )


def hashes_after(
    grid: Grid, rules: Rules, state: GoState, cell: Int32[Array, ""], around: Surroundings
) -> UInt32[Array, "3"]:
    """The board's hash words after the player to move has played on the empty point `cell`."""
    taken = removal(rules, around)
    change = hash_change(
        grid,
        cell,
        is_placed=~taken.is_suicide,
        removed=is_member(state.label, taken.ids),
        is_removed_black=(state.to_play == 0) == taken.is_suicide,
        player=state.to_play,
    )
    return state.hashes + change


def without_repeats(
    grid: Grid, rules: Rules, state: GoState, legal: Bool[Array, " band"], histories: tuple[History, ...]
) -> Bool[Array, " band"]:
    """The `legal` cells of the band that repeat no situation; those in doubt are tried from the highest down."""
    question = _question(state, histories)
    cell = _highest_added(question, histories)
    suicides = jnp.zeros_like(legal)
    if rules.suicide:
        suicides = _suspicious_suicides(grid, rules, state, legal, histories)
        cell = jnp.maximum(cell, _highest(grid, suicides))
    try_cells = functools.partial(_try_cells, grid, rules)
    bare = state._replace(history=state.history[:, :0])
    return where_needed(try_cells, cell > NO_CELL, legal, cell, bare, legal, suicides, question, histories)


class _Question(NamedTuple):
    """What is asked of every entry of the history: does it hold my stones and one more?"""

    is_black: Bool[Array, ""]  # whose stones
    mine: UInt32[Array, ""]  # hash word of my stones now
    end: Int32[Array, ""]  # first situation that need not be asked, counted over all histories


def _question(state: GoState, histories: tuple[History, ...]) -> _Question:
    """The question for the player to move.

    The situation before the last move comes back only by retaking a ko, which the simple ban already forbids; not so
    after a pass, or where the turn was changed. Leaving it out saves a trial after each capture of one stone.
    """
    is_black = state.to_play == 0
    num_left_out = jnp.where((state.passes == 0) & (state.ko != TURN_CHANGED), 2, 1)
    return _Question(
        is_black=is_black,
        mine=jnp.where(is_black, state.hashes[0], state.hashes[1]),
        end=sum(history.length for history in histories) - num_left_out,
    )


def _highest_added(
    question: _Question, histories: tuple[History, ...], below: Int32[Array, ""] | int = 1 << CELL_BITS
) -> Int32[Array, ""]:
    """Highest cell under `below` where some past situation has my stones and one more; NO_CELL for none."""

    def cell_of(words, index, end):
        cell, is_named = named_cell(jnp.where(question.is_black, words[0], words[1]) - question.mine)
        is_meant = is_named & (index < end)
        if not isinstance(below, int):
            is_meant = is_meant & (cell < below.astype(jnp.uint32))
        return jnp.where(is_meant, cell, np.uint32(NO_CELL))

    highest, end = jnp.uint32(NO_CELL), question.end
    for entries, length in histories:
        index, end_here = np.arange(entries.shape[1], dtype=np.int32), jnp.minimum(end, length)
        best = grids.reduce_slices(
            lax.max, NO_CELL, lambda words, index, end=end_here: cell_of(words, index, end), entries, index
        )
        highest = jnp.maximum(highest, best)
        end = end - length
    return highest.astype(jnp.int32)


def _try_cells(
    grid: Grid,
    rules: Rules,
    cell: Int32[Array, ""],
    state: GoState,
    legal: Bool[Array, " band"],
    suicides: Bool[Array, " band"],
    question: _Question,
    histories: tuple[History, ...],
) -> Bool[Array, " band"]:
    """`legal` without repetitions, the cells in doubt being tried from `cell` down."""

    def try_cell(carry):
        cell, legal = carry
        # A chance match may name a cell off the board, whose surroundings must still be readable.
        around = look_around(grid, state, jnp.clip(cell, grid.width, grid.num_cells - grid.width - 1))
        hashes = hashes_after(grid, rules, state, cell, around)
        repeats = has_occurred(situation(hashes, 1 - state.to_play, rules.ko), histories)
        lower = _highest_added(question, histories, below=cell)
        if rules.suicide:
            lower = jnp.maximum(lower, _highest(grid, suicides & (grid.band_cells < cell)))
        return lower, legal & ~(repeats & (grid.band_cells == cell))

    return lax.while_loop(lambda carry: carry[0] > NO_CELL, try_cell, (cell, legal))[1]


def _suspicious_suicides(
    grid: Grid, rules: Rules, state: GoState, legal: Bool[Array, " band"], histories: tuple[History, ...]
) -> Bool[Array, " band"]:
    """The suicides among `legal`, if the opponent's stones have ever stood as now beside other stones of mine."""
    is_suicide = legal & ~legal_points(grid, dataclasses.replace(rules, suicide=False), state)
    is_black = state.to_play == 0
    mine, theirs = state.hashes[0], state.hashes[1]
    mine, theirs = jnp.where(is_black, mine, theirs), jnp.where(is_black, theirs, mine)

    def stands_as_now(black, white, _, index, length):
        past_mine, past_theirs = jnp.where(is_black, black, white), jnp.where(is_black, white, black)
        return (past_theirs == theirs) & (past_mine != mine) & (index < length)

    return is_suicide & _any_entry(stands_as_now, histories)


def _any_entry(is_meant: Callable, histories: tuple[History, ...]) -> Bool[Array, ""]:
    """Whether is_meant(black, white, both, index, length) holds for any entry."""
    found = jnp.bool_(False)
    for entries, length in histories:
        index = np.arange(entries.shape[1], dtype=np.int32)
        found = found | grids.reduce_slices(
            lax.bitwise_or,
            False,
            lambda words, index, length=length: is_meant(words[0], words[1], words[2], index, length),
            entries,
            index,
        )
    return found


def _highest(grid: Grid, mask: Bool[Array, " band"]) -> Int32[Array, ""]:
    """Highest cell of `mask`, NO_CELL for none."""
    return grids.reduce_slices(
        lax.max,
        NO_CELL,
        lambda part, cell: jnp.where(part, cell, np.int16(NO_CELL)),
        mask,
        grid.band_cells,
        lanes=grid.width,
    ).astype(jnp.int32)
