"""One training iteration as three jitted functions: play a rollout, take a gradient step, look at the result.

Each compiles once. The gradient step is a call of its own rather than a loop body: XLA:CPU runs a convolution's
gradient 16 to 20 times slower inside a loop, and elsewhere calls are queued ahead of the device at no cost. Large
buffers (games, replay, optimizer) are donated, and every array keeps its dtype and sharding from call to call.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
from jax.sharding import Mesh, PartitionSpec
from jaxtyping import Array

from research.networks import make_network
from research.search import make_network_search
from research.selfplay.replay import Replay, augment, draw, insert
from research.selfplay.rollout import Rollout, RunningGames, make_rollout, rollout_keys
from research.selfplay.targets import Samples, make_samples, rollout_metrics, sample_shapes
from research.training.config import RunConfig
from research.training.optimizers import make_optimizer
from research.training.sharding import AXIS, replicated
from research.training.state import RunState, run_shardings, start_run
from research.training.update import Learner, make_mode_gap, make_update

# Streams of random keys within a run; each is folded with a counter.
PLAY_STREAM, LEARN_STREAM, GAP_STREAM = range(3)


class Program(NamedTuple):
    """A run's jitted functions and the layout of its state."""

    start: Callable[[], RunState]
    play: Callable  # (learner, games, replay, key, iteration) -> (games, replay, iteration + 1, metrics)
    learn: Callable  # (learner, replay, key) -> (learner, metrics)
    mode_gap: Callable  # (learner, replay, key) -> metrics
    settle: Callable  # what each call's results go through before the next call is queued
    state_shapes: RunState  # shapes and dtypes of every array
    shardings: RunState  # sharding of every array


def make_program(config: RunConfig, mesh: Mesh) -> Program:
    """The functions of a run on `mesh`; nothing compiles before their first call."""
    game, encoder = config.make_game(), config.make_encoder()
    network = make_network(config.network, game.board_shape, encoder.num_planes, game.num_actions)
    search = make_network_search(game, encoder, network, config.search)
    rollout = split_games(make_rollout(game, encoder, search), mesh)
    optimizer = make_optimizer(config.optimizer, config.num_iterations * config.num_updates)
    update = make_update(network, optimizer, config.loss)
    mode_gap = make_mode_gap(network, config.loss)
    example = sample_shapes(game, encoder)

    def start() -> RunState:
        return start_run(config, game, encoder, network)

    def play(learner: Learner, games: RunningGames, replay: Replay, key: Array, iteration: Array) -> tuple:
        keys = rollout_keys(stream_key(key, PLAY_STREAM, iteration), config.self_play)
        games, trajectory = rollout(learner.variables, games, keys)
        samples = make_samples(trajectory)
        metrics = rollout_metrics(trajectory, samples, game.max_moves)
        return games, insert(replay, samples), iteration + 1, metrics

    def batch(learner: Learner, replay: Replay, key: Array) -> Samples:
        draw_key, symmetry_key = jax.random.split(jax.random.fold_in(key, learner.num_updates))
        return augment(game, draw(replay, draw_key, config.batch_size, example), symmetry_key)

    def learn(learner: Learner, replay: Replay, key: Array) -> tuple:
        return update(learner, batch(learner, replay, jax.random.fold_in(key, LEARN_STREAM)))

    def gap(learner: Learner, replay: Replay, key: Array) -> dict[str, Array]:
        return mode_gap(learner, batch(learner, replay, jax.random.fold_in(key, GAP_STREAM)))

    shapes = jax.eval_shape(start)
    at = run_shardings(shapes, mesh)
    whole = replicated(mesh)
    return Program(
        start=jax.jit(start, out_shardings=at),
        play=jax.jit(
            play,
            in_shardings=(at.learner, at.games, at.replay, at.key, at.iteration),
            out_shardings=(at.games, at.replay, at.iteration, whole),
            donate_argnums=(1, 2),
        ),
        learn=jax.jit(
            learn, in_shardings=(at.learner, at.replay, at.key), out_shardings=(at.learner, whole), donate_argnums=0
        ),
        mode_gap=jax.jit(gap, in_shardings=(at.learner, at.replay, at.key), out_shardings=whole),
        settle=make_settle(mesh),
        state_shapes=shapes,
        shardings=at,
    )


def split_games(rollout: Rollout, mesh: Mesh) -> Rollout:
    """`rollout` with every device playing its own games, without a word to the others.

    Left to the compiler, each simulation of the search would exchange node numbers between devices and wait for all.
    """
    rows, plies_and_rows, whole = PartitionSpec(AXIS), PartitionSpec(None, AXIS), PartitionSpec()
    return jax.shard_map(
        rollout,
        mesh=mesh,
        in_specs=(whole, rows, plies_and_rows),
        out_specs=(rows, plies_and_rows),
        check_vma=False,  # loops inside start from constants, which it would take for equal on all devices
    )


def make_settle(mesh: Mesh) -> Callable:
    """Nothing, so that calls are queued ahead of the device; on virtual CPU devices, a wait for the results.

    XLA:CPU runs the programs of all virtual devices on one pool of threads. Two programs that both sum over devices
    can each hold threads that the other needs, and then none goes on.
    """
    is_virtual = mesh.size > 1 and all(device.platform == "cpu" for device in mesh.devices.flat)
    return jax.block_until_ready if is_virtual else lambda results: results


def run_iteration(program: Program, state: RunState, num_updates: int) -> tuple[RunState, tuple]:
    """(the next state, metrics still on the device). Queues the work without waiting for it."""
    games, replay, iteration, played = program.settle(
        program.play(state.learner, state.games, state.replay, state.key, state.iteration)
    )
    learner, updates = state.learner, []
    for _ in range(num_updates):
        learner, metrics = program.settle(program.learn(learner, replay, state.key))
        updates.append(metrics)
    gap = program.settle(program.mode_gap(learner, replay, state.key))
    return RunState(learner, games, replay, state.key, iteration), (played, updates, gap)


def stream_key(key: Array, stream: int, counter: Array) -> Array:
    """The key of one stream at one count."""
    return jax.random.fold_in(jax.random.fold_in(key, stream), counter)
