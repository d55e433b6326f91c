"""Runs that are asked to stop, or killed, in processes of their own; and the five-iteration test of compilations."""

import dataclasses
import json
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

from research import go
from research.networks import NetworkConfig
from research.search import SearchConfig
from research.training.interrupts import stop_on_signals
from tests.training import runs
from tests.training.runs import NUM_ITERATIONS, assert_equal, in_own_process, read_records, read_state, tiny_config


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the processes share what they have compiled."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def finished(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in a process that nothing disturbed, with its counts of compilations in counts.json."""
    directory = tmp_path_factory.mktemp("finished") / "run"
    config = tiny_config(checkpoint_interval=4)
    assert in_own_process(runs.train_quietly, config, directory, cache, directory.parent / "counts.json") == 0
    return directory


def assert_ended_like(directory: Path, finished: Path) -> None:
    """Parameters, replay, games, keys, counters and metrics are those of a run that never stopped."""
    assert_equal(read_state(directory), read_state(finished))
    assert read_records(directory) == read_records(finished)


def test_from_the_second_iteration_on_nothing_compiles(finished: Path) -> None:
    # Counts before each of the iterations and at the end; the first checkpoint comes after the fourth.
    counts = json.loads((finished.parent / "counts.json").read_text())
    assert len(counts) == NUM_ITERATIONS + 1 >= 6
    assert counts[1] >= counts[0] + 3  # play, learn, mode_gap: the count does count
    assert counts[1:] == [counts[1]] * NUM_ITERATIONS


def test_neither_a_second_match_nor_a_checkpoint_compiles_anything(cache: Path, tmp_path: Path) -> None:
    config = tiny_config(num_iterations=5, checkpoint_interval=2)
    config = dataclasses.replace(config, evaluation=dataclasses.replace(config.evaluation, interval=1))
    assert in_own_process(runs.train_with_matches, config, tmp_path / "run", cache, tmp_path / "counts.json") == 0
    counts = json.loads((tmp_path / "counts.json").read_text())
    assert counts[1:] == [counts[1]] * 5
    assert "score_share_vs_untrained" in read_records(tmp_path / "run")[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_asked_to_stop_saves_exits_with_0_and_goes_on(
    number: signal.Signals, finished: Path, cache: Path, tmp_path: Path
) -> None:
    directory, config = tmp_path / "run", tiny_config(checkpoint_interval=100, num_iterations=NUM_ITERATIONS)
    assert in_own_process(runs.train_slowly, config, directory, cache, interrupt=number) == 0
    records = read_records(directory)
    assert 2 <= len(records) < NUM_ITERATIONS
    assert int(read_state(directory).iteration) == len(records)
    assert in_own_process(runs.train_quietly, config, directory, cache) == 0
    assert_ended_like(directory, finished)


def test_a_run_killed_in_the_middle_of_writing_ends_as_one_that_never_stopped(
    finished: Path, cache: Path, tmp_path: Path
) -> None:
    directory, config = tmp_path / "run", tiny_config()
    deaths = [
        ("while its checkpoint is written", 2, 0),  # nothing was saved yet
        ("while its line is written", 4, 2),
        ("while its checkpoint is written", 4, 2),
    ]
    for moment, iteration, saved in deaths:
        assert in_own_process(runs.train_and_die, config, directory, cache, moment, iteration) == -signal.SIGKILL
        complete = [path.name for path in (directory / "checkpoints").glob("*") if path.name.isdigit()]
        assert complete == ([str(saved)] if saved else [])
    assert in_own_process(runs.train_quietly, config, directory, cache) == 0
    assert_ended_like(directory, finished)
    assert not list((directory / "checkpoints").glob("*tmp*"))


@pytest.mark.slow
def test_go_killed_twenty_times_at_random_moments_ends_as_one_that_never_stopped(cache: Path, tmp_path: Path) -> None:
    config = tiny_config(
        game=go.Rules(size=5, komi=6.5),
        encoder="agz17",
        network=NetworkConfig(num_blocks=1, num_channels=8, num_value_units=8),
        search=SearchConfig(num_simulations=4),
        num_iterations=600,
        checkpoint_interval=3,
    )
    assert in_own_process(runs.train_quietly, config, tmp_path / "finished", cache) == 0
    lines = runs.whole_lines(tmp_path / "finished" / "metrics.jsonl")
    loop_s = sum(json.loads(line)["iteration_s"] for line in lines[1:])
    moments, progress = np.random.default_rng(0), []
    for number in range(20):
        # Most deaths come while iterations, lines and checkpoints are made; every fifth while the run is set up.
        is_early = number % 5 == 4
        delay_s = float(moments.uniform(0, 3 if is_early else 0.1 * loop_s))
        arguments = (config, tmp_path / "run", cache)
        code = in_own_process(runs.train_quietly, *arguments, kill_after_s=delay_s, from_start=is_early)
        assert code == -signal.SIGKILL
        progress.append(len(runs.whole_lines(tmp_path / "run" / "metrics.jsonl")))
    assert len(set(progress)) > 5
    assert in_own_process(runs.train_quietly, config, tmp_path / "run", cache) == 0
    assert read_records(tmp_path / "run") == read_records(tmp_path / "finished")
    program = runs.program_of(config)
    assert_equal(read_state(tmp_path / "run", program=program), read_state(tmp_path / "finished", program=program))


def test_a_signal_is_remembered_and_a_second_ctrl_c_does_not_wait() -> None:
    with stop_on_signals() as stop:
        assert not stop
        signal.raise_signal(signal.SIGTERM)
        assert stop
        assert stop.signal == signal.SIGTERM
        signal.raise_signal(signal.SIGTERM)  # asking again changes nothing
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_the_old_handlers_come_back() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with stop_on_signals():
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] != before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_outside_the_main_thread_nothing_is_caught_and_nothing_breaks() -> None:
    seen = []

    def run() -> None:
        with stop_on_signals() as stop:
            seen.append(bool(stop))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [False]
