"""Our loop: grows the trees of a batch of games, a simulation at a time or several leaves at once.

A simulation in four steps, for every game of the batch at the same time:

1. `descend` from the root: at each node the rule scores the children and the next unopened action, and the walk goes
   on into the best child until an action without a node is best. If that is at a finished game, at the depth bound, or
   at a node that is still waiting for its evaluation, nothing is opened.
2. `open_edge`: the new node gets its place under its parent.
3. `evaluate`: the rules and the network say what the new position is.
4. `back_up`: on its way down the walk has noted how many plies it had come at every node of its path, and players
   alternate, so the leaf's return, with its sign turned or not, is every node's. It takes one elementwise operation.

Then `look_up_next` finds the action that the parent opens next: the largest entry of its policy below the one just
opened. That reads a row of all nodes' policies, which is why it comes after the new node's policy has been written: in
the other order XLA copies the whole array, twice a simulation.

Several leaves at once: steps 1 and 2, and the look-up, are done `width` times before step 3 does all the leaves in one
batch. What is under way is visible to the next walk (PUCT: as losses; Gumbel: as visits of the root's actions, which is
all it takes, since the actions of one sweep have separate subtrees). A walk that meets a node without an evaluation is
lost: its slot stays empty and it counts nowhere.

Why not mctx's loop: it keeps statistics of edges [games, nodes, actions], updated by scatters, and walks up with the
whole tree as a loop's carry. Both dominate the time of a search on a TPU, and of PUCT's deep trees everywhere.

*Source:* own design; the same selection, expansion and backup as mctx.search.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float32, Int32, PRNGKeyArray

from research.game import State
from research.search import gumbel, puct
from research.search.config import SearchConfig
from research.search.halving import equal_runs, schedule, sweep_widths
from research.search.model import SearchParams
from research.search.tree import NONE, ROOT, Tree, first_best, is_slot, row_of, slot_numbers

MAX_EXACT = 1 << 24  # float32 has all whole numbers up to there

# (params, key, actions, nodes) -> (mctx.RecurrentFnOutput, nodes): one ply and its evaluation; see `make_recurrent_fn`
Expand = Callable

# (tree, counted, node) -> (scores of its children, score of the next action): a rule below the root
Score = Callable[[Tree, Tree, Array], tuple[Array, Array]]


class Walk(NamedTuple):
    """A finished walk from the root, in every game."""

    node: Int32[Array, " games"]  # where it ended
    opens: Bool[Array, " games"]  # whether it opens an action of `node`; else `node` itself is the leaf
    path: Float32[Array, "nodes games"]  # one more than the plies to each node that it came through; 0: elsewhere


def leaf_widths(config: SearchConfig, num_actions: int) -> list[int]:
    """How many leaves each step of a whole search evaluates together; they sum to the simulations."""
    if config.num_leaves == 1 or config.num_simulations == 0:
        return [1] * config.num_simulations
    if config.rule == "puct":
        sweeps = iter([config.num_simulations])
    else:
        sweeps = sweep_widths(num_candidates(config, num_actions), config.num_simulations)
    # A sweep wider than the config allows is cut into pieces.
    return [min(config.num_leaves, sweep - start) for sweep in sweeps for start in range(0, sweep, config.num_leaves)]


def num_candidates(config: SearchConfig, num_actions: int) -> int:
    """Root actions that a Gumbel search considers, if so many are legal."""
    return min(config.max_num_considered_actions, num_actions)


def grow(
    config: SearchConfig,
    expand: Expand,
    params: SearchParams,
    key: PRNGKeyArray,
    tree: Tree,
    first_slot: int = 1,
) -> Tree:
    """`tree` after `config.num_simulations` more simulations, whose nodes go to the slots from `first_slot` on."""
    num_actions = tree.log_policy.shape[-1]
    choose_at_root, score_below = _make_rule(config, tree)
    # Positions as one row of each field: a TPU pads the last two axes of an array, and small ones many times over.
    positions = tree.state
    tree = tree._replace(state=jax.tree.map(lambda leaf: _as_rows(leaf, 2), positions))
    expand = _expand_rows(expand, positions)
    slot = first_slot
    for width, num_steps in equal_runs(leaf_widths(config, num_actions)):

        def step(number: Array, tree: Tree, width: int = width, start: int = slot) -> Tree:
            first = start + number * width
            tree, walks = _walk(config, tree, choose_at_root, score_below, first, width)
            tree = _evaluate_and_back_up(expand, params, jax.random.fold_in(key, first), tree, walks, first)
            if width == 1:  # with several, the next walk needs it before the evaluation
                tree = look_up_next(tree, jax.tree.map(lambda leaf: leaf[0], walks), first)
            return tree

        tree = lax.fori_loop(0, num_steps, step, tree)
        slot += width * num_steps
    return tree._replace(state=jax.tree.map(lambda rows, leaf: rows.reshape(leaf.shape), tree.state, positions))


def _expand_rows(expand: Expand, positions: State) -> Expand:
    """`expand` for positions of which every field is one row, as `positions` [nodes, games, ...] are without that."""

    def expand_rows(params: SearchParams, key: PRNGKeyArray, actions: Array, rows: State) -> tuple[Any, State]:
        nodes = jax.tree.map(lambda row, leaf: row.reshape(leaf.shape[1:]), rows, positions)
        output, nodes = expand(params, key, actions, nodes)
        return output, jax.tree.map(lambda leaf: _as_rows(leaf, 1), nodes)

    return expand_rows


def _as_rows(field: Array, num_leading: int) -> Array:
    """`field` with all axes after the leading ones made one; without such it stays."""
    return field.reshape(*field.shape[:num_leading], -1) if field.ndim > num_leading else field


def _make_rule(config: SearchConfig, tree: Tree) -> tuple[Callable[..., tuple[Array, Array]], Score]:
    """(the rule at the root: (tree, counted, under_way) -> scores; the rule below it)."""
    games = tree.parent.shape[1]
    if config.rule == "puct":
        root = jnp.full(games, ROOT, jnp.int32)
        score = lambda tree, counted, node: puct.score_actions(config, tree, counted, node)  # noqa: E731
        return lambda tree, counted, under_way: score(tree, counted, root), score
    most = num_candidates(config, tree.log_policy.shape[-1])
    num_legal = jnp.sum(~jnp.isneginf(tree.root_order), axis=-1)
    # What each game's schedule says for each of its simulations: [simulations, games].
    considered = jnp.asarray(schedule(most, config.num_simulations).T)[:, jnp.minimum(most, num_legal)]

    def score_at_root(tree: Tree, counted: Tree, under_way: Array) -> tuple[Array, Array]:
        num_done = (tree.visits + under_way)[ROOT] - 1.0
        now = row_of(considered, num_done.astype(jnp.int32))
        return gumbel.score_root_actions(config, tree, under_way, now)

    return score_at_root, lambda tree, counted, node: gumbel.score_inner_actions(config, tree, node)


def _walk(
    config: SearchConfig, tree: Tree, score_at_root: Callable, score_below: Score, first: Array, width: int
) -> tuple[Tree, Walk]:
    """`width` walks one after the other, each seeing those before: (the tree with their edges opened, the walks)."""

    def walk_once(carry: tuple[Tree, Array], number: Array) -> tuple[tuple[Tree, Array], Walk]:
        tree, under_way = carry
        counted = puct.count_as_lost(config, tree, under_way) if config.rule == "puct" and width > 1 else tree
        walk = descend(
            tree,
            score_at_root(tree, counted, under_way),
            lambda node: score_below(tree, counted, node),
            config.depth_bound,
        )
        tree = open_edge(tree, walk, first + number)
        if width > 1:
            tree = look_up_next(tree, walk, first + number)
        # Lost is who ended at a node whose evaluation is under way: nothing of it may count.
        is_lost = ~walk.opens & (row_of(tree.visits, walk.node) == 0.0)
        walk = walk._replace(path=jnp.where(is_lost, 0.0, walk.path))
        is_new = (slot_numbers(tree) == first + number) & walk.opens
        return (tree, under_way + (walk.path > 0.0) + is_new), walk

    under_way = jnp.zeros_like(tree.visits)
    if width == 1:  # the simulations one by one, without a loop of one trip
        (tree, _), walk = walk_once((tree, under_way), jnp.int32(0))
        return tree, jax.tree.map(lambda leaf: leaf[None], walk)
    # The positions do not change here: kept out of the loop's carry.
    state, bare = tree.state, tree._replace(state=None)
    (tree, _), walks = lax.scan(walk_once, (bare, under_way), jnp.arange(width, dtype=jnp.int32))
    return tree._replace(state=state), walks


def descend(
    tree: Tree, root_scores: tuple[Array, Array], score: Callable[[Array], tuple[Array, Array]], depth_bound: int
) -> Walk:
    """A walk by the best scores, until an action without a node is better than all that have one.

    Nothing need be asked on the way of finished games, of nodes at the depth bound, and of nodes that wait for their
    evaluation: they have no children, so it ends there, and afterwards it shows what kind of end it was.
    """
    numbered = number_children(tree)
    root = jnp.full(tree.parent.shape[1], ROOT, jnp.int32)
    path = jnp.broadcast_to(jnp.where(is_slot(tree, root), 1.0, 0.0), tree.value.shape)

    def enter(carry: tuple[Array, ...]) -> tuple[Array, ...]:
        depth, node, child, path = carry
        path = jnp.where(is_slot(tree, child), depth, path)
        node = jnp.where(child == NONE, node, child)
        return depth + 1.0, node, jnp.where(child == NONE, NONE, best_child(tree, numbered, node, *score(node))), path

    start = jnp.float32(2.0), root, best_child(tree, numbered, root, *root_scores), path
    _, node, _, path = lax.while_loop(lambda carry: jnp.any(carry[2] != NONE), enter, start)
    is_over = (row_of(tree.discount, node) == 0.0) & (node != ROOT)
    is_leaf = is_over | (row_of(tree.visits, node) == 0.0) | (row_of(path, node) > depth_bound)
    return Walk(node, ~is_leaf, path)


def number_children(tree: Tree) -> tuple[Float32[Array, "nodes games"], int]:
    """(a number for each node whose high bits are its action and whose low bits are its slot, how many are low)."""
    num_low = (tree.parent.shape[0] - 1).bit_length()
    numbers = tree.action << num_low | slot_numbers(tree)
    # XLA:CPU has a fast minimum for floating point only, which is exact up to there.
    if tree.log_policy.shape[-1] << num_low > MAX_EXACT:
        raise ValueError(
            f"{tree.parent.shape[0]} nodes with {tree.log_policy.shape[-1]} actions are too many to number"
        )
    return numbers.astype(jnp.float32), num_low


def best_child(
    tree: Tree,
    numbered: tuple[Float32[Array, "nodes games"], int],
    node: Int32[Array, " games"],
    opened: Float32[Array, "nodes games"],
    unopened: Float32[Array, " games"],
) -> Int32[Array, " games"]:
    """The slot of the best child; NONE if there is none that is better than the action that `node` opens next."""
    numbers, num_low = numbered
    best = jnp.max(opened, axis=0)
    # Of equals the lowest action, as an argmax over actions would have it.
    number = jnp.min(jnp.where(opened == best, numbers, jnp.inf), axis=0).astype(jnp.int32)
    is_first = number < row_of(tree.next_action, node) << num_low
    is_better = (best > unopened) | ((best == unopened) & is_first & (best > -jnp.inf))
    return jnp.where(is_better, number & ((1 << num_low) - 1), NONE)


def open_edge(tree: Tree, walk: Walk, slot: Int32[Array, ""]) -> Tree:
    """The tree with the action that the walk found, as a node without an evaluation; an empty slot if it found none."""
    action, order = row_of(tree.next_action, walk.node), row_of(tree.next_order, walk.node)

    def put(values: Array, row: Array) -> Array:
        return lax.dynamic_update_slice_in_dim(values, row[None].astype(values.dtype), slot, 0)

    return tree._replace(
        parent=put(tree.parent, jnp.where(walk.opens, walk.node, NONE)),
        action=put(tree.action, jnp.where(walk.opens, action, NONE)),
        order=put(tree.order, order),
        # Until it is evaluated it is taken for a game that goes on.
        discount=put(tree.discount, jnp.full_like(order, -1.0)),
    )


def look_up_next(tree: Tree, walk: Walk, slot: Int32[Array, ""]) -> Tree:
    """The tree in which the parent of the node in `slot` knows what it opens next, and the node its prior."""
    action, order = tree.action[slot], tree.order[slot]
    policy = row_of(tree.log_policy, walk.node)
    log_prior = jnp.sum(jnp.where(jnp.arange(policy.shape[-1]) == action[:, None], policy, 0.0), axis=-1)
    in_order = jnp.where((walk.node == ROOT)[:, None], tree.root_order, policy)
    next_action, next_order, is_left = best_below(in_order, order, action)
    unopened = jnp.sum(jnp.where(is_left, jnp.exp(policy), 0.0), axis=-1)
    is_changed = is_slot(tree, walk.node) & walk.opens
    return tree._replace(
        log_prior=lax.dynamic_update_slice_in_dim(tree.log_prior, log_prior[None], slot, 0),
        next_action=jnp.where(is_changed, next_action, tree.next_action),
        next_order=jnp.where(is_changed, next_order, tree.next_order),
        unopened=jnp.where(is_changed, unopened, tree.unopened),
    )


def best_below(
    scores: Float32[Array, "games actions"], score: Float32[Array, " games"], action: Int32[Array, " games"]
) -> tuple[Int32[Array, " games"], Float32[Array, " games"], Bool[Array, "games actions"]]:
    """(the action that follows `action`, its score, all that follow) from the largest score to the lowest.

    Of equal scores the lower action is first; -inf is the score of what does not take part.
    """
    actions = jnp.arange(scores.shape[-1])
    is_tied_after = (scores == score[:, None]) & (actions > action[:, None])
    is_left = ((scores < score[:, None]) | is_tied_after) & ~jnp.isneginf(scores)
    left = jnp.where(is_left, scores, -jnp.inf)
    return *first_best(left), is_left


def _evaluate_and_back_up(
    expand: Expand, params: SearchParams, key: PRNGKeyArray, tree: Tree, walks: Walk, first: Int32[Array, ""]
) -> Tree:
    """The tree with the new nodes evaluated and every walk's return in the nodes that it came through."""
    width = walks.node.shape[0]
    actions = lax.dynamic_slice_in_dim(tree.action, first, width, 0)
    nodes = jax.vmap(lambda node: jax.tree.map(lambda leaf: row_of(leaf, node), tree.state))(walks.node)
    # A walk that opens nothing has no action; any will do, for its result goes nowhere.
    output, states = jax.vmap(expand, (None, None, 0, 0))(params, key, jnp.maximum(actions, 0), nodes)
    is_legal = output.prior_logits > jnp.finfo(jnp.float32).min
    log_policy = jnp.where(is_legal, jax.nn.log_softmax(output.prior_logits), -jnp.inf)
    # Where nothing was opened, what the node says itself; a result is seen by who moved there, a value by who will.
    known = jax.vmap(lambda node: row_of(tree.raw_value, node) - row_of(tree.reward, node))(walks.node)
    returns = jnp.where(walks.opens, output.reward + output.discount * output.value, known)
    tree = _back_up(tree, walks, returns)

    next_action, next_order = first_best(log_policy)

    def put(values: Array, rows: Array) -> Array:
        return lax.dynamic_update_slice_in_dim(values, rows.astype(values.dtype), first, 0)

    return tree._replace(
        visits=put(tree.visits, walks.opens),
        value=put(tree.value, jnp.where(walks.opens, output.value, 0.0)),
        raw_value=put(tree.raw_value, output.value),
        reward=put(tree.reward, output.reward),
        discount=put(tree.discount, output.discount),
        next_action=put(tree.next_action, next_action),
        next_order=put(tree.next_order, next_order),
        unopened=put(tree.unopened, jnp.ones(output.value.shape)),
        log_policy=put(tree.log_policy, log_policy),
        state=jax.tree.map(put, tree.state, states),
    )


def _back_up(tree: Tree, walks: Walk, returns: Float32[Array, "width games"]) -> Tree:
    """The tree with the leaves' returns averaged into the nodes on their paths."""
    is_on_path = walks.path > 0.0
    # Players alternate: what is good for the leaf's is bad for who moves an odd number of plies above.
    plies = jax.vmap(row_of)(walks.path, walks.node)[:, None] - walks.path
    come_up = jnp.where(is_on_path, (1.0 - 2.0 * (plies % 2.0)) * returns[:, None], 0.0)
    num_new = jnp.sum(jnp.where(is_on_path, 1.0, 0.0), axis=0)
    visits = tree.visits + num_new
    value = (tree.value * tree.visits + jnp.sum(come_up, axis=0)) / jnp.maximum(visits, 1.0)
    # A finished game is worth nothing to who would move next: its result stands with the ply that ended it.
    is_over = (tree.discount == 0.0) & (tree.parent != NONE)
    return tree._replace(visits=visits, value=jnp.where(is_over | (num_new == 0.0), tree.value, value))
