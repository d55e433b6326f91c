"""The search tree: a list of nodes, the games of a batch side by side.

Node arrays are [nodes, games], games last: on a TPU the games lie on the lanes and choosing among a node's children is
elementwise work and a short reduction over nodes. There are no statistics of edges. An edge is its child: a node's
children are the entries whose `parent` is the node, and what an edge would hold (visits, reward, prior) stands with
the child. The actions of a node that have no child yet are stood for by one of them, the next to be opened: they
are opened in a fixed order, the largest prior first, and all of them count as equally valuable.

Slot 0 is the root. A parent's slot is always lower than its children's. Every game writes the node of a simulation to
the same slot, so that a new node costs no scatter; a simulation that ended at a node that was there before (a finished
game, the depth bound) leaves its slot empty. Empty slots have parent and action NONE and 0 visits, wherever they lie.

Whose view: `value` and `raw_value` are for the player to move at the node itself, `reward` is for the player who made
the ply into it. So a child is worth `reward + discount * value` to its parent (`worth_to_parent`).

*Source:* own design; statistics and their updates are those of mctx.Tree, which is [games, nodes, actions].
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int32, Shaped

from research.game import State

ROOT = 0
NONE = -1
LAST_RESORT = -1e10  # score of a child that waits for its evaluation: lower than any other, but it is a choice


class Tree(NamedTuple):
    """One tree for each game of a batch."""

    parent: Int32[Array, "nodes games"]  # slot of the parent; NONE for the root and empty slots
    action: Int32[Array, "nodes games"]  # action that led here; NONE for the root and empty slots
    visits: Float32[Array, "nodes games"]  # N: simulations that came here, the first, which made it, included; 0: empty
    value: Float32[Array, "nodes games"]  # mean of those simulations' returns, seen by the player to move here
    raw_value: Float32[Array, "nodes games"]  # the network's value of the node; 0 if its game is over
    reward: Float32[Array, "nodes games"]  # of the ply that led here: its maker's result if it ended the game, else 0
    discount: Float32[Array, "nodes games"]  # factor on `value` in the parent's eyes: -1; 0 if this game is over
    log_prior: Float32[Array, "nodes games"]  # log probability of `action` in the parent's policy (P of the edge)
    order: Float32[Array, "nodes games"]  # what the parent opened it by: log_prior, or root_order at the root
    next_action: Int32[Array, "nodes games"]  # the action that the node opens next
    next_order: Float32[Array, "nodes games"]  # what that is opened by; -inf when all legal actions have nodes
    unopened: Float32[Array, "nodes games"]  # the policy's mass on actions without a node, a probability
    log_policy: Float32[Array, "nodes games actions"]  # the node's policy: log probabilities, -inf if illegal
    root_order: Float32[Array, "games actions"]  # what the root opens its actions by: log_policy, or noise + logits
    state: State  # positions, leading axes [nodes, games], without the root's past (Game.as_node)


class ChildStatistics(NamedTuple):
    """N, W, Q and P of every action of one node in each game, for the player to move there."""

    visits: Int32[Array, "games actions"]  # N: simulations that went on with the action
    value_sum: Float32[Array, "games actions"]  # W: sum of their returns
    value: Float32[Array, "games actions"]  # Q: their mean, in [-1, 1]; 0 where there were none
    prior: Float32[Array, "games actions"]  # P: probability before the search, root noise included; 0 if illegal
    node: Int32[Array, "games actions"]  # slot of the child, NONE where there is none


def child_statistics(tree: Tree, node: Int32[Array, " games"] | int = ROOT) -> ChildStatistics:
    """The statistics of the actions of `node`, a slot a game or one for all."""
    node = jnp.broadcast_to(jnp.asarray(node, jnp.int32), tree.parent.shape[1:])
    is_child = children(tree, node)
    visits = by_action(tree, is_child, tree.visits)
    value = by_action(tree, is_child, worth_to_parent(tree))
    log_policy = jnp.sum(jnp.where(is_slot(tree, node)[..., None], jnp.exp(tree.log_policy), 0.0), axis=0)
    slots = jnp.broadcast_to(slot_numbers(tree), tree.parent.shape)
    return ChildStatistics(
        visits=visits.astype(jnp.int32),
        value_sum=visits * value,
        value=value,
        prior=log_policy,
        node=by_action(tree, is_child, slots - NONE) + NONE,
    )


def by_action(
    tree: Tree, is_child: Bool[Array, "nodes games"], values: Shaped[Array, "nodes games"]
) -> Shaped[Array, "games actions"]:
    """The children's `values` in the order of actions, 0 where an action has no child."""
    actions = jnp.arange(tree.log_policy.shape[-1], dtype=jnp.int32)
    is_of_action = is_child[..., None] & (tree.action[..., None] == actions)
    return jnp.sum(jnp.where(is_of_action, values[..., None], 0), axis=0).astype(values.dtype)


def worth_to_parent(tree: Tree) -> Float32[Array, "nodes games"]:
    """Q of the edge to each node: its worth to the player who moved there."""
    return tree.reward + tree.discount * tree.value


def children(tree: Tree, node: Int32[Array, " games"]) -> Bool[Array, "nodes games"]:
    """Which slots hold a child of `node`."""
    return tree.parent == node


def seen_children(tree: Tree, node: Int32[Array, " games"]) -> Bool[Array, "nodes games"]:
    """Those of them that have been evaluated."""
    # One compare at each node; masks are dear to keep on a CPU.
    return jnp.where(tree.visits > 0.0, tree.parent, NONE - 1) == node


def is_slot(tree: Tree, slot: Int32[Array, " games"]) -> Bool[Array, "nodes games"]:
    """Which entry is `slot` in each game."""
    return slot_numbers(tree) == slot


def at(is_node: Bool[Array, "nodes games"], values: Shaped[Array, "nodes games"]) -> Shaped[Array, " games"]:
    """The one of `values` that `is_node` marks in each game, 0 without a mark: compare and select, no gather."""
    return jnp.sum(jnp.where(is_node, values, 0), axis=0).astype(values.dtype)


def row_of(rows: Shaped[Array, "nodes games *rest"], node: Int32[Array, " games"]) -> Shaped[Array, "games *rest"]:
    """The row of `node` in each game.

    A single number is gathered, but on a TPU, where a gather goes number by number, found by compare and select.
    """

    def by_select(rows: Array, node: Array) -> Array:
        is_node = jnp.arange(len(rows), dtype=jnp.int32)[:, None] == node
        if rows.dtype == bool:
            return jnp.any(is_node & rows, axis=0)
        return jnp.sum(jnp.where(is_node, rows, 0), axis=0, dtype=rows.dtype)

    def by_gather(rows: Array, node: Array) -> Array:
        num_nodes, games, *rest = rows.shape
        index = node * games + jnp.arange(games, dtype=jnp.int32)
        return rows.reshape(num_nodes * games, *rest).at[index].get(mode="promise_in_bounds")

    if rows.ndim == 2:
        return lax.platform_dependent(rows, node, tpu=by_select, default=by_gather)
    return by_gather(rows, node)


def first_best(
    scores: Float32[Array, "*batch actions"],
) -> tuple[Int32[Array, "*batch"], Float32[Array, "*batch"]]:
    """(the lowest action with the largest score, that score).

    In two reductions: XLA:CPU takes eight times as long for argmax, which keeps a score and an action at once.
    """
    best = jnp.max(scores, axis=-1)
    actions = jnp.arange(scores.shape[-1], dtype=jnp.int32)
    return jnp.min(jnp.where(scores == best[..., None], actions, len(actions) - 1), axis=-1), best


def slot_numbers(tree: Tree) -> Int32[Array, "nodes 1"]:
    """0, 1, 2, ... down the list."""
    return jnp.arange(tree.parent.shape[0], dtype=jnp.int32)[:, None]


def plant(
    log_policy: Float32[Array, "games actions"],
    root_order: Float32[Array, "games actions"],
    value: Float32[Array, " games"],
    state: State,
    num_slots: int,
) -> Tree:
    """Trees of nothing but a root, visited once by its own evaluation, with room for `num_slots` nodes."""

    def list_of(first: Any, empty: Any = 0) -> Array:
        first = jnp.asarray(first)
        rest = jnp.full((num_slots - 1, *first.shape), empty, first.dtype)
        return jnp.concatenate([first[None], rest])

    next_action, next_order = first_best(root_order)
    zero, none = jnp.zeros_like(value), jnp.full(value.shape, NONE, jnp.int32)
    return Tree(
        parent=list_of(none, NONE),
        action=list_of(none, NONE),
        visits=list_of(zero + 1.0),
        value=list_of(value),
        raw_value=list_of(value),
        reward=list_of(zero),
        discount=list_of(zero),
        log_prior=list_of(zero),
        order=list_of(zero),
        next_action=list_of(next_action),
        next_order=list_of(next_order),
        unopened=list_of(zero + 1.0),
        log_policy=list_of(log_policy),
        root_order=root_order,
        state=jax.tree.map(list_of, state),
    )
