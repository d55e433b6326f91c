"""Files of a run, written so that a reader never sees half of one.

A file is written beside its final name and renamed over it, which the file system does in one step. Lines of
metrics.jsonl are appended; a line cut short by a crash is dropped when the run resumes.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Generator, Iterable
from pathlib import Path

from research.training.errors import RunError


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write `content` to `path`, or leave what was there; *Raises:* OSError that names `path`."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


@contextlib.contextmanager
def owned(directory: Path) -> Generator[None]:
    """Keep other processes from training in `directory` while the block runs; a killed process lets go too.

    Raises: RunError if another process is at it, or the folder cannot be made.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError as error:
        raise RunError(f"{directory}: no place for a run ({error.strerror}); give another --runs or --name") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            message = f"another process is training in {directory}; wait for it, or give another --name"
            raise RunError(message) from error
        yield
    finally:
        os.close(descriptor)


def append_line(path: Path, record: dict) -> None:
    """Append `record` to a JSON-lines file."""
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


def write_lines(path: Path, records: Iterable[dict]) -> None:
    """Write a JSON-lines file anew, atomically."""
    write_atomically(path, "".join(json.dumps(record) + "\n" for record in records))


def read_lines(path: Path) -> list[dict]:
    """The records of a JSON-lines file in order; a last line that was cut short is left out; [] if there is no file.

    Raises: RunError naming file and line where a line before the last is damaged.
    """
    if not path.exists():
        return []
    if not path.is_file():
        raise RunError(f"{path}: wanted a file; move away what is there")
    lines = path.read_bytes().splitlines()
    records = []
    for number, line in enumerate(lines, start=1):
        record = _record(line)
        if record is not None:
            records.append(record)
        elif number < len(lines):
            raise RunError(f"{path}, line {number}: wanted a JSON object, got {line[:60]!r}")
    return records


def _record(line: bytes) -> dict | None:
    """The JSON object that `line` holds, None if it does not."""
    try:
        record = json.loads(line)
    except ValueError:  # no JSON, or not even text
        return None
    return record if isinstance(record, dict) else None
