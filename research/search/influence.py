"""Influence maps: whose each point will be, in every node of a search tree the mean over all simulations through it.

A map holds a number a point: 0 Black's, 1 White's, 0.5 open. Every simulation that ends at a node adds the node's own
map, from random playouts (`playouts.py`) or from a network's ownership head, to that node and to all above it. So a
node's mean is that of its subtree's own maps, each counted as often as simulations ended there. Maps are about colours,
not about the player to move: their sign never changes on the way up.

Nothing of this happens inside the search. A position is all that its own map depends on, so the maps of a finished tree
are made in large batches, and all means follow from the list of nodes: on a CPU bottom-up, a row a node; elsewhere as
one matrix product. Who is below whom is the parents' matrix, squared until nothing is added; that times the weights is
the share of each own map in each mean.

A reused tree keeps its maps: `advance_influence` moves them with the nodes. What the forgotten nodes had brought to a
parent stays in the parent's own map, so that every kept mean is what it was.

*Source:* own design.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Float32, Int8, Int32, Key

from research.game import Game, State
from research.search.model import Evaluate, Variables
from research.search.packing import take_rows
from research.search.reuse import Advanced
from research.search.tree import NONE, ROOT, Tree

BLACK, OPEN, WHITE = 0.0, 0.5, 1.0
MAX_BATCH = 1024  # positions whose maps are made together

# (variables, states with a leading batch axis, a key for each) -> maps [batch, rows, columns]
MapStates = Callable[[Variables, State, Array], Array]


class Influence(NamedTuple):
    """What the maps of a batch of trees are made from."""

    own: Float32[Array, "nodes games rows columns"]  # map of the simulations that ended at the node; OPEN before any
    is_known: Bool[Array, "nodes games"]  # whether the node's own map has been made


def no_influence(tree: Tree, board_shape: tuple[int, int]) -> Influence:
    """No maps yet."""
    shape = tree.parent.shape
    return Influence(jnp.full((*shape, *board_shape), OPEN, jnp.float32), jnp.zeros(shape, bool))


def map_nodes(
    map_states: MapStates,
    variables: Variables,
    key: Key[Array, ""],
    tree: Tree,
    influence: Influence,
    first_slot: int = 1,
) -> Influence:
    """The influence with the own maps of the root and of the nodes from `first_slot` on, where they are not known yet.

    After a search that reused its trees, `first_slot` is the number of slots for kept nodes. `key` is consumed.
    """
    num_slots, games = tree.parent.shape
    slots = np.append(ROOT, np.arange(first_slot, num_slots))
    width = min(len(slots), max(1, MAX_BATCH // games))
    # The last group is filled up with the root, whose map is then made more than once, and always the same.
    groups = np.append(slots, np.zeros(-len(slots) % width, int)).reshape(-1, width)

    def map_group(group: Int32[Array, " width"]) -> Float32[Array, "width games rows columns"]:
        states = jax.tree.map(lambda leaf: leaf[group].reshape(width * games, *leaf.shape[2:]), tree.state)
        numbers = (group[:, None] * games + jnp.arange(games)).reshape(-1)
        keys = jax.vmap(lambda number: jax.random.fold_in(key, number))(numbers)
        maps = map_states(variables, states, keys)
        return maps.reshape(width, games, *maps.shape[1:])

    maps = lax.map(map_group, jnp.asarray(groups, jnp.int32))
    maps = maps.reshape(-1, *maps.shape[2:])[: len(slots)]
    is_new = (tree.visits > 0.0)[slots] & ~influence.is_known[slots]
    own = influence.own.at[slots].set(jnp.where(is_new[..., None, None], maps, influence.own[slots]))
    return Influence(own, influence.is_known.at[slots].set(influence.is_known[slots] | is_new))


def mean_maps(tree: Tree, influence: Influence) -> Float32[Array, "nodes games rows columns"]:
    """Each node's map: the mean over the simulations that came through it; OPEN where there were none."""
    num_slots, games, *board = influence.own.shape
    own = influence.own.reshape(num_slots, games, -1)
    each = (tree.parent, own, num_ended(tree), tree.visits)
    means = lax.platform_dependent(*each, cpu=means_upwards, default=means_by_reach)
    return means.reshape(num_slots, games, *board)


def num_ended(tree: Tree) -> Float32[Array, "nodes games"]:
    """How many simulations ended at each node: its visits without its children's."""
    return tree.visits - sum_of_children(tree.parent, tree.visits[..., None])[..., 0]


def sum_of_children(
    parent: Int32[Array, "nodes games"], values: Float32[Array, "nodes games numbers"]
) -> Float32[Array, "nodes games numbers"]:
    """The sum of `values` over each node's children."""
    return jnp.einsum("cng,cgx->ngx", _is_child(parent), values, precision="highest")


def means_upwards(
    parent: Int32[Array, "nodes games"],
    own: Float32[Array, "nodes games points"],
    weight: Float32[Array, "nodes games"],
    visits: Float32[Array, "nodes games"],
) -> Float32[Array, "nodes games points"]:
    """Each node's mean of the `own` maps of itself and all below it, by `weight`: from the last node to the first.

    `visits` are the sums of the weights, 0 in empty slots, which are OPEN.
    """
    num_slots, games = parent.shape
    numbers = jnp.arange(games)

    def add(place: Array, sums: Array) -> Array:
        slot = num_slots - 1 - place
        # The root and empty slots add to a row beyond the end, which is dropped.
        above = jnp.where(parent[slot] == NONE, num_slots, parent[slot])
        return sums.at[above, numbers].add(sums[slot], mode="drop")

    totals = lax.fori_loop(0, num_slots - 1, add, own * weight[..., None])
    return jnp.where((visits > 0.0)[..., None], totals / jnp.maximum(visits, 1.0)[..., None], OPEN)


def means_by_reach(
    parent: Int32[Array, "nodes games"],
    own: Float32[Array, "nodes games points"],
    weight: Float32[Array, "nodes games"],
    visits: Float32[Array, "nodes games"],
) -> Float32[Array, "nodes games points"]:
    """The same as one matrix product: the share that each node's own map has in the mean of each node above it."""
    is_below = jnp.moveaxis(_is_child(parent), -1, 0)
    is_below += jnp.eye(len(parent), dtype=jnp.float32)

    def double(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        is_below, _ = carry
        # Zeros, ones and counts above them: exact in any precision that knows whether it is 0.
        wider = (jnp.einsum("gcb,gba->gca", is_below, is_below) > 0.0).astype(jnp.float32)
        return wider, jnp.any(wider != is_below)

    is_below, _ = lax.while_loop(lambda carry: carry[1], double, (is_below, jnp.bool_(True)))
    # An empty slot has all of its own mean, and its own map is OPEN.
    weight = jnp.where(visits > 0.0, weight, 1.0)
    shares = is_below * (weight.T[:, :, None] / jnp.maximum(visits, 1.0).T[:, None, :])
    return jnp.einsum("gcn,cgx->ngx", shares, own, precision="highest")


def _is_child(parent: Int32[Array, "nodes games"]) -> Float32[Array, "nodes nodes games"]:
    """Entry (child, node, game): 1 if the first is a child of the second, else 0."""
    slots = jnp.arange(len(parent), dtype=jnp.int32)[:, None]
    return (parent[:, None] == slots).astype(jnp.float32)


def advance_influence(before: Tree, influence: Influence, advanced: Advanced) -> Influence:
    """The influence of the trees after a move; every kept node's mean stays what it was."""
    num_more = len(influence.own) - len(advanced.source)
    is_used = advanced.source != NONE

    def padded(values: Array, empty: float | bool) -> Array:
        values = jnp.where(is_used.reshape(*is_used.shape, *[1] * (values.ndim - 2)), values, empty)
        return jnp.concatenate([values, jnp.full((num_more, *values.shape[1:]), empty, values.dtype)])

    known = (influence.own, mean_maps(before, influence), num_ended(before), influence.is_known)
    own, means, ended, is_known = map(padded, take_rows(known, advanced.source), (OPEN, OPEN, 0.0, False))
    tree = advanced.tree
    weight = num_ended(tree)
    has_lost = weight > ended
    # What is left of a node's sum when its kept children's are taken off: its own, and that of the forgotten.
    sums = (means * tree.visits[..., None, None]).reshape(*tree.visits.shape, -1)
    left = (sums - sum_of_children(tree.parent, sums)).reshape(means.shape) / jnp.maximum(weight, 1.0)[..., None, None]
    own = jnp.where(has_lost[..., None, None], jnp.clip(left, BLACK, WHITE), own)
    return Influence(own, is_known)


def merge(
    mean: Float[Array, "rows columns"], count: int | Array, new: Float[Array, "rows columns"]
) -> tuple[Float[Array, "rows columns"], int | Array]:
    """(the mean with one more map, their number): the first map replaces what stood there, later ones are averaged."""
    return mean + (new - mean) / (count + 1), count + 1


def make_ownership_maps(evaluate: Evaluate, game: Game) -> MapStates:
    """Own maps from the network's ownership head.

    The maps' function *raises* ValueError if the evaluation has no ownership.
    """

    def map_states(
        variables: Variables, states: State, keys: Key[Array, " batch"]
    ) -> Float32[Array, "batch rows columns"]:
        ownership = evaluate(variables, states).ownership
        if ownership is None:
            raise ValueError("the evaluation gives no ownership; use a network with such a head, or make_playout_maps")
        is_black = (jax.vmap(game.to_play)(states) == 0)[:, None, None]
        return map_from_ownership(jnp.where(is_black, ownership, -ownership))

    return map_states


def map_from_ownership(ownership: Float[Array, "*batch rows columns"]) -> Float[Array, "*batch rows columns"]:
    """A map from ownership (1 Black's, -1 White's)."""
    return (1.0 - ownership) / 2.0


def map_from_owners(owners: Int8[Array, "*batch rows columns"]) -> Float32[Array, "*batch rows columns"]:
    """A map from a board: 0 nobody's, 1 Black's, 2 White's."""
    return jnp.where(owners == 1, BLACK, jnp.where(owners == 2, WHITE, OPEN))
