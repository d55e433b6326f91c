"""Self-play: a batch of games advanced a fixed number of plies by the current network's search.

Games live on the device from one rollout to the next. A game that ends is restarted in place, so every row of the
batch plays on every ply and no row waits for the slowest game. The search speaks for the player to move; outcomes
speak for player 0.

*Source:* AlphaZero (Silver et al. 2018), Methods, "Self-play"; the fixed-length rollout with restarts is the usual
shape of on-device reinforcement learning in JAX.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32, UInt32

from research.encoders import Encoder
from research.game import Game, State
from research.search import Search
from research.selfplay.packing import pack

# Multiplier and increment of the running hash of a game's actions (Numerical Recipes' linear congruential generator).
HASH_MULTIPLIER = 1664525
HASH_INCREMENT = 1013904223


@dataclass(frozen=True)
class SelfPlayConfig:
    """Shape of one rollout."""

    num_games: int = 128  # games played side by side
    rollout_length: int = 32  # plies a game a rollout

    def __post_init__(self) -> None:
        """Raise ValueError where a rollout would be empty."""
        for field in ("num_games", "rollout_length"):
            if getattr(self, field) < 1:
                raise ValueError(f"self_play.{field} is {getattr(self, field)}; it must be at least 1")


class RunningGames(NamedTuple):
    """The games under way, one row a game."""

    states: State  # batched positions, none of them over
    num_plies: Int32[Array, " games"]  # plies played since the game's start
    action_hash: UInt32[Array, " games"]  # order-dependent hash of the actions played since the game's start


class Trajectory(NamedTuple):
    """What happened on each ply of a rollout; leading axes [plies, games]."""

    planes: UInt32[Array, "plies games words"]  # the position before the move, as the network saw it, packed
    policy: Float32[Array, "plies games actions"]  # the search's improved policy, a probability
    to_play: Int32[Array, "plies games"]  # player who moved, 0 or 1
    is_over: Bool[Array, "plies games"]  # whether this ply ended the game
    outcome: Float32[Array, "plies games"]  # the result for player 0 where this ply ended the game, else 0
    num_plies: Int32[Array, "plies games"]  # length of the game so far, this ply included
    action_hash: UInt32[Array, "plies games"]  # hash of the game so far, this ply included


Rollout = Callable[[Any, RunningGames, Array], tuple[RunningGames, Trajectory]]


def make_rollout(game: Game, encoder: Encoder, search: Search) -> Rollout:
    """A function (variables, games, keys [plies, games]) -> (games, trajectory); the keys are consumed.

    Every game draws from keys of its own, so that a device may play its share of the games by itself.
    """

    def play_ply(variables: Any, games: RunningGames, keys: Array) -> tuple[RunningGames, Trajectory]:
        planes = jax.vmap(lambda state: pack(encoder.encode(game, state)))(games.states)
        to_play = jax.vmap(game.to_play)(games.states)
        result = search(variables, games.states, keys)
        states = jax.vmap(game.step)(games.states, result.action)
        is_over = jax.vmap(game.is_over)(states)
        outcome = jax.vmap(game.outcome)(states)
        num_plies = games.num_plies + 1
        action_hash = extend_hash(games.action_hash, result.action)
        ply = Trajectory(planes, result.policy, to_play, is_over, outcome, num_plies, action_hash)
        running = RunningGames(
            states=jax.vmap(game.restart)(states, is_over),
            num_plies=jnp.where(is_over, 0, num_plies),
            action_hash=jnp.where(is_over, jnp.uint32(0), action_hash),
        )
        return running, ply

    def rollout(variables: Any, games: RunningGames, keys: Array) -> tuple[RunningGames, Trajectory]:
        return jax.lax.scan(lambda carry, ply_keys: play_ply(variables, carry, ply_keys), games, keys)

    return rollout


def rollout_keys(key: Array, config: SelfPlayConfig) -> Array:
    """Keys [plies, games] for one rollout; `key` is consumed."""
    return jax.random.split(key, (config.rollout_length, config.num_games))


def start_games(game: Game, num_games: int) -> RunningGames:
    """`num_games` games before their first move."""
    state = game.init()
    return RunningGames(
        states=jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (num_games, *jnp.shape(leaf))), state),
        num_plies=jnp.zeros(num_games, jnp.int32),
        action_hash=jnp.zeros(num_games, jnp.uint32),
    )


def extend_hash(action_hash: UInt32[Array, " games"], action: Int32[Array, " games"]) -> UInt32[Array, " games"]:
    """The hash of a game one action longer."""
    return action_hash * jnp.uint32(HASH_MULTIPLIER) + action.astype(jnp.uint32) + jnp.uint32(HASH_INCREMENT)
