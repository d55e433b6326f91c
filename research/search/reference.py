"""The reference loop: the same search over DeepMind's mctx, and its tree as our node list.

Slower than `lanes.py`, but somebody else's: tests hold our loop against it node for node. The Gumbel rule is mctx's
own. PUCT is written here over all actions of one node, as the formula stands on paper; with the settings that are
mctx's it chooses what `mctx.muzero_action_selection` does, but for the random 1e-7 which that adds to break ties.

mctx grows trees on below finished games, with nodes that change nothing; the node list leaves them out, since nothing
follows a game's end.

*Source:* mctx (DeepMind), its public interface alone.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Float32, Int32, PRNGKeyArray

from research.search import puct
from research.search.config import SearchConfig
from research.search.lanes import Expand, num_candidates
from research.search.model import SearchParams
from research.search.tree import NONE, Tree

MctxTree = Any  # mctx.Tree, whose array types are too wide to be checked
_ILLEGAL = jnp.finfo(jnp.float32).min


def grow(
    config: SearchConfig, expand: Expand, params: SearchParams, key: PRNGKeyArray, tree: Tree, legal: Array
) -> Tree:
    """`tree`, which is nothing but a root, after `config.num_simulations` simulations by mctx."""
    is_gumbel = config.rule == "gumbel"
    log_policy = jnp.where(legal, tree.log_policy[0], _ILLEGAL)
    noise = jnp.where(legal, tree.root_order - _shifted(tree.log_policy[0]), 0.0)
    choose_at_root, choose_below = _gumbel_choices(config) if is_gumbel else _puct_choices(config)
    grown = mctx.search(
        params=params,
        rng_key=key,
        root=mctx.RootFnOutput(
            prior_logits=log_policy, value=tree.value[0], embedding=jax.tree.map(lambda leaf: leaf[0], tree.state)
        ),
        recurrent_fn=expand,
        root_action_selection_fn=choose_at_root,
        interior_action_selection_fn=choose_below,
        num_simulations=config.num_simulations,
        max_depth=config.depth_bound,
        invalid_actions=~legal,
        extra_data=mctx.GumbelMuZeroExtraData(root_gumbel=noise),
    )
    return to_node_list(grown, tree.root_order)


def _shifted(log_policy: Float32[Array, "games actions"]) -> Float32[Array, "games actions"]:
    """Logits with the largest at 0, as the root's order is made of."""
    return log_policy - jnp.max(log_policy, axis=-1, keepdims=True)


def _gumbel_choices(config: SearchConfig) -> tuple:
    complete_values = functools.partial(
        mctx.qtransform_completed_by_mix_value, value_scale=config.value_scale, maxvisit_init=config.maxvisit_init
    )

    def choose_at_root(key: PRNGKeyArray, tree: MctxTree, node: Array) -> Any:
        return mctx.gumbel_muzero_root_action_selection(
            key,
            tree,
            node,
            num_simulations=config.num_simulations,
            max_num_considered_actions=num_candidates(config, tree.num_actions),
            qtransform=complete_values,
        )

    return choose_at_root, functools.partial(mctx.gumbel_muzero_interior_action_selection, qtransform=complete_values)


def _puct_choices(config: SearchConfig) -> tuple:
    def choose(key: PRNGKeyArray, tree: MctxTree, node: Array, depth: Array | int = 0) -> Array:
        del key, depth  # nothing is left to chance, and the root's rule is everybody's
        logits, visits = tree.children_prior_logits[node], tree.children_visits[node]
        log_policy = jnp.where(logits > _ILLEGAL, jax.nn.log_softmax(logits), -jnp.inf)
        return choose_by_puct(
            config, tree.qvalues(node), log_policy, visits, tree.node_values[node], tree.node_visits[node]
        )

    return choose, choose


def choose_by_puct(
    config: SearchConfig,
    worth: Float32[Array, " actions"],
    log_policy: Float32[Array, " actions"],
    visits: Int32[Array, " actions"],
    node_value: Float32[Array, ""],
    node_visits: Int32[Array, ""],
) -> Int32[Array, ""]:
    """The action of the largest score, of equals the lowest; the unvisited stood for by the likeliest."""
    seen = jnp.where(visits > 0, worth, node_value)
    lowest, highest = jnp.minimum(node_value, jnp.min(seen)), jnp.maximum(node_value, jnp.max(seen))
    value = jnp.where(visits > 0, worth, puct.urgency(config, node_value, lowest))
    score = puct.stretch(config, value, lowest, highest) + puct.bonus(config, jnp.exp(log_policy), visits, node_visits)
    unvisited = jnp.where(visits > 0, -jnp.inf, log_policy)
    is_next = (jnp.arange(len(visits)) == jnp.argmax(unvisited)) & ~jnp.isneginf(unvisited)
    return jnp.argmax(jnp.where((visits > 0) | is_next, score, -jnp.inf)).astype(jnp.int32)


def to_node_list(tree: MctxTree, root_order: Float32[Array, "games actions"]) -> Tree:
    """mctx's tree as ours, without what it grew below finished games."""
    rows, parent = jnp.arange(len(tree.parents))[:, None], jnp.maximum(tree.parents, 0)
    action = jnp.maximum(tree.action_from_parent, 0)
    is_over = (tree.parents >= 0) & (tree.children_discounts[rows, parent, action] == 0.0)
    is_node = (tree.node_visits > 0) & ~is_over[rows, parent]
    is_child = is_node & (tree.parents >= 0)

    def of_edge(values: Array) -> Array:
        return jnp.where(is_child, values[rows, parent, action], 0).T

    is_legal = tree.children_prior_logits > _ILLEGAL
    log_policy = jnp.where(is_legal, jax.nn.log_softmax(tree.children_prior_logits), -jnp.inf)
    order = log_policy.at[:, 0].set(root_order)
    is_open = ((tree.children_index == mctx.Tree.UNVISITED) | is_over[..., None]) & is_legal
    left = jnp.where(is_open, order, -jnp.inf)
    return Tree(
        parent=jnp.where(is_child, tree.parents, NONE).T,
        action=jnp.where(is_child, tree.action_from_parent, NONE).T,
        visits=jnp.where(is_node, tree.node_visits, 0).T.astype(jnp.float32),
        value=jnp.where(is_node, tree.node_values, 0.0).T,
        raw_value=jnp.where(is_node, tree.raw_values, 0.0).T,
        reward=of_edge(tree.children_rewards),
        discount=of_edge(tree.children_discounts),
        log_prior=of_edge(log_policy),
        order=of_edge(order),
        next_action=jnp.argmax(left, axis=-1).T.astype(jnp.int32),
        next_order=jnp.max(left, axis=-1).T,
        unopened=jnp.sum(jnp.where(is_open, jnp.exp(log_policy), 0.0), axis=-1).T,
        log_policy=jnp.swapaxes(log_policy, 0, 1),
        root_order=root_order,
        state=jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), tree.embeddings),
    )
