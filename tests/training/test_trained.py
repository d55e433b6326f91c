"""A run's folder that is none is said in one line, with the runs that may have been meant."""

from pathlib import Path

import pytest

from research.training.config import write_config
from research.training.errors import RunError
from research.training.trained import load_trained
from tests.training.runs import tiny_config


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two runs, and something else."""
    monkeypatch.chdir(tmp_path)
    for name in ("smoke5", "smoke5-2"):
        write_config(tiny_config(), Path("runs", name, "config.json"))
    Path("runs", "matches").mkdir()
    Path("notes.txt").write_text("")
    return Path("runs")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("runs/smoke", "but it does not exist; did you mean runs/smoke5 or runs/smoke5-2?"),
        ("smoke5", "but it does not exist; did you mean runs/smoke5 or runs/smoke5-2?"),
        ("runs/qqq", "but it does not exist"),
        ("nowhere/at/all", "but it does not exist"),
        ("runs/matches", "but it holds no config.json"),
        ("notes.txt", "but it is a file"),
    ],
)
def test_a_path_that_is_no_run_is_one_line(runs: Path, path: str, message: str) -> None:
    with pytest.raises(RunError) as error:
        load_trained(path)
    assert str(error.value) == f"{path}: wanted a run's folder, {message}"


def test_a_run_without_a_checkpoint_says_what_it_has(runs: Path) -> None:
    with pytest.raises(RunError, match=r"runs/smoke5: wanted a checkpoint, it has none"):
        load_trained(runs / "smoke5")
    with pytest.raises(RunError, match=r"runs/smoke5: wanted the checkpoint of iteration 3, it has none"):
        load_trained(runs / "smoke5", 3)
