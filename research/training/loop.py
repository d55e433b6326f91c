"""The training loop: self-play, updates, metrics, checkpoints, matches; stops, resumes and repeats itself exactly.

The device is kept busy: an iteration is queued before the one before it is fetched, and nothing inside the guarded
block moves data between host and device. At a milestone (a checkpoint, a match, the end) the loop waits for the
device, checks that every loss is finite, and only then writes.

A run's folder: config.json, metrics.jsonl (one object an iteration), checkpoints/, and at the end the results.
"""

import fnmatch
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import jax

from research.evaluation.match import MatchResult
from research.training import checkpoint, metrics
from research.training.config import RunConfig, differing_fields, read_config, write_config
from research.training.errors import RunError
from research.training.evaluations import MATCH_NAMES, PlayMatches, make_matches
from research.training.files import append_line, owned, read_lines, write_lines
from research.training.interrupts import StopRequest, stop_on_signals
from research.training.iteration import Program, make_program, run_iteration
from research.training.progress import Progress, SilentProgress
from research.training.sharding import make_mesh
from research.training.state import RunState

# Settings that a resumed run may change: what it learns does not depend on them.
RESUMABLE_FIELDS = ("num_iterations", "checkpoint_interval", "num_checkpoints", "num_devices", "name", "evaluation.*")


class RunSummary(NamedTuple):
    """What a call of `train` leaves."""

    metrics: list[dict[str, Any]]  # one record an iteration, from the run's start
    evaluations: tuple[MatchResult, ...]  # the final matches; empty if the run was interrupted
    variables: dict[str, Any]  # the network's
    iteration: int  # iterations finished
    was_interrupted: bool


class Pending(NamedTuple):
    """An iteration that was queued and not recorded yet."""

    iteration: int
    on_device: tuple  # its metrics, as `run_iteration` gives them
    seconds: float  # wall time of its turn of the loop; a turn waits for the turn before


@dataclass
class Run:
    """One run's files and functions on the host."""

    config: RunConfig
    directory: Path
    program: Program
    play_matches: PlayMatches
    progress: Progress
    records: list[dict[str, Any]] = field(default_factory=list)  # the lines of metrics.jsonl

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.directory / "checkpoints"

    @property
    def metrics_file(self) -> Path:
        """The file of records."""
        return self.directory / "metrics.jsonl"


def train(config: RunConfig, directory: Path, *, resume: bool = False, progress: Progress | None = None) -> RunSummary:
    """Train until config.num_iterations are done or somebody asks to stop.

    Raises:
        RunError: the config does not fit the devices, or the folder does not fit the config.
        TrainingError: a loss is no longer a finite number.
    """
    config.check_devices(len(jax.devices()))
    with owned(directory), stop_on_signals() as stop, progress or SilentProgress() as shown:
        prepare_directory(config, directory, resume)
        program = make_program(config, make_mesh(config.num_devices))
        run = Run(config, directory, program, make_matches(config), shown)
        state, iteration = _restore_or_start(run)
        state, iteration = _run_to_the_end(run, state, iteration, stop)
        is_finished = iteration >= config.num_iterations and not stop
        if is_finished:
            run.progress.say("playing the final matches")
        evaluations = run.play_matches(state.learner.variables) if is_finished else ()
    return RunSummary(run.records, evaluations, state.learner.variables, iteration, not is_finished)


def prepare_directory(config: RunConfig, directory: Path, resume: bool) -> None:
    """Write config.json into a new run's folder; for a resumed run check that the config is the same.

    Raises: RunError saying what differs, or that the folder is taken.
    """
    path = directory / "config.json"
    if not path.exists() and checkpoint.iterations(directory / "checkpoints"):
        raise RunError(f"{directory} holds checkpoints but no config.json; put it back, or give another --name")
    if path.exists():
        if not resume:
            raise RunError(f"{directory} holds a run already; add --resume to go on with it, or give another --name")
        differing = [name for name in differing_fields(config, read_config(path)) if not _is_resumable(name, config)]
        if differing:
            raise RunError(
                f"{directory} was started with other settings ({', '.join(differing)}); "
                "resume with the same ones, or give another --name"
            )
    write_config(config, path)


def _is_resumable(name: str, config: RunConfig) -> bool:
    if name == "num_iterations" and config.optimizer.schedule != "constant":
        return False  # the learning rate falls towards the last iteration
    return any(fnmatch.fnmatch(name, pattern) for pattern in RESUMABLE_FIELDS)


def _restore_or_start(run: Run) -> tuple[RunState, int]:
    """The state of the newest checkpoint, or a new one; records after it are forgotten."""
    saved = checkpoint.iterations(run.checkpoints)
    if not saved:
        state, iteration = run.program.start(), 0
        if run.metrics_file.exists():
            run.progress.say("no checkpoint to resume from; starting from the beginning")
    else:
        iteration = saved[-1]
        state = checkpoint.restore(run.checkpoints, iteration, run.program.state_shapes, run.program.shardings)
        run.progress.say(f"resumed at iteration {iteration}")
    run.records = [record for record in _read_records(run.metrics_file) if record["iteration"] <= iteration]
    write_lines(run.metrics_file, run.records)
    return state, iteration


def _read_records(path: Path) -> list[dict[str, Any]]:
    records = read_lines(path)
    for number, record in enumerate(records, start=1):
        if type(record.get("iteration")) is not int or not isinstance(record.get("elapsed_s"), int | float):
            raise RunError(
                f"{path}, line {number}: wanted a whole number `iteration` and a number `elapsed_s`; delete the line"
            )
    return records


def _run_to_the_end(run: Run, state: RunState, iteration: int, stop: StopRequest) -> tuple[RunState, int]:
    config, pending = run.config, None
    run.progress.start(iteration, config.num_iterations)
    while iteration < config.num_iterations and not stop:
        start = time.monotonic()
        with jax.transfer_guard("disallow"):
            state, on_device = run_iteration(run.program, state, config.num_updates)
        if pending is not None:
            _record(run, pending)
        iteration += 1
        is_match_due = bool(config.evaluation.interval) and iteration % config.evaluation.interval == 0
        is_checkpoint_due = iteration % config.checkpoint_interval == 0
        if is_match_due or is_checkpoint_due:
            jax.block_until_ready(on_device)
        pending = Pending(iteration, on_device, time.monotonic() - start)
        if is_match_due or is_checkpoint_due:
            _record(run, pending, state if is_match_due else None)
            pending = None
        if is_checkpoint_due:
            checkpoint.save(run.checkpoints, iteration, state, config.num_checkpoints)
    if pending is not None:
        _record(run, pending)
    if iteration > 0:
        checkpoint.save(run.checkpoints, iteration, state, config.num_checkpoints)
    if stop.signal is not None:
        what = f"saved at iteration {iteration}" if iteration else "nothing to save yet"
        run.progress.say(f"{stop.signal.name}: {what}; --resume goes on from here")
    return state, iteration


def _record(run: Run, pending: Pending, state: RunState | None = None) -> None:
    """Fetch an iteration's metrics, check them, and write and show them; with `state`, play the matches too."""
    record: dict[str, Any] = {"iteration": pending.iteration, **metrics.fetch(*pending.on_device)}
    metrics.check_finite(record, pending.iteration)
    record["iteration_s"] = round(pending.seconds, 3)
    record["elapsed_s"] = round((run.records[-1]["elapsed_s"] if run.records else 0) + record["iteration_s"], 3)
    if state is not None:
        for name, result in zip(MATCH_NAMES, run.play_matches(state.learner.variables), strict=True):
            record[f"score_share_vs_{name}"] = result.score_rate
    run.records.append(record)
    append_line(run.metrics_file, record)
    line = metrics.summary_line(record, run.config.num_iterations)
    run.progress.advance(pending.iteration, line, metrics.alarms(record))
