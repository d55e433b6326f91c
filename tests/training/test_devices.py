"""One mesh axis: a run on four devices is the run on one, and each goes on from the other's checkpoint."""

import re
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
import pytest

from research.training import checkpoint
from research.training.iteration import Program, run_iteration
from research.training.state import RunState
from tests.training.runs import assert_equal, on_host, shared_program

NUM_UPDATES = 3

# Operations of a compiled program by which devices speak to each other.
COLLECTIVE = re.compile(r" (all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter)(-start)?\(")


class Course(NamedTuple):
    """Two iterations of a run."""

    start: list[np.ndarray]  # every array before the first
    first: RunState  # after the first; a copy
    second: RunState  # after the second
    metrics: list[tuple]  # of both, on the host


def copied(state: RunState) -> RunState:
    """A state that an iteration does not consume."""
    return jax.tree.map(lambda leaf: leaf.copy(), state)


def course_of(program: Program) -> Course:
    """Two iterations."""
    state = program.start()
    start = [leaf.copy() for leaf in on_host(state)]
    first, first_metrics = run_iteration(program, state, NUM_UPDATES)
    second, second_metrics = run_iteration(program, copied(first), NUM_UPDATES)
    return Course(start, first, second, [jax.device_get(first_metrics), jax.device_get(second_metrics)])


@pytest.fixture(scope="module")
def programs() -> dict[int, Program]:
    """The program on one device and on four, there with `play` compiled ahead, so that its text can be read."""
    four = shared_program(4)
    shapes = four.state_shapes
    play = four.play.lower(shapes.learner, shapes.games, shapes.replay, shapes.key, shapes.iteration).compile()
    return {1: shared_program(1), 4: four._replace(play=play)}


@pytest.fixture(scope="module")
def courses(programs: dict[int, Program]) -> dict[int, Course]:
    """The same run on one device and on four."""
    return {num_devices: course_of(program) for num_devices, program in programs.items()}


def test_no_ply_and_no_simulation_waits_for_another_device(programs: dict[int, Program]) -> None:
    lines = [line for line in programs[4].play.as_text().splitlines() if COLLECTIVE.search(line)]
    assert lines  # the sums of the metrics
    assert not [line for line in lines if "while" in line.partition("op_name=")[2]]


def test_games_and_samples_are_split_and_the_network_is_on_every_device(courses: dict[int, Course]) -> None:
    state = courses[4].second
    for leaf in jax.tree.leaves((state.games, state.replay.rows)):
        assert len(leaf.sharding.device_set) == 4
        assert leaf.addressable_shards[0].data.shape[0] == leaf.shape[0] // 4
    for leaf in jax.tree.leaves((state.learner, state.key, state.iteration)):
        assert leaf.sharding.is_fully_replicated
        assert len(leaf.sharding.device_set) == 4


def test_both_start_from_the_same_arrays_and_play_the_same_first_games(courses: dict[int, Course]) -> None:
    for one, four in zip(courses[1].start, courses[4].start, strict=True):
        np.testing.assert_array_equal(one, four)
    for one, four in zip(on_host(courses[1].first.games), on_host(courses[4].first.games), strict=True):
        np.testing.assert_array_equal(one, four)
    hashes = on_host(courses[1].first.games.action_hash)[0]
    assert len(set(hashes.tolist())) > 1  # the games of a rollout are not all the same one


def test_losses_are_equal_within_rounding_over_two_iterations(courses: dict[int, Course]) -> None:
    for one, four in zip(courses[1].metrics, courses[4].metrics, strict=True):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), one, four)
    losses = [float(update["loss"]) for metrics in courses[1].metrics for update in metrics[1]]
    assert len(set(losses)) == 2 * NUM_UPDATES


def test_parameters_are_equal_within_rounding_after_two_iterations(courses: dict[int, Course]) -> None:
    one, four = on_host(courses[1].second.learner), on_host(courses[4].second.learner)
    for a, b in zip(one, four, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(("saved_on", "restored_on"), [(1, 4), (4, 1)])
def test_a_checkpoint_of_one_goes_on_on_the_other(
    programs: dict[int, Program], courses: dict[int, Course], tmp_path: Path, saved_on: int, restored_on: int
) -> None:
    checkpoint.save(tmp_path, 1, courses[saved_on].first, 2)
    program = programs[restored_on]
    state = checkpoint.restore(tmp_path, 1, program.state_shapes, program.shardings)
    assert_equal(state, courses[saved_on].first)
    assert jax.tree.map(lambda leaf: leaf.sharding, state) == program.shardings
    after, metrics = run_iteration(program, state, NUM_UPDATES)
    expected = courses[saved_on]
    jax.tree.map(
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5),
        jax.device_get(metrics),
        expected.metrics[1],
    )
    for a, b in zip(on_host(after.learner), on_host(expected.second.learner), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
