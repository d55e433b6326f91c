"""The search of a batch of games: root, noise, the loop that grows the trees, and what is made of them at the end.

Whichever rule and loop the config names, the tree is a node list (`tree.py`) and the result a `SearchResult`.

*Source:* Danihelka et al. 2022 (Gumbel); Silver et al. 2018 (AlphaZero, PUCT).
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, Key

from research.encoders import Encoder
from research.game import Game, State
from research.networks import Network
from research.search import gumbel, lanes, noise, reference
from research.search.config import SearchConfig
from research.search.model import (
    Evaluate,
    SearchParams,
    Variables,
    make_evaluate,
    make_recurrent_fn,
    predict_root,
)
from research.search.noise import split_for_games
from research.search.result import SearchResult
from research.search.symmetries import WithKey, make_symmetric_evaluate
from research.search.tree import ROOT, Tree, child_statistics, plant

# What each game's key is folded with for each use of chance, so that none disturbs another. Gumbel noise takes the key.
DIRICHLET_STREAM, ACTION_STREAM, SYMMETRY_STREAM = range(3)

# (variables, states with a leading batch axis, one key or one a game) -> SearchResult; the keys are consumed
Search = Callable[[Variables, State, Array], SearchResult]


class Searched(NamedTuple):
    """A search with its tree."""

    result: SearchResult  # what to play and to learn
    tree: Tree  # all that was looked at


def make_search(game: Game, evaluate: Evaluate, config: SearchConfig) -> Search:
    """A search of batched positions.

    It is deterministic given the keys, and given its own key a game's result does not depend on the others. With no
    simulations it is the network's policy: `policy` is the masked prior, and the action its sample by the rule's own
    noise or temperature.
    """
    search_tree = make_tree_search(game, evaluate, config)

    def search(variables: Variables, states: State, key: Key[Array, "*games"]) -> SearchResult:
        return search_tree(variables, states, key).result

    return search


def make_network_search(game: Game, encoder: Encoder, network: Network, config: SearchConfig) -> Search:
    """A search by a network, asked as the config says: as the board lies, or under its symmetries."""
    if config.symmetry == "none":
        return make_search(game, make_evaluate(game, encoder, network), config)
    search = make_search(game, make_symmetric_evaluate(game, encoder, network, config.symmetry), config)
    if config.symmetry == "average":
        return search

    def search_under_random_symmetries(variables: Variables, states: State, key: Key[Array, "*games"]) -> SearchResult:
        keys = split_for_games(key, len(jax.tree.leaves(states)[0]))
        with_key = WithKey(variables, jax.vmap(lambda key: jax.random.fold_in(key, SYMMETRY_STREAM))(keys))
        return search(with_key, states, keys)

    return search_under_random_symmetries


def make_tree_search(
    game: Game, evaluate: Evaluate, config: SearchConfig
) -> Callable[[Variables, State, Array], Searched]:
    """The same search with its tree."""
    expand = make_recurrent_fn(game, evaluate)

    def search_tree(variables: Variables, states: State, key: Key[Array, "*games"]) -> Searched:
        legal = jax.vmap(game.legal_actions)(states)
        nodes, past = jax.vmap(lambda state: game.as_node(state, config.depth_bound))(states)
        logits, value = predict_root(game, evaluate, variables, nodes, legal)
        keys = split_for_games(key, legal.shape[0])
        temperature = _temperature(game, config, states)
        log_policy, order = _root_policy(config, keys, logits, legal, temperature)
        tree = plant(log_policy, order, value, nodes, config.num_simulations + 1)
        params = SearchParams(variables, past)
        if config.num_simulations > 0:
            if config.backend == "lanes":
                tree = lanes.grow(config, expand, params, keys[0], tree)
            else:
                tree = reference.grow(config, expand, params, keys[0], tree, legal)
        return Searched(conclude(config, tree, keys, logits, legal, temperature), tree)

    return search_tree


def conclude(
    config: SearchConfig,
    tree: Tree,
    keys: Key[Array, " games"],
    logits: Float32[Array, "games actions"],
    legal: Bool[Array, "games actions"],
    temperature: Float32[Array, " games"],
) -> SearchResult:
    """What a finished tree says; `logits` are the root's, masked and without noise."""
    root = child_statistics(tree)
    prior = jax.nn.softmax(logits)
    if config.rule == "gumbel":
        policy, action = gumbel.improve_policy(config, tree, logits, legal)
    else:
        policy, action = _choose_by_visits(keys, root.visits, prior, legal, temperature)
    return SearchResult(
        action=action,
        policy=policy,
        value=tree.value[ROOT],
        raw_value=tree.raw_value[ROOT],
        visits=root.visits,
        q=root.value,
        prior=prior,
    )


def _temperature(game: Game, config: SearchConfig, states: State) -> Float32[Array, " games"]:
    """The temperature at each game's ply."""
    return noise.temperature_at(config, jax.vmap(game.num_moves)(states))


def _root_policy(
    config: SearchConfig,
    keys: Key[Array, " games"],
    logits: Float32[Array, "games actions"],
    legal: Bool[Array, "games actions"],
    temperature: Float32[Array, " games"],
) -> tuple[Float32[Array, "games actions"], Float32[Array, "games actions"]]:
    """(the root's log policy, what it opens its actions by): PUCT's noise is in both, Gumbel's in the second."""
    log_policy = jnp.where(legal, jax.nn.log_softmax(logits), -jnp.inf)
    if config.rule == "puct":
        noise_keys = jax.vmap(lambda key: jax.random.fold_in(key, DIRICHLET_STREAM))(keys)
        log_policy = noise.mix_dirichlet(config, noise_keys, log_policy, legal)
        return log_policy, log_policy
    scale = config.gumbel_scale * temperature[:, None]
    drawn = scale * noise.gumbel_noise(keys, logits.shape[-1])
    return log_policy, jnp.where(legal, logits + drawn, -jnp.inf)


def _choose_by_visits(
    keys: Key[Array, " games"],
    visits: Int32[Array, "games actions"],
    prior: Float32[Array, "games actions"],
    legal: Bool[Array, "games actions"],
    temperature: Float32[Array, " games"],
) -> tuple[Float32[Array, "games actions"], Int32[Array, " games"]]:
    """(the shares of visits, an action drawn from them at the temperature); without visits, of the prior."""
    has_visits = jnp.sum(visits, axis=-1, keepdims=True) > 0
    weights = jnp.where(has_visits, visits.astype(jnp.float32), prior)
    policy = weights / jnp.sum(weights, axis=-1, keepdims=True)
    by_temperature = jnp.where(legal, noise.policy_from_visits(weights, temperature), 0.0)
    action_keys = jax.vmap(lambda key: jax.random.fold_in(key, ACTION_STREAM))(keys)
    action = jax.vmap(jax.random.categorical)(action_keys, jnp.log(by_temperature))
    return policy, action.astype(jnp.int32)
