"""Checkpoints of a whole run, by orbax.

A checkpoint is the RunState after a number of finished iterations: parameters, statistics, optimizer, replay, running
games, key and counters. Orbax writes it beside its final name and renames it when it is complete, so a process killed
while saving leaves the one before. Saving is synchronous: the next iteration donates the very buffers being written.

Of a damaged checkpoint orbax says much, in its log and, since it reads all arrays at once, in a traceback for each that
was still being read when the first failed. Here it is one error.
"""

import contextlib
import logging
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import jax
import orbax.checkpoint as ocp

from research.training.errors import RunError
from research.training.state import RunState


def save(directory: Path, iteration: int, state: RunState, num_kept: int) -> None:
    """Write `state` as the checkpoint of `iteration` and drop all but the latest `num_kept`."""
    options = ocp.CheckpointManagerOptions(max_to_keep=num_kept, enable_async_checkpointing=False)
    with ocp.CheckpointManager(directory.absolute(), options=options) as manager:
        if iteration not in manager.all_steps():
            manager.save(iteration, args=ocp.args.StandardSave(state))


def iterations(directory: Path) -> list[int]:
    """Iterations of the complete checkpoints, oldest first."""
    if not directory.exists():
        return []
    if not directory.is_dir():
        raise RunError(f"{directory}: wanted a folder of checkpoints; move away what is there")
    with _orbax_in_silence(), ocp.CheckpointManager(directory.absolute()) as manager:
        return sorted(manager.all_steps())


def restore(directory: Path, iteration: int, state: RunState, shardings: RunState) -> RunState:
    """The checkpoint of `iteration`, shaped like `state` (arrays or their shapes) and laid out by `shardings`.

    The device count may differ from the one that saved it.

    Raises: RunError if the checkpoint is damaged or of another shape.
    """
    return _restore_tree(directory, iteration, abstract(state, shardings))


def abstract(tree: Any, shardings: Any) -> Any:
    """Shapes, dtypes and shardings of `tree`, without its values."""
    return jax.tree.map(
        lambda leaf, sharding: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding), tree, shardings
    )


def _restore_tree(directory: Path, iteration: int, target: Any) -> Any:
    with _orbax_in_silence(), ocp.CheckpointManager(directory.absolute()) as manager:
        try:
            return manager.restore(iteration, args=ocp.args.StandardRestore(target))
        except Exception as error:  # orbax raises a bare Exception where an array's data is damaged
            reason = str(error).splitlines()[0].split(". See")[0][:200] if str(error) else type(error).__name__
            advice = "delete its folder to fall back to the one before"
            if differing := _differing_arrays(directory / str(iteration) / "default", target):
                reason = f"another version of Miai or another network wrote it: {differing}"
                advice = "go on with that one, or give another --name"
            raise RunError(
                f"{directory / str(iteration)}: cannot restore this checkpoint ({reason}); {advice}"
            ) from error


@contextlib.contextmanager
def _orbax_in_silence() -> Generator[None]:
    """What orbax logs while the block runs is dropped, and so are its reads that end after it has failed."""
    absl_log, asyncio_log, told_before = logging.getLogger("absl"), logging.getLogger("asyncio"), sys.unraisablehook
    was_disabled = absl_log.disabled

    def drop_late_reads(told: Any) -> None:
        if f"{told.exc_value}" != "Event loop is closed":
            told_before(told)

    absl_log.disabled, sys.unraisablehook = True, drop_late_reads
    asyncio_log.addFilter(_is_no_late_read)
    try:
        yield
        # Not if the block fails: then other threads are still at their reads.
        sys.unraisablehook = told_before
        asyncio_log.removeFilter(_is_no_late_read)
    finally:
        absl_log.disabled = was_disabled


def _is_no_late_read(record: logging.LogRecord) -> bool:
    return "exception was never retrieved" not in record.getMessage()


def _differing_arrays(path: Path, target: Any) -> str:
    """What the checkpoint lacks of the arrays of `target`, or holds beside them; nothing where it is only damaged."""
    try:
        saved = _names(ocp.StandardCheckpointHandler().metadata(path).tree)  # type: ignore[arg-type]
    except Exception:  # whatever orbax raises where its own records are damaged
        return ""
    wanted = _names(target)
    lacking, unknown = sorted(wanted - saved), sorted(saved - wanted)
    parts = [f"it {verb} {names[0]}" for verb, names in (("lacks", lacking), ("holds", unknown)) if names]
    return ", ".join(parts)


def _names(tree: Any) -> set[str]:
    """The name of each leaf, such as "replay.rows"."""
    return {jax.tree_util.keystr(path, simple=True, separator=".") for path, _ in jax.tree.leaves_with_path(tree)}
