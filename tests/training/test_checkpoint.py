"""Checkpoints: the whole run comes back bit by bit, and what cannot be restored is said in one line."""

import dataclasses
import logging
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from research.networks import NetworkConfig
from research.selfplay.rollout import SelfPlayConfig
from research.training import checkpoint
from research.training.iteration import make_program, run_iteration
from research.training.sharding import make_mesh
from research.training.state import RunState
from tests.training.runs import assert_equal, on_host, shared_program, tiny_config


@pytest.fixture(scope="module")
def state() -> RunState:
    """A run after three iterations, with games under way and a ring that is full."""
    program = shared_program()
    state = program.start()
    for _ in range(3):
        state, _ = run_iteration(program, state, 2)
    return state


@pytest.fixture(scope="module")
def saved(state: RunState, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the checkpoint of iteration 3."""
    folder = tmp_path_factory.mktemp("checkpoints")
    checkpoint.save(folder, 3, state, 2)
    return folder


def restored(folder: Path, iteration: int = 3) -> RunState:
    """The checkpoint laid out for one device."""
    program = shared_program()
    return checkpoint.restore(folder, iteration, program.state_shapes, program.shardings)


def test_everything_comes_back_bit_by_bit_and_the_next_iteration_is_the_same(state: RunState, saved: Path) -> None:
    back = restored(saved)
    assert_equal(back, state)
    assert jax.tree.map(lambda leaf: leaf.dtype, back) == jax.tree.map(lambda leaf: leaf.dtype, state)
    assert jax.tree.map(lambda leaf: leaf.sharding, back) == shared_program().shardings
    copy = jax.tree.map(lambda leaf: leaf.copy(), state)  # an iteration consumes its state
    assert_equal(run_iteration(shared_program(), back, 2), run_iteration(shared_program(), copy, 2))


def test_the_state_holds_games_under_way_and_a_full_ring(state: RunState) -> None:
    assert (on_host(state.games.num_plies)[0] > 0).any()
    assert int(state.replay.num_written) >= state.replay.rows.shape[1]
    assert (int(state.iteration), int(state.learner.num_updates)) == (3, 6)


def test_only_the_latest_checkpoints_are_kept(state: RunState, tmp_path: Path) -> None:
    assert checkpoint.iterations(tmp_path / "none") == []
    for iteration in (1, 2, 10):
        checkpoint.save(tmp_path, iteration, state, 2)
    assert checkpoint.iterations(tmp_path) == [2, 10]


def test_saving_an_iteration_again_keeps_what_is_there(state: RunState, saved: Path) -> None:
    checkpoint.save(saved, 3, state._replace(iteration=state.iteration + 1), 2)
    assert int(restored(saved).iteration) == 3


def test_a_half_written_checkpoint_is_none(state: RunState, tmp_path: Path) -> None:
    checkpoint.save(tmp_path, 1, state, 2)
    shutil.copytree(tmp_path / "1", tmp_path / "2.orbax-checkpoint-tmp")
    assert checkpoint.iterations(tmp_path) == [1]


def empty_the_metadata(folder: Path) -> None:
    """Damage."""
    (folder / "default" / "_METADATA").write_bytes(b"")


def cut_the_data(folder: Path) -> None:
    """Damage."""
    (path,) = (folder / "default" / "d").iterdir()
    path.write_bytes(path.read_bytes()[:-40])


def flip_a_byte_of_the_data(folder: Path) -> None:
    """Damage."""
    (path,) = (folder / "default" / "d").iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [empty_the_metadata, cut_the_data, flip_a_byte_of_the_data, shutil.rmtree])
def test_a_damaged_checkpoint_is_one_line_that_says_what_to_do(
    saved: Path, tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(saved, tmp_path / "checkpoints")
    damage(tmp_path / "checkpoints" / "3")
    with pytest.raises(ValueError, match=r"cannot restore this checkpoint .* delete its folder") as error:
        restored(tmp_path / "checkpoints")
    assert str(error.value).startswith(f"{tmp_path / 'checkpoints' / '3'}: ")
    assert "\n" not in str(error.value)
    assert not caplog.records


def test_what_orbax_says_of_other_checkpoints_is_heard_again(saved: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = sys.unraisablehook
    assert int(restored(saved).iteration) == 3
    logging.getLogger("absl").warning("heard")
    assert [record.message for record in caplog.records] == ["heard"]
    assert sys.unraisablehook is before


@pytest.mark.parametrize(
    "changes",
    [
        {"self_play": SelfPlayConfig(num_games=16, rollout_length=4)},
        {"network": NetworkConfig(num_blocks=1, num_channels=4, num_value_units=4)},
    ],
)
def test_a_checkpoint_of_another_run_is_refused(saved: Path, changes: dict) -> None:
    other = make_program(dataclasses.replace(tiny_config(), **changes), make_mesh(1))
    with pytest.raises(ValueError, match="cannot restore this checkpoint") as error:
        checkpoint.restore(saved, 3, other.state_shapes, other.shardings)
    assert "\n" not in str(error.value)


def test_a_checkpoint_of_another_version_is_refused_in_a_line_that_names_what_differs(
    state: RunState, tmp_path: Path
) -> None:
    # Until the ring held rows of words it held the arrays of its samples.
    old = {"samples": {"planes": jnp.zeros((8, 12, 3, 3, 3), bool)}, "num_written": state.replay.num_written}
    checkpoint.save(tmp_path, 3, state._replace(replay=old), 2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="another version of Miai or another network wrote it") as error:
        restored(tmp_path)
    assert "it lacks replay.rows, it holds replay.samples.planes); go on with that one" in str(error.value)
    assert "\n" not in str(error.value)
