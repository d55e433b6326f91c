"""The loop in this process: repeats itself, resumes, guards its transfers, and says what goes wrong."""

import dataclasses
import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.networks import make_network
from research.search import SearchConfig
from research.training import checkpoint, evaluations, loop
from research.training.config import EvaluationConfig
from research.training.errors import TrainingError
from research.training.files import owned
from research.training.iteration import Program, run_iteration
from research.training.optimizers import OptimizerConfig
from research.training.progress import SilentProgress
from research.training.state import RunState, init_variables, start_run
from tests.training.runs import (
    NUM_ITERATIONS,
    assert_equal,
    on_host,
    program_of,
    read_records,
    read_state,
    shared_program,
    tiny_config,
)


class Listener(SilentProgress):
    """Remembers what a person would have seen."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.alarms: dict[int, list[str]] = {}
        self.said: list[str] = []

    def advance(self, iteration: int, line: str, alarms: list[str]) -> None:
        """One more iteration."""
        self.alarms[iteration] = alarms

    def say(self, message: str) -> None:
        """One more message."""
        self.said.append(message)


@pytest.fixture(autouse=True)
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """All runs of this file share one compiled program, which neither the name nor the length of a run changes."""
    monkeypatch.setattr(loop, "make_program", lambda config, mesh: shared_program())
    monkeypatch.setattr(loop, "make_matches", lambda config: lambda variables: ())


def use_program(monkeypatch: pytest.MonkeyPatch, **changes: Callable) -> None:
    """Lets runs use the shared program with some of its functions replaced."""
    program: Program = shared_program()._replace(**changes)
    monkeypatch.setattr(loop, "make_program", lambda config, mesh: program)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was never disturbed."""
    directory = tmp_path_factory.mktemp("finished") / "run"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(loop, "make_program", lambda config, mesh: shared_program())
        monkeypatch.setattr(loop, "make_matches", lambda config: lambda variables: ())
        summary = loop.train(tiny_config(), directory)
    assert (summary.iteration, summary.was_interrupted) == (NUM_ITERATIONS, False)
    return directory


def test_a_run_leaves_its_config_a_record_an_iteration_and_the_latest_checkpoints(finished: Path) -> None:
    assert sorted(path.name for path in finished.iterdir()) == ["checkpoints", "config.json", "metrics.jsonl"]
    assert checkpoint.iterations(finished / "checkpoints") == [4, 6]
    records = [json.loads(line) for line in (finished / "metrics.jsonl").read_text().splitlines()]
    assert [record["iteration"] for record in records] == list(range(1, NUM_ITERATIONS + 1))
    for record in records:
        assert record["mode_gap"] == pytest.approx(record["eval_mode_loss"] - record["train_mode_loss"], abs=1e-5)
        assert record["finished_sample_share"] + record["truncated_sample_share"] == pytest.approx(1)
        assert 0 <= record["elapsed_s"] >= record["iteration_s"] >= 0
    assert [record["games_finished"] > 0 for record in records] == [False, *[True] * (NUM_ITERATIONS - 1)]


def test_two_runs_with_one_seed_give_equal_games_parameters_and_metrics(finished: Path, tmp_path: Path) -> None:
    loop.train(tiny_config(), tmp_path / "run")
    assert read_records(tmp_path / "run") == read_records(finished)
    assert_equal(read_state(tmp_path / "run"), read_state(finished))
    hashes = [record["game_hash"] for record in read_records(finished)[1:]]
    assert len(set(hashes)) == len(hashes)


def test_another_seed_starts_from_other_parameters_and_plays_other_games() -> None:
    config = tiny_config(seed=1)
    game, encoder = config.make_game(), config.make_encoder()
    network = make_network(config.network, game.board_shape, encoder.num_planes, game.num_actions)
    start = jax.jit(lambda: start_run(config, game, encoder, network), out_shardings=shared_program().shardings)
    hashes = []
    for state in (shared_program().start(), start()):
        kernel = on_host(state.learner.params["stem"]["conv"]["kernel"])[0]
        for _ in range(3):
            state, metrics = run_iteration(shared_program(), state, 1)
        hashes.append((int(metrics[0]["game_hash"]), kernel.tobytes()))
    assert hashes[0][0] != hashes[1][0]
    assert hashes[0][1] != hashes[1][1]


def test_the_untrained_opponent_of_the_matches_has_the_runs_own_first_parameters() -> None:
    config = tiny_config()
    network = make_network(config.network, (3, 3), 3, 9)
    untrained = jax.jit(lambda: init_variables(config, network))()
    assert_equal(untrained, shared_program().start().learner.variables)


def test_a_run_that_goes_on_ends_where_an_uninterrupted_one_does(finished: Path, tmp_path: Path) -> None:
    config, directory = tiny_config(num_iterations=3), tmp_path / "run"
    loop.train(config, directory)
    listener = Listener()
    summary = loop.train(
        dataclasses.replace(config, num_iterations=NUM_ITERATIONS), directory, resume=True, progress=listener
    )
    assert "resumed at iteration 3" in listener.said
    assert list(listener.alarms) == [4, 5, 6]
    assert [record["iteration"] for record in summary.metrics] == [1, 2, 3, 4, 5, 6]
    assert read_records(directory) == read_records(finished)
    assert_equal(read_state(directory), read_state(finished))


def test_records_after_the_checkpoint_and_a_line_cut_short_are_forgotten(finished: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    loop.train(tiny_config(num_iterations=3), directory)
    with (directory / "metrics.jsonl").open("a") as file:
        file.write('{"iteration": 4, "elapsed_s": 99.0}\n{"iteration": 5, "lo')
    loop.train(tiny_config(), directory, resume=True)
    assert read_records(directory) == read_records(finished)


def test_resuming_a_finished_run_changes_nothing(finished: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    loop.train(tiny_config(), directory)
    summary = loop.train(tiny_config(), directory, resume=True)
    assert (summary.iteration, summary.was_interrupted) == (NUM_ITERATIONS, False)
    assert read_records(directory) == read_records(finished)
    assert_equal(read_state(directory), read_state(finished))


def test_resuming_before_the_first_checkpoint_starts_anew(finished: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    loop.prepare_directory(tiny_config(), directory, resume=False)
    (directory / "metrics.jsonl").write_text('{"iteration": 1, "elapsed_s": 99.0}\n')
    loop.train(tiny_config(), directory, resume=True)
    assert read_records(directory) == read_records(finished)


def test_a_taken_folder_is_refused_and_left_alone(finished: Path) -> None:
    before = (finished / "config.json").read_bytes()
    with pytest.raises(ValueError, match=r"holds a run already; add --resume to go on with it, or give another --name"):
        loop.train(tiny_config(seed=5), finished)
    assert (finished / "config.json").read_bytes() == before


def test_resuming_with_other_settings_is_refused_and_names_them(finished: Path) -> None:
    before = (finished / "config.json").read_bytes()
    other = tiny_config(optimizer=OptimizerConfig(learning_rate=0.5), search=SearchConfig(num_simulations=3), seed=5)
    with pytest.raises(
        ValueError, match=r"other settings \(optimizer\.learning_rate, search\.num_simulations, seed\); resume with"
    ):
        loop.train(other, finished, resume=True)
    assert (finished / "config.json").read_bytes() == before


def test_an_implicit_transfer_in_the_loop_stops_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def transfer(learner: Any, replay: Any, key: Any) -> Any:
        return shared_program().learn(learner, replay._replace(num_written=np.int32(4)), key)

    # The CPU backend sees what comes from the host; what goes to the host is the same memory there, and passes.
    use_program(monkeypatch, learn=transfer)
    with pytest.raises(jax.errors.JaxRuntimeError, match="Disallowed host-to-device transfer"):
        loop.train(tiny_config(), tmp_path / "run")


def break_after(num_updates: int) -> Callable:
    """A gradient step that makes the parameters NaN from its number `num_updates` on."""

    @jax.jit
    def poison(params: Any, is_time: jax.Array) -> Any:
        return jax.tree.map(lambda leaf: jnp.where(is_time, jnp.nan, leaf), params)

    is_time = jax.jit(lambda count: count >= num_updates)

    def learn(learner: Any, replay: Any, key: Any) -> Any:
        learner, metrics = shared_program().learn(learner, replay, key)
        return learner._replace(params=poison(learner.params, is_time(learner.num_updates))), metrics

    return learn


# Two updates an iteration, a checkpoint every two: the fault is seen in the middle, or at a milestone.
@pytest.mark.parametrize(("broken_iteration", "saved"), [(3, 2), (4, 2), (5, 4)])
def test_a_loss_that_is_no_number_stops_the_run_and_the_last_checkpoint_stays_good(
    finished: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, broken_iteration: int, saved: int
) -> None:
    directory = tmp_path / "run"
    use_program(monkeypatch, learn=break_after(2 * broken_iteration))
    with pytest.raises(TrainingError, match=rf"^iteration {broken_iteration}: .*eval_mode_loss.* not a finite number"):
        loop.train(tiny_config(), directory)
    assert checkpoint.iterations(directory / "checkpoints")[-1] == saved
    assert [record["iteration"] for record in read_records(directory)] == list(range(1, broken_iteration))
    use_program(monkeypatch)
    loop.train(tiny_config(), directory, resume=True)
    assert_equal(read_state(directory), read_state(finished))


def test_a_rollout_in_which_no_game_ends_is_said(tmp_path: Path) -> None:
    listener = Listener()
    loop.train(tiny_config(num_iterations=2), tmp_path / "run", progress=listener)
    assert [alarm.split(":")[0] for alarm in listener.alarms[1]] == ["no game ended in this rollout"]
    assert listener.alarms[2] == []


def test_a_collapse_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    @jax.jit
    def shorten(metrics: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return metrics | {"game_length_max_plies": jnp.minimum(metrics["game_length_max_plies"], 2)}

    def play(*arguments: Any) -> Any:
        *rest, metrics = shared_program().play(*arguments)
        return *rest, shorten(metrics)

    use_program(monkeypatch, play=play)
    listener = Listener()
    loop.train(tiny_config(num_iterations=3), tmp_path / "run", progress=listener)
    for iteration in (2, 3):
        (alarm,) = listener.alarms[iteration]
        assert alarm.startswith("collapse: every game ended in under 4 plies")


def test_matches_are_played_at_their_interval_and_at_the_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    played = []

    @dataclasses.dataclass
    class Result:
        score_rate: float

    def make_matches(config: Any) -> Callable:
        def play_matches(variables: Any) -> tuple:
            played.append(on_host(variables)[0].copy())
            return Result(0.75), Result(0.5)

        return play_matches

    monkeypatch.setattr(loop, "make_matches", make_matches)
    config = tiny_config()
    config = dataclasses.replace(config, evaluation=dataclasses.replace(config.evaluation, interval=3))
    summary = loop.train(config, tmp_path / "run")
    records = read_records(tmp_path / "run")
    with_matches = [
        record["iteration"] for record in records if f"score_share_vs_{evaluations.MATCH_NAMES[0]}" in record
    ]
    assert with_matches == [3, 6]
    assert (records[2]["score_share_vs_random"], records[2]["score_share_vs_untrained"]) == (0.75, 0.5)
    assert [result.score_rate for result in summary.evaluations] == [0.75, 0.5]
    assert len(played) == 3
    np.testing.assert_array_equal(played[-1], on_host(summary.variables)[0])


def test_a_signal_that_comes_before_the_first_iteration_ends_the_run_without_one(
    monkeypatch: pytest.MonkeyPatch, finished: Path, tmp_path: Path
) -> None:
    def make_matches(config: Any) -> Callable:
        signal.raise_signal(signal.SIGTERM)
        return lambda variables: ()

    with monkeypatch.context() as context:
        context.setattr(loop, "make_matches", make_matches)
        summary = loop.train(tiny_config(), tmp_path / "run")
    assert (summary.iteration, summary.was_interrupted) == (0, True)
    loop.train(tiny_config(), tmp_path / "run", resume=True)
    assert read_records(tmp_path / "run") == read_records(finished)


@pytest.mark.slow
def test_go_by_a_network_that_always_passes_is_called_a_collapse(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tiny_config(game=go.Rules(size=3, komi=0.5), encoder="agz17", num_iterations=2)
    program = program_of(config)

    def start() -> RunState:
        state = program.start()
        params = jax.tree.map(lambda leaf: leaf, state.learner.params)  # a copy of the dicts
        params["policy_head"]["logits"]["bias"] = jnp.zeros(10).at[9].set(50.0)
        return state._replace(learner=state.learner._replace(params=params))

    monkeypatch.setattr(loop, "make_program", lambda config, mesh: program._replace(start=start))
    listener = Listener()
    summary = loop.train(config, tmp_path / "run", progress=listener)
    assert [record["game_length_plies"] for record in summary.metrics] == [2.0, 2.0]
    assert [alarm.split(":")[0] for alarms in listener.alarms.values() for alarm in alarms] == ["collapse"] * 2


def test_a_run_of_no_iterations_only_plays_the_matches(tmp_path: Path) -> None:
    summary = loop.train(tiny_config(num_iterations=0), tmp_path / "run")
    assert (summary.iteration, summary.metrics, summary.was_interrupted) == (0, [], False)


def test_the_state_is_consumed_so_that_nothing_large_is_held_twice() -> None:
    state: RunState = shared_program().start()
    held = jax.tree.leaves((state.games.states, state.replay.rows, state.learner.optimizer_state))
    run_iteration(shared_program(), state, 1)
    assert all(leaf.is_deleted() for leaf in held)


def test_matches_may_change_on_resume_and_a_falling_learning_rate_keeps_its_length(tmp_path: Path) -> None:
    config = tiny_config(optimizer=OptimizerConfig(schedule="cosine"))
    loop.prepare_directory(config, tmp_path, resume=False)
    loop.prepare_directory(dataclasses.replace(config, evaluation=EvaluationConfig(interval=3)), tmp_path, resume=True)
    with pytest.raises(ValueError, match=r"other settings \(num_iterations\)"):
        loop.prepare_directory(dataclasses.replace(config, num_iterations=99), tmp_path, resume=True)


def test_checkpoints_without_a_config_are_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / "4").mkdir(parents=True)
    (tmp_path / "checkpoints" / "4" / "_CHECKPOINT_METADATA").write_text("{}")
    with pytest.raises(ValueError, match=r"holds checkpoints but no config\.json"):
        loop.prepare_directory(tiny_config(), tmp_path, resume=True)
    assert not (tmp_path / "config.json").exists()


def test_a_folder_has_one_run_at_a_time(tmp_path: Path) -> None:
    with owned(tmp_path), pytest.raises(ValueError, match="another process is training in"):
        loop.train(tiny_config(), tmp_path)
    with owned(tmp_path):
        assert list(tmp_path.iterdir()) == []


def test_a_place_that_can_hold_no_run_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="no place for a run"):
        loop.train(tiny_config(), tmp_path / "file" / "run")


@pytest.mark.parametrize("line", ['{"a": 1}', '{"iteration": "6", "elapsed_s": 1}', '{"iteration": 1}'])
def test_a_record_without_its_numbers_is_named(finished: Path, tmp_path: Path, line: str) -> None:
    copy = shutil.copytree(finished, tmp_path / "run")
    (copy / "metrics.jsonl").write_text(line + "\n")
    with pytest.raises(ValueError, match=r"metrics\.jsonl, line 1: wanted a whole number `iteration`"):
        loop.train(tiny_config(), copy, resume=True)
