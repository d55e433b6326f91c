"""The command about KataGo's networks: unpacking, showing, evaluating, and wrong calls in one line.

*Source:* none.
"""

import zipfile
from functools import partial
from pathlib import Path

import jax
import pytest
from networks.katago_networks import B6, made_up, path_of

from configs import PRESETS
from experiments import bench_katago
from experiments import katago as command
from experiments.tpu.programs import programs_of
from research.networks.katago import encoder_for, write_network

TINY = path_of("tiny-b1c6nbt-v11-mish.bin.gz")


def test_networks_are_taken_out_of_a_wheel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = tmp_path / "some-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("some/models/net.bin.gz", path_of(B6).read_bytes())
        archive.writestr("some/models/newer.bin.gz", b"newer\n99\n22\n19\n")
        archive.writestr("some/__init__.py", "")
    folder = tmp_path / "networks"
    assert command.main(["unpack", str(wheel), "--folder", str(folder)]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["net.bin.gz", "newer.bin.gz"]
    assert (folder / "net.bin.gz").read_bytes() == path_of(B6).read_bytes()
    first, second = capsys.readouterr().out.strip().split("\n")
    assert first.endswith(
        f"net.bin.gz: {B6.removesuffix('.bin.gz')}, version 8, 6 blocks, 96 channels, 1,027,911 parameters"
    )
    assert "newer.bin.gz: cannot be played here: newer.bin.gz: header ('newer'), at byte 8" in second


def test_a_network_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["show", str(TINY)]) == 0
    assert capsys.readouterr().out == "b1c6nbt, version 11, 1 blocks, 6 channels, 2,283 parameters\n"


@pytest.mark.slow
def test_a_position_is_evaluated_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command.katago, "encoder_for", partial(encoder_for, ladders=False))  # they compile for long
    board = tmp_path / "board.txt"
    board.write_text("X.\n..\n")
    picture = tmp_path / "board.svg"
    words = ["--board", str(board), "--to-play", "white", "--komi", "0.5", "--rules", "chinese", "--svg", str(picture)]
    assert command.main(["evaluate", str(TINY), *words, "--symmetry", "3"]) == 0
    printed = capsys.readouterr().out
    assert " 2 X . 2\n 1 . . 1\n" in printed
    assert "White to move wins " in printed
    assert len(printed.split("ownership, from 9 (Black's) to -9 (White's):\n")[1].split("\n")) == 4
    assert picture.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["unpack", "README.md"], "README.md: wanted a wheel, which is a zip file"),
        (["unpack", "nowhere.whl"], "nowhere.whl"),
        (["show", "nowhere.bin.gz"], "nowhere.bin.gz: cannot be read: No such file or directory"),
        (["evaluate", str(TINY), "--symmetry", "9"], "symmetry is '9'; allowed: all, or 0 to 7"),
        (["evaluate", str(TINY), "--size", "20"], "the board has 20 rows; allowed are 2 to 19"),
        (["evaluate", str(TINY), "--size", "5", "--komi", "0.3"], "komi=0.3"),
        (["evaluate", str(TINY), "--size", "5", "--rules", "nobodys"], "rules is 'nobodys': Unknown rules"),
        (["evaluate", str(TINY), "--size", "5", "--moves", "Z9"], "Z9"),
        (["evaluate", str(TINY), "--sgf", "nowhere.sgf"], "nowhere.sgf"),
        (["evaluate", str(TINY), "--sgf", "any.sgf", "--size", "9"], "size is 9: a record or a diagram has its own"),
        (["evaluate", str(TINY), "--board", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_a_wrong_call_is_one_line(words: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert fault in error
    assert error.count("\n") == 1


def test_an_empty_wheel_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = tmp_path / "empty.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("some/__init__.py", "")
    assert command.main(["unpack", str(wheel), "--folder", str(tmp_path / "networks")]) == 2
    assert "there is no network in it" in capsys.readouterr().err
    assert not (tmp_path / "networks").exists()


def test_speed_is_measured_of_files_and_designs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.bin.gz"
    write_network(made_up(), path)
    output = tmp_path / "speed.json"
    words = ["--networks", str(path), "--batches", "2", "--size", "3", "--num-rounds", "1", "--output", str(output)]
    assert bench_katago.main(words) == 0
    assert '"evaluations_a_second"' in output.read_text()
    assert bench_katago.main(["--networks", "b99"]) == 2
    assert "b99: wanted a network's file or one of b6c96, b15c192, b18c384nbt" in capsys.readouterr().err


@pytest.mark.slow
def test_the_tpu_report_plans_katagos_designs_without_computing_them() -> None:
    planned = list(programs_of("katago", PRESETS["go9"](), 4, (), jax.devices()))
    assert [(program.name.split(",")[0], program.size, program.batch) for program in planned] == [
        ("b6c96", 9, 4),
        ("b15c192", 9, 4),
        ("b18c384nbt", 9, 4),
    ]
    assert jax.eval_shape(planned[0].function, *planned[0].arguments).policy.shape == (4, 9, 9, 1)
