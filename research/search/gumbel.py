"""The Gumbel rule: a policy improvement from few simulations.

At the root, noise and the prior order the candidates, sequential halving (`halving.py`) spends the simulations on
them, and the action kept at the end is the one with the best sum of noise, logit and scaled value. Below the root the
choice is deterministic: visits follow the improved policy. That policy, the prior re-weighted by the values found with
the missing ones completed, is what the network learns; in expectation it is never worse than the prior, however few
the simulations, which PUCT's visit counts cannot promise. So 16 or 32 simulations a move are enough to learn from.

The missing values: an action without visits counts as the mixed value, the network's own value of the node averaged
with those of its visited actions, weighted by prior. All of them the same, so one of them can stand for all.

*Source:* Danihelka et al. 2022, "Policy improvement by planning with Gumbel": sections 3 and 5, appendix D.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32

from research.search.config import SearchConfig
from research.search.tree import LAST_RESORT, ROOT, Tree, by_action, children, row_of, seen_children, worth_to_parent

_TINY = 1e-8  # smallest range that values are stretched from
_LOW_SCORE = -1e9  # a candidate's score is never lower, so that an unlikely only candidate is still one


class Completed(NamedTuple):
    """Values of a node's actions, stretched to 0..1 and scaled: what is added to the logits, in nats."""

    opened: Float32[Array, "nodes games"]  # of its children; elsewhere without meaning
    unopened: Float32[Array, " games"]  # of every action without visits


def complete_values(config: SearchConfig, tree: Tree, node: Int32[Array, " games"]) -> Completed:
    """The completed values of the actions of `node` in each game."""
    is_child = seen_children(tree, node)
    visits = jnp.where(is_child, tree.visits, 0.0)
    prior = jnp.maximum(jnp.finfo(jnp.float32).tiny, jnp.exp(tree.log_prior))
    worth = worth_to_parent(tree)
    total, mass = jnp.sum(visits, axis=0), jnp.sum(jnp.where(is_child, prior, 0.0), axis=0)
    mean = jnp.sum(jnp.where(is_child, prior * worth / jnp.where(is_child, mass, 1.0), 0.0), axis=0)
    mixed = (row_of(tree.raw_value, node) + total * mean) / (total + 1.0)
    # Where every action has been visited nothing is completed, and the mixed value must not widen the range.
    num_nodes, num_actions = tree.parent.shape[0], tree.log_policy.shape[-1]
    is_needed = jnp.sum(jnp.where(is_child, 1.0, 0.0), axis=0) < num_actions if num_nodes > num_actions else True
    lowest = jnp.min(jnp.where(is_child, worth, jnp.inf), axis=0)
    lowest = jnp.minimum(lowest, jnp.where(is_needed, mixed, jnp.inf))
    highest = jnp.max(jnp.where(is_child, worth, -jnp.inf), axis=0)
    highest = jnp.maximum(highest, jnp.where(is_needed, mixed, -jnp.inf))
    scale = (config.maxvisit_init + jnp.max(visits, axis=0)) * config.value_scale
    extent = jnp.maximum(highest - lowest, _TINY)
    return Completed(scale * ((worth - lowest) / extent), scale * ((mixed - lowest) / extent))


def score_root_actions(
    config: SearchConfig,
    tree: Tree,
    under_way: Float32[Array, "nodes games"] | float,
    considered: Int32[Array, " games"],
) -> tuple[Float32[Array, "nodes games"], Float32[Array, " games"]]:
    """(the scores of the root's children, -inf elsewhere; the score of the action that it opens next).

    Only actions with exactly `considered` visits take part, those under way included.
    """
    root = jnp.full(considered.shape, ROOT, jnp.int32)
    is_child = children(tree, root)
    completed = complete_values(config, tree, root)
    is_in = is_child & (tree.visits + under_way == considered)
    opened = jnp.maximum(_LOW_SCORE, tree.order + completed.opened)
    opened = jnp.where(tree.visits > 0.0, opened, LAST_RESORT)
    next_order = tree.next_order[ROOT]
    unopened = jnp.maximum(_LOW_SCORE, next_order + completed.unopened)
    is_in_next = (considered == 0) & ~jnp.isneginf(next_order)
    return jnp.where(is_in, opened, -jnp.inf), jnp.where(is_in_next, unopened, -jnp.inf)


def score_inner_actions(
    config: SearchConfig, tree: Tree, node: Int32[Array, " games"]
) -> tuple[Float32[Array, "nodes games"], Float32[Array, " games"]]:
    """As `score_root_actions`, below the root: how far each action's share of visits is behind the improved policy."""
    is_child, is_seen = children(tree, node), seen_children(tree, node)
    completed = complete_values(config, tree, node)
    next_order = row_of(tree.next_order, node)
    opened = jnp.where(is_seen, tree.log_prior + completed.opened, -jnp.inf)
    unopened = next_order + completed.unopened
    # The improved policy is a softmax over all actions; those without a node share one value, so their mass is known.
    peak = jnp.maximum(jnp.max(opened, axis=0), unopened)
    weight = jnp.exp(opened - peak)
    # With nothing unopened its value is without meaning, and may be huge.
    mass = row_of(tree.unopened, node)
    total = jnp.sum(weight, axis=0) + jnp.where(mass > 0.0, mass * jnp.exp(completed.unopened - peak), 0.0)
    visits = jnp.where(is_seen, tree.visits, 0.0)
    behind = jnp.where(is_seen, weight / total - visits / (1.0 + jnp.sum(visits, axis=0)), LAST_RESORT)
    behind_next = jnp.exp(unopened - peak) / total
    return jnp.where(is_child, behind, -jnp.inf), jnp.where(jnp.isneginf(next_order), -jnp.inf, behind_next)


def improve_policy(
    config: SearchConfig,
    tree: Tree,
    logits: Float32[Array, "games actions"],
    legal: Bool[Array, "games actions"],
) -> tuple[Float32[Array, "games actions"], Int32[Array, " games"]]:
    """(the root's improved policy, the action to play) from a finished tree and the root's masked logits."""
    root = jnp.full(legal.shape[:1], ROOT, jnp.int32)
    is_child = children(tree, root)
    completed = complete_values(config, tree, root)
    visits = by_action(tree, is_child, tree.visits)
    values = jnp.where(visits > 0.0, by_action(tree, is_child, completed.opened), completed.unopened[:, None])
    policy = jax.nn.softmax(jnp.where(legal, logits + values, jnp.finfo(jnp.float32).min))
    # Sequential halving's survivors are the most visited actions; of those the best score is played.
    is_survivor = legal & (visits == jnp.max(visits, axis=-1, keepdims=True, where=legal, initial=0.0))
    action = jnp.argmax(jnp.where(is_survivor, tree.root_order + values, -jnp.inf), axis=-1)
    return policy, action.astype(jnp.int32)
