"""Points on the board as it stands: area by the Tromp-Taylor rules, with pass-dead stones off, or under group tax.

Plain area ("area", no tax) is what most games end by, so it is fast: a player's points are the own stones and the empty
points that reach only those. The flood runs on the packed board, one word a row: a whole board is 2 * size words, so a
trip of the loop is a few vector operations. It stops when no board changes; a board that is not asked for starts with
nothing left to do, so where all boards are flooded at once it adds no trip.

Everything else starts from a map of whose each point is, by floods that are wider.

A game is scored when it ends, one ply in a hundred. So a caller says which boards count, and only those are looked at
(rare.py).

*Source:* Tromp-Taylor rules, rules 4 and 9; KataGo's rules, area scoring and tax.
"""

import functools
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int8, Int16, Int32, UInt32

from research.go import benson, group_tax
from research.go import grid as grids
from research.go.chains import stones_of
from research.go.grid import Grid
from research.go.rare import where_needed
from research.go.rules import Rules
from research.go.state import GoState

ENDING_AT_A_TIME = 2  # games scored in one trip: hardly ever do more of a batch end at one ply


class _Position(NamedTuple):
    """What a score depends on, as in GoState."""

    label: Int16[Array, " cells"]
    atari: Bool[Array, " cells"]
    rows: UInt32[Array, "2 size"]


def points_difference(
    grid: Grid, rules: Rules, state: GoState, is_wanted: Bool[Array, ""] | None = None
) -> Int32[Array, ""]:
    """Black's points minus White's without komi; 0, at next to no cost, where `is_wanted` is given and false."""
    position = _Position(state.label, state.atari, state.recent_boards[0])
    if is_wanted is None:
        return _difference(grid, rules, position, jnp.bool_(True))
    difference = functools.partial(_difference, grid, rules)
    return where_needed(difference, is_wanted, jnp.int32(0), position, is_wanted, games_at_a_time=ENDING_AT_A_TIME)


def area_difference(rows: UInt32[Array, "2 size"], is_wanted: Bool[Array, ""] | bool = True) -> Int32[Array, ""]:
    """Black's area minus White's of a packed board; unless `is_wanted` some difference that costs nothing."""
    only_black, only_white = _only_reached(rows, is_wanted)
    points = lax.population_count(only_black).astype(jnp.int32) - lax.population_count(only_white).astype(jnp.int32)
    return points.sum()


def _owners(grid: Grid, rules: Rules, position: _Position) -> Int8[Array, "size size"]:
    """Whose each point is by `rules.scoring` before any tax: 0 nobody's, 1 black's, 2 white's."""
    if rules.scoring == "area-pass-dead":
        return benson.area_map(grid, position.label, rules.suicide)
    only_black, only_white = _only_reached(position.rows)
    is_black, is_white = grids.unpack_rows(grid, only_black), grids.unpack_rows(grid, only_white)
    return jnp.where(is_black, 1, jnp.where(is_white, 2, 0)).astype(jnp.int8)


def _difference(grid: Grid, rules: Rules, position: _Position, is_wanted: Bool[Array, ""]) -> Int32[Array, ""]:
    """Black's points minus White's without komi; unless `is_wanted` some number."""
    if rules.scoring == "area" and rules.tax == "none":
        return area_difference(position.rows, is_wanted)
    owner = _owners(grid, rules, position)
    tax = jnp.int32(0)
    if rules.tax != "none":
        life = group_tax.independent_life(grid, position.label, position.atari, owner)
        owner = group_tax.kept(life, owner, stones_of(grid, position.label))
        if rules.tax == "all":
            tax = group_tax.POINTS_PER_AREA * (life.num_areas[0] - life.num_areas[1])
    return (owner == 1).sum(dtype=jnp.int32) - (owner == 2).sum(dtype=jnp.int32) - tax


def _only_reached(
    rows: UInt32[Array, "2 size"], is_wanted: Bool[Array, ""] | bool = True
) -> tuple[UInt32[Array, " size"], UInt32[Array, " size"]]:
    """The packed points that reach, or are, stones of Black only, and of White only."""
    size = rows.shape[1]
    board_mask = jnp.uint32((1 << size) - 1)
    empty = jnp.where(is_wanted, ~(rows[0] | rows[1]) & board_mask, jnp.uint32(0))
    reach = grids.flood_rows(rows, empty)
    return reach[0] & ~reach[1], reach[1] & ~reach[0]
