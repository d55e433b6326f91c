"""A search without network or tree: it plays at random, and says in its policy what was legal and what it chose."""

from typing import Any

import jax
import jax.numpy as jnp

from research.game import Game, State
from research.search import SearchResult, split_for_games

CHOSEN = 2.0  # what the stub writes for the action that it plays; 1 for the other legal ones, 0 for the rest


def make_random_search(game: Game) -> Any:
    """A search that plays at random and says in `policy` what was legal and what it chose."""

    def search(variables: Any, states: State, key: jax.Array) -> SearchResult:
        legal = jax.vmap(game.legal_actions)(states)
        keys = split_for_games(key, len(legal))
        action = jax.vmap(jax.random.categorical)(keys, jnp.where(legal, 0.0, -jnp.inf)).astype(jnp.int32)
        is_chosen = jax.nn.one_hot(action, game.num_actions, dtype=bool)
        policy = jnp.where(is_chosen, CHOSEN, legal.astype(jnp.float32))
        nothing = jnp.zeros(len(action), jnp.float32)
        return SearchResult(action, policy, nothing, nothing, jnp.zeros(policy.shape, jnp.int32), policy, policy)

    return search
