"""A cache of evaluations: what one search has asked the network is not asked again by the next.

For one game at a time. Several Gumbel searches of a position, with other noise, share most of their nodes; after a move
the positions below it come again; an analysis goes back and forth in a game. Self-play does without: there every
position comes once, and a table would be one more thing to read.

How it works. The table is on the device and a search only reads it: `make_cached_evaluate` wraps an evaluation, and the
table travels with the network's variables (`WithTable`). After a search `remember` puts the nodes of its tree into the
table. Of a batch of positions those that the table lacks are evaluated, on a CPU one by one, since a batch there takes
as long as its positions one after the other; elsewhere all together, if any is lacking. So a sweep of 16 leaves with 12
known ones costs a CPU 4 evaluations, and no evaluation at all is made where all are known or their games over.

The key is all that an encoder reads of a position: the stones, who is to move, ko and passes, komi, the last eight
moves and boards, and which moves are legal as far as the node itself knows (in a tree that is superko by what the path
adds, which some planes show). Positions of one key may still differ in what superko forbids by the game before the
root. The tree's policies are without what was forbidden then: if the node allows a move that its entry has no number
for, the entry does not count. Otherwise the legal moves' numbers are right up to a constant, which makes no difference.

Two positions are taken as equal when all 96 bits are. By chance that happens once in 2^96 comparisons, each of which is
one evaluation asked for: in a year at a million a second with a probability of 4e-16.

A table holds one entry a slot, the newest. An evaluation under random symmetries depends on chance and is refused; an
average over all symmetries is as good as any. The ownership that a network may tell is not kept.

*Source:* own design; Zobrist 1970 for the keys.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Float32, Int32, UInt32

from research.game import Game, State
from research.go.state import NUM_RECENT, GoState
from research.go.zobrist import position_key, words_key
from research.networks import Prediction
from research.search.config import SearchConfig
from research.search.model import Evaluate, Variables
from research.search.symmetries import WithKey
from research.search.tree import ROOT, Tree

NUM_SLOTS = 1 << 15  # evaluations that a table holds; 48 MB of them at 19x19
EXTRA_WEIGHT = np.uint32(0x9E3779B1)  # odd: tells the words that only this key has from those of a position key
WORD_BITS = 32


class EvaluationTable(NamedTuple):
    """Evaluations by position."""

    keys: UInt32[Array, "slots 3"]  # of the positions
    is_used: Bool[Array, " slots"]
    log_policy: Float32[Array, "slots actions"]  # nats, -inf where a move was illegal
    value: Float32[Array, " slots"]  # for the player to move


class WithTable(NamedTuple):
    """What an evaluation with a table reads."""

    variables: Variables  # of the network
    table: EvaluationTable


class Remembered(NamedTuple):
    """A table after a search, and how much the one before had helped."""

    table: EvaluationTable
    num_nodes: Int32[Array, ""]  # that the search has made and whose games go on
    num_known: Int32[Array, ""]  # of them, those that were in the table already


def empty_table(num_actions: int, num_slots: int = NUM_SLOTS) -> EvaluationTable:
    """A table without entries."""
    return EvaluationTable(
        keys=jnp.zeros((num_slots, 3), jnp.uint32),
        is_used=jnp.zeros(num_slots, bool),
        log_policy=jnp.zeros((num_slots, num_actions), jnp.float32),
        value=jnp.zeros(num_slots, jnp.float32),
    )


def make_cached_evaluate(game: Game, evaluate: Evaluate) -> Evaluate:
    """`evaluate` for searches of Go, with a table to look into first: its variables are a `WithTable`.

    Predictions of known positions are the table's: their logits are log probabilities. Those of finished games mean
    nothing, as a search needs none. It *raises* ValueError, when traced, for an evaluation that depends on chance, and
    for another game's positions.
    """

    @custom_vmap
    def cached(params: WithTable, states: State) -> Prediction:
        legal = jax.vmap(game.legal_actions)(states)
        is_known, prediction = _look_up(params.table, _keys(states, legal), legal)
        is_asked = ~is_known & ~jax.vmap(game.is_over)(states)
        return _fill_in(evaluate, is_asked, prediction, params.variables, states)

    # A search with several leaves maps over them. A cond under vmap would run for all, so they are made one batch.
    @cached.def_vmap
    def as_one_batch(num_rows: int, is_batched: Any, params: WithTable, states: State) -> tuple[Prediction, Any]:
        def flat(leaf: Array, has_axis: bool) -> Array:
            leaf = leaf if has_axis else jnp.broadcast_to(leaf, (num_rows, *leaf.shape))
            return leaf.reshape(num_rows * leaf.shape[1], *leaf.shape[2:])

        found = cached(params, jax.tree.map(flat, states, is_batched[1]))
        found = jax.tree.map(lambda leaf: leaf.reshape(num_rows, -1, *leaf.shape[1:]), found)
        return found, jax.tree.map(lambda _: True, found)

    def checked(params: WithTable, states: State) -> Prediction:
        if isinstance(params.variables, WithKey):
            raise ValueError("an evaluation under random symmetries depends on chance: it cannot be remembered")
        if not isinstance(states, GoState):
            raise ValueError(f"the positions are {type(states).__name__}; only those of Go have keys")
        return cached(params, states)

    return checked


def remember(game: Game, config: SearchConfig, table: EvaluationTable, tree: Tree, first_slot: int = 1) -> Remembered:
    """The table with the root and the nodes from `first_slot` on; nodes of finished games need no entry.

    After a search that reused its tree, `first_slot` is the number of slots for kept nodes: those were put in before.
    A root whose policy has noise in it is left out.
    """
    rows = np.append(ROOT, np.arange(first_slot, tree.parent.shape[0]))
    has_noise = config.rule == "puct" and config.dirichlet_fraction > 0.0
    rows = rows[1:] if has_noise else rows

    def flat(leaf: Array) -> Array:
        return leaf[rows].reshape(len(rows) * leaf.shape[1], *leaf.shape[2:])

    states = jax.tree.map(flat, tree.state)
    legal = jax.vmap(game.legal_actions)(states)
    keys = _keys(states, legal)
    is_node = (flat(tree.visits) > 0.0) & ~jax.vmap(game.is_over)(states)
    is_known = is_node & _look_up(table, keys, legal)[0]
    # Of several nodes for one slot the last one writes, and alone, so that an entry is never a mixture.
    slots, number = _slots(table, keys), jnp.arange(len(keys), dtype=jnp.int32)
    num_slots = len(table.value)
    writer = jnp.full(num_slots, -1, jnp.int32).at[jnp.where(is_node, slots, num_slots)].max(number, mode="drop")
    slots = jnp.where(is_node & (writer[slots] == number), slots, num_slots)
    entries = EvaluationTable(keys, is_node, flat(tree.log_policy), flat(tree.raw_value))
    table = jax.tree.map(lambda old, new: old.at[slots].set(new, mode="drop"), table, entries)
    return Remembered(table, jnp.sum(is_node, dtype=jnp.int32), jnp.sum(is_known, dtype=jnp.int32))


def _keys(states: GoState, legal: Bool[Array, "batch actions"]) -> UInt32[Array, "batch 3"]:
    """A key of all that an encoder reads of each position."""

    def key_of(state: GoState, legal: Bool[Array, " actions"]) -> UInt32[Array, "3"]:
        extra = jnp.stack(
            [
                lax.bitcast_convert_type(state.komi, jnp.uint32),
                state.passes.astype(jnp.uint32),
                jnp.minimum(state.num_moves, NUM_RECENT).astype(jnp.uint32),
            ]
        )
        bits = jnp.pad(legal, (0, -len(legal) % WORD_BITS)).reshape(-1, WORD_BITS)
        words = jnp.sum(bits * (np.uint32(1) << np.arange(WORD_BITS, dtype=np.uint32)), axis=1, dtype=jnp.uint32)
        key = position_key(state, num_recent=NUM_RECENT)
        return key + EXTRA_WEIGHT * words_key(jnp.concatenate([extra, words]))

    return jax.vmap(key_of)(states, legal)


def _slots(table: EvaluationTable, keys: UInt32[Array, "batch 3"]) -> Int32[Array, " batch"]:
    """Where the table keeps each position: by the third word, whose bits are all mixed."""
    return (keys[:, 2] % np.uint32(len(table.value))).astype(jnp.int32)


def _look_up(
    table: EvaluationTable, keys: UInt32[Array, "batch 3"], legal: Bool[Array, "batch actions"]
) -> tuple[Bool[Array, " batch"], Prediction]:
    """(Whether the table knows each position, what it says there)."""
    found = jax.tree.map(lambda rows: rows[_slots(table, keys)], table)
    is_forbidden = jnp.isneginf(found.log_policy)
    is_known = found.is_used & (found.keys == keys).all(-1) & ~(legal & is_forbidden).any(-1)
    lowest = jnp.finfo(jnp.float32).min
    return is_known, Prediction(jnp.where(is_forbidden, lowest, found.log_policy), found.value)


def _fill_in(
    evaluate: Evaluate, is_asked: Bool[Array, " batch"], known: Prediction, variables: Variables, states: State
) -> Prediction:
    """The predictions that are known, and the network's for the positions that are asked about."""

    def ask(states: State) -> Prediction:
        prediction = evaluate(variables, states)
        return Prediction(prediction.policy_logits.astype(jnp.float32), prediction.value.astype(jnp.float32))

    def together() -> Prediction:
        def choose(new: Array, old: Array) -> Array:
            return jnp.where(is_asked.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        return lax.cond(is_asked.any(), lambda: jax.tree.map(choose, ask(states), known), lambda: known)

    def one_by_one() -> Prediction:
        def ask_first(carry: tuple[Array, Prediction]) -> tuple[Array, Prediction]:
            waiting, found = carry
            row = jnp.argmax(waiting)
            answer = ask(jax.tree.map(lambda leaf: lax.dynamic_slice_in_dim(leaf, row, 1), states))
            put = lambda leaf, new: lax.dynamic_update_slice_in_dim(leaf, new, row, 0)  # noqa: E731
            return waiting.at[row].set(False), jax.tree.map(put, found, answer)

        return lax.while_loop(lambda carry: carry[0].any(), ask_first, (is_asked, known))[1]

    if len(is_asked) == 1:
        return together()
    return lax.platform_dependent(cpu=one_by_one, default=together)
