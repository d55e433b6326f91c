"""The training command: a line and an exit code for every wrong call, and a real run from Ctrl-C to its report."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from xla_flags import COMPILES_QUICKLY

from configs import PRESETS
from experiments import train as command
from research.training.config import RunConfig, read_config, write_config
from research.training.errors import TrainingError
from research.training.loop import RunSummary

ROOT = Path(__file__).parent.parent.parent
SMALL = [
    *("--network.num-blocks", "0", "--network.num-channels", "4", "--network.num-value-units", "4"),
    *("--search.num-simulations", "2", "--self-play.num-games", "8", "--self-play.rollout-length", "8"),
    *("--replay.num-rollouts", "2", "--batch-size", "16", "--num-updates", "2", "--evaluation.match.num-games", "4"),
    *("--num-devices", "1"),
]


def call(*words: str) -> int:
    """The exit code of the command in this process."""
    try:
        return command.main(list(words))
    except SystemExit as error:
        return int(error.code or 0)


class Recorder:
    """Stands in for the loop: remembers how it was called."""

    def __init__(self, error: Exception | None = None) -> None:
        """Raises `error` when called, if one is given."""
        self.calls: list[tuple[RunConfig, Path, bool]] = []
        self.error = error

    def __call__(self, config: RunConfig, directory: Path, *, resume: bool, progress: Any) -> RunSummary:
        """As `research.training.loop.train`."""
        self.calls.append((config, directory, resume))
        if self.error is not None:
            raise self.error
        return RunSummary([], (), {}, 0, was_interrupted=True)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """The loop is not run."""
    recorder = Recorder()
    monkeypatch.setattr(command, "train", recorder)
    return recorder


def test_help_lists_the_settings_and_exits_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["-h"], ["tictactoe", "--help"]):
        assert call(*words) == 0
        out = capsys.readouterr().out
        for option in ("--resume", "--num-iterations", "--search.num-simulations", "--optimizer.learning-rate"):
            assert option in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tictacto"], "got tictacto; did you mean tictactoe?"),
        (["qqq"], f"wanted a preset ({', '.join(PRESETS)}), got qqq"),
    ],
)
def test_an_unknown_preset_is_one_line_with_the_near_name(
    capsys: pytest.CaptureFixture[str], recorder: Recorder, words: list[str], message: str
) -> None:
    assert call(*words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert out == ""
    assert not recorder.calls


@pytest.mark.parametrize(
    ("words", "messages"),
    [
        (["--search.num-simulation", "5"], ["num-simulation", "--search.num-simulations"]),
        (["--learning-rate", "5"], ["Unrecognized options", "--optimizer.learning-rate"]),
        (["--search.num-simulations", "-5"], ["num_simulations is -5; allowed: 0 or more"]),
        (["--batch-size", "many"], ["--batch-size", "many"]),
        (["--optimizer.name", "adamw"], ["--optimizer.name", "adam", "sgd"]),
        (["--encoder", "tictactow"], ["tictactow", "tictactoe"]),
        (["--encoder", "agz17"], ["agz17", "TicTacToe"]),
        (["--game.size", "9"], ["size is 9; it must be 3 to 5"]),
        (["--name", "a/b"], ["it must be a plain folder name"]),
    ],
)
def test_a_wrong_setting_is_named_and_nothing_runs(
    capsys: pytest.CaptureFixture[str], recorder: Recorder, words: list[str], messages: list[str]
) -> None:
    assert call("tictactoe", *words) == 2
    err = " ".join(capsys.readouterr().err.replace("│", " ").split())
    for message in messages:
        assert message in err
    assert "Traceback" not in err
    assert not recorder.calls


def test_a_setting_that_does_not_split_over_the_devices_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert call("tictactoe", "--runs", str(tmp_path / "runs"), "--batch-size", "250", "--num-devices", "4") == 2
    err = capsys.readouterr().err
    assert err == "error: batch_size is 250; it must be a multiple of the 4 devices\n"
    assert not (tmp_path / "runs").exists()


def test_any_field_can_be_overridden(recorder: Recorder, tmp_path: Path) -> None:
    words = ["--seed", "7", "--search.num-simulations", "3", "--game.size", "4", "--evaluation.match.num-games", "6"]
    assert call("tictactoe", "--runs", str(tmp_path), *words) == 0
    ((config, directory, resume),) = recorder.calls
    assert (config.seed, config.search.num_simulations, config.evaluation.match.num_games) == (7, 3, 6)
    assert (config.make_game().num_actions, config.num_updates) == (16, PRESETS["tictactoe"]().num_updates)
    assert (directory, resume) == (tmp_path / "tictactoe", False)


def test_a_preset_takes_the_next_free_folder_and_resume_goes_on_with_the_newest(
    recorder: Recorder, tmp_path: Path
) -> None:
    runs = ["--runs", str(tmp_path)]
    assert call("tictactoe", *runs) == 0
    for name in ("tictactoe", "tictactoe-2"):
        write_config(PRESETS["tictactoe"](), tmp_path / name / "config.json")
    assert call("tictactoe", *runs) == 0
    assert call("tictactoe", *runs, "--resume") == 0
    assert call("tictactoe", *runs, "--resume", "--name", "tictactoe-7") == 0
    called = [(directory.name, config.name, resume) for config, directory, resume in recorder.calls]
    assert called == [
        ("tictactoe", "tictactoe", False),
        ("tictactoe-3", "tictactoe-3", False),
        ("tictactoe-2", "tictactoe-2", True),
        ("tictactoe-7", "tictactoe-7", True),
    ]


def test_resuming_what_is_not_there_says_that_a_new_run_begins(
    recorder: Recorder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("tictactoe", "--runs", str(tmp_path), "--resume", "--name", "new") == 0
    line = f"there is no run in {tmp_path / 'new'} to go on with: this run starts from the beginning\n"
    assert line in capsys.readouterr().out
    assert recorder.calls[0][2]


def test_a_folder_asked_for_by_name_is_never_overwritten(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write_config(PRESETS["tictactoe"](), tmp_path / "mine" / "config.json")
    assert call("tictactoe", "--runs", str(tmp_path), "--name", "mine", "--seed", "3", "--num-devices", "1") == 2
    err = capsys.readouterr().err
    assert "mine holds a run already; add --resume to go on with it, or give another --name" in err
    assert err.count("\n") == 1
    assert read_config(tmp_path / "mine" / "config.json").seed == 0


def test_training_that_breaks_is_one_line_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "train", Recorder(TrainingError("iteration 7: loss is not a finite number")))
    assert call("tictactoe", "--runs", str(tmp_path)) == 1
    assert capsys.readouterr().err == "error: iteration 7: loss is not a finite number\n"


def in_shell(cache: Path, *words: str) -> subprocess.Popen[str]:
    """The command as a person starts it."""
    environment = os.environ | {
        "XLA_FLAGS": " ".join(COMPILES_QUICKLY),
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "COLUMNS": "200",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "experiments.train", *words],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_real_run_stopped_by_ctrl_c_goes_on_and_leaves_its_report(tmp_path: Path) -> None:
    words = ["tictactoe", "--runs", str(tmp_path / "runs"), *SMALL]
    endless = ("--num-iterations", "100000", "--checkpoint-interval", "100000", "--optimizer.schedule", "constant")
    first = in_shell(tmp_path / "cache", *words, *endless)
    directory = tmp_path / "runs" / "tictactoe"
    metrics = directory / "metrics.jsonl"
    while first.poll() is None and not (metrics.exists() and metrics.read_text().count("\n") >= 2):
        time.sleep(0.01)
    first.send_signal(signal.SIGINT)
    out, err = first.communicate(timeout=120)
    assert (first.returncode, err) == (0, "")
    num_iterations = metrics.read_text().count("\n")
    assert f"SIGINT: saved at iteration {num_iterations}; --resume goes on from here" in out

    # The run's own settings need not be said again.
    second = in_shell(tmp_path / "cache", *words[:3], "--num-iterations", str(num_iterations + 3), "--resume")
    out, err = second.communicate(timeout=240)
    assert (second.returncode, err) == (0, "")
    assert f"resumed at iteration {num_iterations}" in out
    iterations = [json.loads(line)["iteration"] for line in metrics.read_text().splitlines()]
    assert iterations == list(range(1, num_iterations + 4))
    matches = json.loads((directory / "matches.json").read_text())
    for match in matches:
        games = [
            match[f"{result}_as_{colour}"] for result in ("wins", "draws", "losses") for colour in ("black", "white")
        ]
        assert sum(games) == 4
        assert match["first"] in out
    assert (directory / "learning_curves.png").read_bytes().startswith(b"\x89PNG")
    assert {path.name for path in tmp_path.joinpath("runs").iterdir()} == {"tictactoe"}


def test_resume_takes_the_named_run_or_the_newest_whatever_is_missing(recorder: Recorder, tmp_path: Path) -> None:
    for name in ("tictactoe", "tictactoe-3", "tictactoe-10", "tictactoe-x", "tictactoe-03"):
        (tmp_path / name).mkdir()
    runs = ("--runs", str(tmp_path))
    assert call("tictactoe", *runs, "--resume") == 0
    assert call("tictactoe", *runs, "--resume", "--name", "tictactoe") == 0
    assert call("tictactoe", *runs, "--resume", "--name=tictactoe-3") == 0
    assert call("tictactoe", *runs) == 0
    names = ["tictactoe-10", "tictactoe", "tictactoe-3", "tictactoe-11"]
    assert [directory.name for _, directory, _ in recorder.calls] == names


def test_what_suits_the_run_alone_is_no_fault_when_it_is_resumed(recorder: Recorder, tmp_path: Path) -> None:
    planes = ("--encoder", "katago22", "--encoder-options", "ladders=False")
    resumed = ("smoke5", "--runs", str(tmp_path), "--name=other", "--resume")
    config = command.parse(["smoke5", *planes]).config
    (tmp_path / "other").mkdir()
    write_config(config, tmp_path / "other" / "config.json")
    assert call(*resumed, "--encoder-options", "ladders=False") == 0
    ((found, directory, resume),) = recorder.calls
    assert (found.encoder, found.encoder_options) == ("katago22", ("ladders=False",))
    assert (directory.name, resume) == ("other", True)


def test_a_place_that_cannot_be_read_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("tictactoe", "--name", "x" * 300, "--resume") == 2
    assert capsys.readouterr().err.startswith("error: ")
