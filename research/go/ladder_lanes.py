"""Chains of a whole batch of boards, read side by side.

Chains differ: most are settled at the first look, some take a hundred moves. So the chains of all boards form one
list, and a fixed number of lanes works through it; a lane that has come to the end of its chain takes the next one. No
chain waits for another, and what is read does not depend on what else is in the batch. When the list is empty and few
lanes are still busy, they go on in a narrower batch.

*Source:* own design.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from research.go import ladder_search as search
from research.go.grid import REDUCE_LANES
from research.go.ladder_board import Field
from research.go.ladder_search import Answer, Lane, Limits
from research.go.listing import list_points, num_listed

LANES_PER_BOARD = 8  # a position has about as many chains
NARROWING = 8  # lanes before for one after
FEW_LANES = 64  # so many are not worth a second program


class Task(NamedTuple):
    """The chains of one board that are to be read."""

    board: Int16[Array, "*batch field"]
    chains: UInt32[Array, "*batch 2 size"]  # packed boards: one stone a chain, of those to be read first, and then
    bans: Int32[Array, "*batch 2"]  # cells that Black, and White, may not take first


class Results(NamedTuple):
    """What the readings of a batch of boards have shown."""

    moves: Bool[Array, "*batch 2 2 cells"]  # first moves that work: 0 the hunter's, 1 the prey's; by the prey's colour
    chains: Bool[Array, "*batch cells"]  # at the id of a chain: it has such a move
    num_nodes: Int32[Array, "*batch"]  # moves made
    num_cut: Int32[Array, "*batch"]  # chains that were not read to the end


class _List(NamedTuple):
    """The chains that are to be read, of all boards."""

    tasks: Task  # a batch
    chains: UInt32[Array, "entries size"]  # one packed board an entry: of every board those to be read first, then all
    ends: Int32[Array, " entries"]  # chains up to the end of each entry


class _Pool(NamedTuple):
    """All that changes from one trip to the next."""

    lanes: Lane  # a batch
    num_taken: Int32[Array, ""]  # chains of the list that have been taken
    found: Bool[Array, " findings"]  # Results.moves and Results.chains, flat
    num_nodes: Int32[Array, " boards"]
    num_cut: Int32[Array, " boards"]


def read_all(field: Field, limits: Limits, tasks: Task) -> Results:
    """What the chains of a batch of boards come to."""
    num_boards, num_cells = len(tasks.board), field.grid.num_cells
    # Long readings should begin early, or a few lanes go on when all others have nothing left to do.
    chains = tasks.chains.swapaxes(0, 1).reshape(2 * num_boards, -1)
    listed = _List(tasks, chains, jnp.cumsum(jax.vmap(num_listed)(chains)))
    num_lanes = min(limits.num_lanes, LANES_PER_BOARD * num_boards)
    idle = search.idle_lane(field, limits)
    pool = _Pool(
        lanes=jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (num_lanes, *leaf.shape)), idle),
        num_taken=jnp.int32(0),
        found=jnp.zeros(num_boards * 5 * num_cells, bool),
        num_nodes=jnp.zeros(num_boards, jnp.int32),
        num_cut=jnp.zeros(num_boards, jnp.int32),
    )
    pool = _run(field, limits, listed, pool, num_lanes // NARROWING if num_lanes > FEW_LANES else 0)
    if num_lanes > FEW_LANES:
        busy_first = jnp.argsort(~pool.lanes.is_busy, stable=True)[: num_lanes // NARROWING]
        pool = pool._replace(lanes=jax.tree.map(lambda leaf: leaf[busy_first], pool.lanes))
        pool = _run(field, limits, listed, pool, 0)
    found = pool.found.reshape(num_boards, 5, num_cells)
    return Results(
        moves=found[:, :4].reshape(num_boards, 2, 2, num_cells),
        chains=found[:, 4],
        num_nodes=pool.num_nodes,
        num_cut=pool.num_cut,
    )


def _run(field: Field, limits: Limits, listed: _List, pool: _Pool, num_enough: int) -> _Pool:
    """The pool when all chains have been taken and no more than `num_enough` are still being read."""
    return lax.while_loop(
        lambda pool: (pool.num_taken < listed.ends[-1]) | (pool.lanes.is_busy.sum() > num_enough),
        lambda pool: _trip(field, limits, listed, pool),
        pool,
    )


def _trip(field: Field, limits: Limits, listed: _List, pool: _Pool) -> _Pool:
    """The pool after every lane has made up its mind and moved."""
    was_busy, number = pool.lanes.is_busy, pool.num_taken
    lanes, answers = jax.vmap(lambda lane: search.think(field, limits, lane, number))(pool.lanes)
    lanes = lanes._replace(is_busy=lanes.is_busy & was_busy)
    game = jnp.where(was_busy & ~lanes.is_busy, lanes.game, len(pool.num_nodes))
    pool = pool._replace(
        found=_note(field, pool.found, lanes, answers, was_busy),
        num_nodes=pool.num_nodes.at[game].add(lanes.total_nodes, mode="drop"),
        num_cut=pool.num_cut.at[game].add(lanes.is_cut.astype(jnp.int32), mode="drop"),
    )
    lanes, num_taken = _hand_out(field, listed, lanes, pool.num_taken)
    lanes = lanes._replace(goes_home=lanes.goes_home | ~lanes.is_busy)
    roots = listed.tasks.board.at[lanes.game].get(mode="promise_in_bounds")
    lanes = jax.vmap(lambda lane, root: search.act(field, lane, root, number))(lanes, roots)
    return pool._replace(lanes=lanes, num_taken=num_taken)


def _hand_out(field: Field, listed: _List, lanes: Lane, num_taken: Int32[Array, ""]) -> tuple[Lane, Int32[Array, ""]]:
    """(the lanes, idle ones about to read the next chains of the list; chains taken by then)."""
    tasks, chains, ends = listed
    is_idle = ~lanes.is_busy
    # A running count by a product is one pass, where XLA:CPU makes several of a cumulative sum.
    is_before = np.tri(len(is_idle), k=-1, dtype=np.float32)
    number = num_taken + (is_before @ is_idle.astype(jnp.float32)).astype(jnp.int32)
    is_given = is_idle & (number < ends[-1])

    def begin(lane, number, is_given):
        entry = _count_up_to(ends, number)
        entry = jnp.minimum(entry, len(ends) - 1)
        rank = number - jnp.where(entry > 0, ends[entry - 1], 0)
        cell = list_points(field.grid, chains[entry], rank, 1).cells[0]
        game = entry % len(tasks.board)
        begun = search.begin(lane, game, tasks.bans[game], tasks.board[game, cell])
        return jax.tree.map(lambda new, old: jnp.where(is_given, new, old), begun, lane)

    return jax.vmap(begin)(lanes, number, is_given), num_taken + is_given.sum(dtype=jnp.int32)


def _count_up_to(ends: Int32[Array, " entries"], number: Int32[Array, ""]) -> Int32[Array, ""]:
    """How many of the ascending `ends` are at most `number`: whole blocks of them, then those of one block."""
    num_blocks = -(-len(ends) // REDUCE_LANES)
    padding = (0, num_blocks * REDUCE_LANES - len(ends))
    blocks = jnp.pad(ends, padding, constant_values=np.iinfo(np.int32).max).reshape(num_blocks, REDUCE_LANES)
    block = jnp.minimum((blocks[:, -1] <= number).sum(dtype=jnp.int32), num_blocks - 1)
    return block * REDUCE_LANES + (blocks[block] <= number).sum(dtype=jnp.int32)


def _note(
    field: Field, found: Bool[Array, " findings"], lanes: Lane, answers: Answer, was_busy: Bool[Array, " lanes"]
) -> Bool[Array, " findings"]:
    """`found` with the answers of all lanes."""
    num_cells = field.grid.num_cells
    works = answers.works & was_busy[:, None]
    kind = 5 * lanes.game + 2 * lanes.moves_first + lanes.is_white
    moves = jnp.where(works, kind[:, None] * num_cells + answers.cells, len(found))
    chains = (5 * lanes.game + 4) * num_cells + (lanes.prey >> 1)
    chains = jnp.where(works.any(axis=1), chains, len(found))
    return found.at[jnp.append(moves.reshape(-1), chains)].set(True, mode="drop")
