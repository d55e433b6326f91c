"""PUCT, AlphaZero's rule: go where value plus a bonus is largest, the bonus falling with visits and weighted by prior.

    score(action) = Q + bonus(P, n, N)     n: visits of the action, N: visits of the node
      alphazero     bonus = c(s) P sqrt(N) / (1 + n),  c(s) = log((N + base + 1) / base) + c
      constant      bonus = c    P sqrt(sum of n) / (1 + n)
      simple        bonus =      P / (1 + n)

An unvisited action has no Q; what stands for it is the first-play urgency, by default the node's own value so far.
With `value_range="stretched"` the values of a node's actions, and its own, are first stretched to 0..1. That is
MuZero's rule for games whose values have no known range, and with urgency "lowest" it is mctx's; where results are
-1 to 1 it makes much of small differences, and with a flat policy it stays with the first move that is not the worst.

Of the unvisited actions only the one with the largest prior is asked, for the others cannot score more. Of equal scores
the lowest action goes first.

*Source:* Silver et al. 2018 (AlphaZero), Methods, "Search", and its pseudocode; Schrittwieser et al. 2020 (MuZero),
appendix B, for the stretched values; Silver et al. 2016 (AlphaGo), Methods, for the constant c.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float32, Int32, Num

from research.search.config import SearchConfig
from research.search.tree import LAST_RESORT, NONE, Tree, children, row_of, seen_children, worth_to_parent

Scores = Float32[Array, "..."]


def bonus(config: SearchConfig, prior: Scores, visits: Num[Array, "..."], node_visits: Num[Array, "..."]) -> Scores:
    """What an action's prior adds to its value; `node_visits` counts the node's own evaluation."""
    share = prior / (1.0 + visits)  # the same at every node, so divided once a walk
    if config.formula == "simple":
        return share
    if config.formula == "constant":
        return config.exploration * jnp.sqrt(jnp.maximum(node_visits - 1.0, 0.0)) * share
    growth = jnp.log((node_visits + config.exploration_base + 1.0) / config.exploration_base)
    return (config.exploration + growth) * jnp.sqrt(node_visits * 1.0) * share


def urgency(config: SearchConfig, node_value: Scores, lowest: Scores) -> Scores:
    """The value that stands for an unvisited action's; `lowest` is that of the node and its visited actions."""
    if config.first_play_urgency == "lowest":
        return lowest
    if config.first_play_urgency == "parent":
        return node_value
    return jnp.full_like(node_value, config.first_play_urgency)


def stretch(config: SearchConfig, values: Scores, lowest: Scores, highest: Scores) -> Scores:
    """`values` in the range that the config asks for."""
    if config.value_range == "plain":
        return values
    return jnp.clip((values - lowest) / jnp.maximum(highest - lowest, 1e-8), 0.0, 1.0)


def score_actions(
    config: SearchConfig, tree: Tree, counted: Tree, node: Int32[Array, " games"]
) -> tuple[Float32[Array, "nodes games"], Float32[Array, " games"]]:
    """(the scores of the node's children, -inf elsewhere; the score of the action that it opens next).

    `counted` is the tree with the simulations under way (`count_as_lost`); without any it is `tree` itself.
    """
    is_seen = seen_children(tree, node)
    value, visits = row_of(tree.value, node), row_of(counted.visits, node)
    worth = worth_to_parent(tree)
    lowest = jnp.minimum(value, jnp.min(jnp.where(is_seen, worth, jnp.inf), axis=0))
    highest = jnp.maximum(value, jnp.max(jnp.where(is_seen, worth, -jnp.inf), axis=0))
    opened = stretch(config, worth_to_parent(counted), lowest, highest)
    opened = opened + bonus(config, jnp.exp(tree.log_prior), counted.visits, visits)
    next_order = row_of(tree.next_order, node)
    unopened = stretch(config, urgency(config, value, lowest), lowest, highest)
    unopened = unopened + bonus(config, jnp.exp(next_order), jnp.zeros_like(visits), visits)
    # A child that waits for its evaluation is gone into only where there is nothing else.
    opened = jnp.where(is_seen, opened, LAST_RESORT)
    return jnp.where(children(tree, node), opened, -jnp.inf), jnp.where(jnp.isneginf(next_order), -jnp.inf, unopened)


def count_as_lost(config: SearchConfig, tree: Tree, under_way: Float32[Array, "nodes games"]) -> Tree:
    """The tree as if each simulation under way had come back, through every node below the root lost for its player.

    A loss for who moved into a node is a win for who moves there: +1. The root is nobody's choice and keeps its value.
    """
    losses = jnp.where(tree.parent == NONE, 0.0, config.virtual_loss * under_way)
    value = (tree.value * tree.visits + losses) / jnp.maximum(tree.visits + losses, 1.0)
    return tree._replace(value=value, visits=tree.visits + under_way)
