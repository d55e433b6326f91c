"""RunState: everything that a run is, in one tree, so that a checkpoint of it is the run.

Keys are not stored as they are used: the run's one key and the iteration number name every key, so a resumed run
draws what an uninterrupted one would have drawn.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding
from jaxtyping import Array, Int32, Key

from research.encoders import Encoder
from research.game import Game
from research.networks import Network
from research.selfplay.replay import Replay, empty_replay
from research.selfplay.rollout import RunningGames, start_games
from research.selfplay.targets import sample_shapes
from research.training.config import RunConfig
from research.training.optimizers import make_optimizer
from research.training.sharding import replicated, split_rows
from research.training.update import Learner, start_learner


class RunState(NamedTuple):
    """A training run between two iterations."""

    learner: Learner
    games: RunningGames
    replay: Replay
    key: Key[Array, ""]  # the run's key; never consumed, only folded with counters
    iteration: Int32[Array, ""]  # iterations finished


def init_variables(config: RunConfig, network: Network) -> dict:
    """The run's untrained network, a function of the seed alone."""
    return network.init(jax.random.fold_in(jax.random.key(config.seed), 0))


def start_run(config: RunConfig, game: Game, encoder: Encoder, network: Network) -> RunState:
    """The state before the first iteration."""
    optimizer = make_optimizer(config.optimizer, config.num_iterations * config.num_updates)
    plies_a_rollout = config.self_play.num_games * config.self_play.rollout_length
    num_slots = config.replay.num_rollouts * plies_a_rollout // config.num_lanes
    return RunState(
        learner=start_learner(init_variables(config, network), optimizer),
        games=start_games(game, config.self_play.num_games),
        replay=empty_replay(sample_shapes(game, encoder), config.num_lanes, num_slots),
        key=jax.random.fold_in(jax.random.key(config.seed), 1),
        iteration=jnp.int32(0),
    )


def run_shardings(state: RunState, mesh: Mesh) -> RunState:
    """A tree like `state` that holds each array's sharding."""

    def all_of(tree: object, sharding: NamedSharding) -> object:
        return jax.tree.map(lambda _: sharding, tree)

    whole, rows = replicated(mesh), split_rows(mesh)
    return RunState(
        learner=all_of(state.learner, whole),  # type: ignore[arg-type]
        games=all_of(state.games, rows),  # type: ignore[arg-type]
        replay=Replay(rows, whole),  # type: ignore[arg-type]
        key=whole,  # type: ignore[arg-type]
        iteration=whole,  # type: ignore[arg-type]
    )
