"""Players: who chooses a move, behind one call, for the arena and for anything else that plays.

A player is a name and one function of (variables, states, key). The network's variables are an argument, not part of
the player: two players with the same function, one trained and one not, are then one compiled program.

*Source:* own design.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Int32, PRNGKeyArray

from research.game import Game, State
from research.search import Evaluate, Search, Variables, mask_illegal

# (variables, states with a leading batch axis, key) -> one legal action for each state; the key is consumed
Choose = Callable[[Variables, State, PRNGKeyArray], Int32[Array, " batch"]]


@dataclass(frozen=True)
class Player:
    """Someone to play against; `dataclasses.replace(player, name=...)` is the same player under another name."""

    name: str  # for tables
    choose: Choose  # what it plays


def random_player(game: Game, name: str = "random") -> Player:
    """Plays every legal action with equal probability; its variables are not looked at."""

    def choose(variables: Variables, states: State, key: PRNGKeyArray) -> Int32[Array, " batch"]:
        del variables
        legal = jax.vmap(game.legal_actions)(states)
        return _sample(jnp.where(legal, 0.0, -jnp.inf), key)

    return Player(name, choose)


def policy_player(game: Game, evaluate: Evaluate, temperature: float = 1.0, name: str = "policy") -> Player:
    """Plays by the network's policy alone: samples it with logits divided by `temperature`, or, at 0, its best move.

    *Raises:* ValueError if the temperature is negative or not finite.
    """
    if not (math.isfinite(temperature) and temperature >= 0.0):
        raise ValueError(f"temperature is {temperature}; allowed: 0 or more, finite")

    def choose(variables: Variables, states: State, key: PRNGKeyArray) -> Int32[Array, " batch"]:
        legal = jax.vmap(game.legal_actions)(states)
        logits = mask_illegal(evaluate(variables, states).policy_logits, legal)
        logits = jnp.where(legal, logits, -jnp.inf)
        if temperature == 0.0:
            return jnp.argmax(logits, axis=-1).astype(jnp.int32)
        return _sample(logits / temperature, key)

    return Player(name, choose)


def search_player(game: Game, search: Search, name: str = "search") -> Player:
    """Plays the move that `search` chooses; variety comes from the search's own noise.

    `game` is the one that the search was made for: all players are made from their game.
    """
    del game

    def choose(variables: Variables, states: State, key: PRNGKeyArray) -> Int32[Array, " batch"]:
        return search(variables, states, key).action

    return Player(name, choose)


def _sample(logits: Float32[Array, "batch num_actions"], key: PRNGKeyArray) -> Int32[Array, " batch"]:
    return jax.random.categorical(key, logits, axis=-1).astype(jnp.int32)
