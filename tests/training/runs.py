"""Tiny runs of the whole loop: for tests in this process, and in processes of their own that may be killed.

A rollout of four plies cannot finish a game of tic-tac-toe, so every run begins with a rollout in which no game ends.
"""

import functools
import json
import multiprocessing
import os
import runpy
import signal
import threading
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np
from xla_flags import COMPILES_QUICKLY

from research.evaluation.arena import MatchConfig
from research.networks import NetworkConfig
from research.search import SearchConfig
from research.selfplay.replay import ReplayConfig
from research.selfplay.rollout import SelfPlayConfig
from research.toys import TicTacToeRules
from research.training import checkpoint, loop
from research.training.config import EvaluationConfig, RunConfig
from research.training.iteration import Program, make_program
from research.training.sharding import make_mesh
from research.training.state import RunState

# The event that jax.monitoring reports whenever XLA is asked for a program, from its cache on disk or not.
BACKEND_COMPILE = "/jax/core/compile/backend_compile_duration"

NUM_ITERATIONS = 6
_TIMING = ("iteration_s", "elapsed_s")
_NAME_IN_OWN_PROCESS = "own_process"


def tiny_config(**changes: Any) -> RunConfig:
    """Tic-tac-toe on one device with next to no network."""
    settings: dict[str, Any] = {
        "name": "tiny",
        "game": TicTacToeRules(),
        "encoder": "tictactoe",
        "network": NetworkConfig(num_blocks=0, num_channels=4, num_value_units=4),
        "search": SearchConfig(num_simulations=2),
        "self_play": SelfPlayConfig(num_games=8, rollout_length=4),
        "replay": ReplayConfig(num_rollouts=3),
        "evaluation": EvaluationConfig(match=MatchConfig(num_games=4)),
        "num_iterations": NUM_ITERATIONS,
        "num_updates": 2,
        "batch_size": 16,
        "checkpoint_interval": 2,
        "num_devices": 1,
    }
    return RunConfig(**(settings | changes))


@functools.cache
def shared_program(num_devices: int = 1) -> Program:
    """The compiled functions of `tiny_config`, for all tests of this process."""
    return make_program(tiny_config(num_devices=num_devices), make_mesh(num_devices))


def on_host(tree: Any) -> list[np.ndarray]:
    """All arrays of a tree in order, keys as their data."""
    leaves = jax.tree.leaves(tree)
    data = [
        jax.random.key_data(leaf) if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf for leaf in leaves
    ]
    return [np.asarray(leaf) for leaf in data]


def assert_equal(first: Any, second: Any) -> None:
    """Two trees are equal bit by bit."""
    assert jax.tree.structure(first) == jax.tree.structure(second)
    for a, b in zip(on_host(first), on_host(second), strict=True):
        np.testing.assert_array_equal(a, b)


def program_of(config: RunConfig) -> Program:
    """The functions of another config; nothing is compiled before they are called."""
    return make_program(config, make_mesh(config.num_devices))


def read_state(directory: Path, program: Program | None = None) -> RunState:
    """The newest checkpoint of a run, of `tiny_config` unless its program is given."""
    program, checkpoints = program or shared_program(), directory / "checkpoints"
    return checkpoint.restore(
        checkpoints, checkpoint.iterations(checkpoints)[-1], program.state_shapes, program.shardings
    )


def read_records(directory: Path) -> list[dict[str, Any]]:
    """The lines of metrics.jsonl without the times, which differ from run to run."""
    lines = whole_lines(directory / "metrics.jsonl")
    return [{name: value for name, value in json.loads(line).items() if name not in _TIMING} for line in lines]


def whole_lines(path: Path) -> list[str]:
    """The lines of a file that end in a line break; none if there is no file."""
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] if path.exists() else []


def in_own_process(
    function: Any,
    *arguments: Any,
    interrupt: signal.Signals | None = None,
    kill_after_s: float | None = None,
    from_start: bool = False,
) -> int:
    """Exit code of `function(*arguments)`, a function of this file, in a process of its own; negative for a signal.

    `interrupt` is sent to it after its first two iterations; SIGKILL after `kill_after_s` seconds, counted from its
    start or from its first iteration. The processes are forked from one that has imported everything and started
    nothing, which saves seconds each; this file is run there by its path.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["research.training.loop", "research.toys"])
    call = {"CALL": (function.__name__, arguments)}
    process = context.Process(target=runpy.run_path, args=(__file__, call, _NAME_IN_OWN_PROCESS))
    metrics = arguments[1] / "metrics.jsonl"
    before = changed_ns(metrics)
    process.start()
    if interrupt is not None:
        while process.is_alive() and len(whole_lines(metrics)) < 2:
            time.sleep(0.002)
        assert process.pid is not None
        os.kill(process.pid, interrupt)
    if kill_after_s is not None:
        for _ in range(0 if from_start else 2):  # the file is written anew at the start, then a line is added
            while process.is_alive() and changed_ns(metrics) == before:
                time.sleep(0.001)
            before = changed_ns(metrics)
        time.sleep(kill_after_s)
        process.kill()
    process.join(timeout=300)
    assert process.exitcode is not None
    return process.exitcode


def changed_ns(path: Path) -> int | None:
    """When a file was last written, None if there is none."""
    return path.stat().st_mtime_ns if path.exists() else None


def train_quietly(config: RunConfig, directory: Path, cache: Path, report: Path | None = None) -> None:
    """Train or go on, without the final matches; `report` gets the number of compilations before each iteration."""
    prepare_process(cache)
    loop.make_matches = lambda config: lambda variables: ()  # type: ignore[assignment]
    counts = count_compilations()
    loop.train(config, directory, resume=True)
    if report is not None:
        report.write_text(json.dumps([*counts, counts.total]))


def train_slowly(config: RunConfig, directory: Path, cache: Path) -> None:
    """Train with a pause after every iteration, so that a signal finds the run still under way."""
    prepare_process(cache)
    run_iteration = loop.run_iteration

    def run_and_wait(*arguments: Any) -> Any:
        time.sleep(0.2)
        return run_iteration(*arguments)

    loop.run_iteration = run_and_wait  # type: ignore[assignment]
    loop.train(config, directory)


def train_with_matches(config: RunConfig, directory: Path, cache: Path, report: Path) -> None:
    """Train with matches in between; `report` gets the number of compilations before each iteration and at the end."""
    prepare_process(cache)
    counts = count_compilations()
    loop.train(config, directory)
    report.write_text(json.dumps([*counts, counts.total]))


def train_and_die(config: RunConfig, directory: Path, cache: Path, moment: str, iteration: int) -> None:
    """Train or go on until `moment` of `iteration`, and be killed by SIGKILL there."""
    prepare_process(cache)

    def die(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def append_half_a_line(path: Path, record: dict[str, Any]) -> None:
        line = json.dumps(record)
        is_time = record["iteration"] == iteration
        with path.open("a") as file:
            file.write(line[: len(line) // 2] if is_time else line + "\n")
        if is_time:
            die()

    def die_at_the_first_trace_of_the_checkpoint() -> None:
        partial = f"{iteration}.orbax-checkpoint-tmp*"
        while not any((directory / "checkpoints").glob(partial)):
            time.sleep(0.0002)
        die()

    if moment == "while its line is written":
        loop.append_line = append_half_a_line  # type: ignore[assignment]
    else:
        assert moment == "while its checkpoint is written"
        threading.Thread(target=die_at_the_first_trace_of_the_checkpoint, daemon=True).start()
    loop.train(config, directory, resume=True)


def prepare_process(cache: Path) -> None:
    """Compile quickly, and share compiled programs between processes through files in `cache`."""
    os.environ["XLA_FLAGS"] = " ".join(COMPILES_QUICKLY)  # before jax has looked for devices
    jax.config.update("jax_compilation_cache_dir", str(cache))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


class Compilations(list):
    """Compilations so far, one entry an iteration begun."""

    total = 0  # up to now


def count_compilations() -> Compilations:
    """A list that grows by the number of compilations so far whenever the loop begins an iteration."""
    counts, run_iteration = Compilations(), loop.run_iteration

    def listen(event: str, duration: float, **_: Any) -> None:
        counts.total += event == BACKEND_COMPILE

    def run_and_count(*arguments: Any) -> Any:
        counts.append(counts.total)
        return run_iteration(*arguments)

    jax.monitoring.register_event_duration_secs_listener(listen)
    loop.run_iteration = run_and_count  # type: ignore[assignment]
    return counts


if __name__ == _NAME_IN_OWN_PROCESS:
    _name, _arguments = CALL  # type: ignore[name-defined]
    globals()[_name](*_arguments)
