"""The commands for matches and ratings: from a call to its table, what a folder keeps, wrong calls.

*Source:* none.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import elo, match, match_players
from experiments.match_folder import MatchFolder
from research.evaluation.gnugo import gnugo_path
from research.go.rules import Rules
from research.interop import sgf

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "scripted_engine.py"
ONE = f"one={sys.executable} -S {SCRIPT} --moves B2"
TWO = f"two={sys.executable} -S {SCRIPT}"
FAST = ["--size", "3", "--komi", "0.5", "--opening-plies", "0"]
needs_gnugo = pytest.mark.skipif(gnugo_path() is None, reason="GNU Go is not installed (Debian: apt install gnugo)")


def call(folder: Path, *words: str, players: tuple[str, str] = (ONE, TWO)) -> int:
    return match.main([*players, *FAST, "--folder", str(folder), *words])


def test_a_match_prints_its_table_and_keeps_its_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "--num-games", "4", "--parallel", "2") == 0
    output, progress = capsys.readouterr()
    assert "4 of 4 games, 3x3, komi 0.5, chinese-ogs" in output
    assert "both              4   4-0-0   100.0%   100.0%" in output
    assert "warning: most games repeat others" not in output
    assert "game 1: one (Black) against two: B+8.5, two passes, 3 moves" in progress
    records = MatchFolder(tmp_path).records()
    assert [records[number].result for number in (1, 2, 3, 4)] == ["B+8.5", "W+9.5"] * 2
    assert elo.main([str(tmp_path), "--anchor", "two=100", "--picture", str(tmp_path / "elo.png")]) == 0
    output = capsys.readouterr().out
    assert "two is set to its rating" in output
    assert "not counted: 0 records without players or result, 2 games that repeat another" in output
    assert (tmp_path / "elo.png").read_bytes().startswith(b"\x89PNG")


def test_a_match_goes_on_with_the_games_that_are_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "--num-games", "4") == 0
    games = MatchFolder(tmp_path)
    games.game_path(2).unlink()
    kept = {number: games.game_path(number).stat().st_mtime_ns for number in (1, 3, 4)}
    (tmp_path / "games" / ".0002.sgf.123.partial").write_text("(;GM[1]SZ")
    capsys.readouterr()
    assert call(tmp_path, "--num-games", "6") == 0
    output, progress = capsys.readouterr()
    assert "3 games are there, 3 to go" in progress
    assert [line.split(":")[0] for line in progress.splitlines() if line.startswith("game ")] == [
        "game 2",
        "game 5",
        "game 6",
    ]
    assert {number: games.game_path(number).stat().st_mtime_ns for number in kept} == kept
    assert "6 of 6 games" in output
    assert call(tmp_path, "--num-games", "2") == 0
    assert "2 of 2 games" in capsys.readouterr().out


@pytest.mark.slow
def test_a_match_that_is_killed_goes_on(tmp_path: Path) -> None:
    slow = f"one={sys.executable} {SCRIPT} --moves B2"
    command = [sys.executable, "-m", "experiments.match", slow, TWO, *FAST, "--num-games", "40"]
    command += ["--folder", str(tmp_path), "--parallel", "2"]
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    for number in (1, 10, 20):
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        while len(MatchFolder(tmp_path).records()) < number:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = {path: path.read_bytes() for path in (tmp_path / "games").glob("*.sgf")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "40 of 40 games" in done.stdout
    assert {path: path.read_bytes() for path in kept} == kept
    assert sorted(MatchFolder(tmp_path).records()) == list(range(1, 41))


@pytest.mark.slow
def test_ctrl_c_ends_engines_prints_the_table_and_says_how_to_go_on(tmp_path: Path) -> None:
    hanging = f"two={sys.executable} {SCRIPT} --moves 'pass hang' --child {tmp_path / 'child'}"
    command = [sys.executable, "-m", "experiments.match", ONE, hanging, *FAST, "--folder", str(tmp_path)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"JAX_PLATFORMS": "cpu"}, stdout=-1, stderr=-1, text=True
    )
    while 1 not in MatchFolder(tmp_path).records():
        time.sleep(0.05)
    time.sleep(1.0)  # it hangs in the second game
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "1 of 20 games" in output
    assert errors.endswith("the same command plays those that are missing\nstopped\n")
    assert "Traceback" not in errors
    time.sleep(0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "child").read_text()), 0)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--num-games", "3"], "num_games is 3; allowed: an even number, 2 or more"),
        (["--size", "1"], "size=1"),
        (["--komi", "0.3"], "komi=0.3"),
        (["--rules", "nobodys"], "rules is 'nobodys': Unknown rules 'nobodys'"),
        (["--openings", "nowhere"], "nowhere: cannot be read"),
        (["--arbiter", "no such thing"], "no such thing: wanted random, a run's folder"),
        (["--parallel", "0"], "parallel is 0"),
    ],
)
def test_a_wrong_call_is_one_line(
    words: list[str], fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(tmp_path, *words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {fault}")
    assert captured.err.count("\n") == 1


def test_a_folder_of_another_match_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, "--num-games", "2") == 0
    capsys.readouterr()
    assert call(tmp_path, "--num-games", "2", "--seed", "1") == 2
    assert "holds a match with seed 0; asked for is 1: give another --folder" in capsys.readouterr().err
    (tmp_path / "match.json").write_text("[")
    assert call(tmp_path, "--num-games", "2") == 2
    assert "match.json: no description of a match" in capsys.readouterr().err


def test_two_processes_do_not_play_one_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with MatchFolder(tmp_path).opened({}):
        assert call(tmp_path) == 2
    assert "another process plays this match" in capsys.readouterr().err


def test_an_engine_that_cannot_begin_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(tmp_path, players=(ONE, f"{TWO} --refuse 'boardsize 3'")) == 2
    assert capsys.readouterr() == ("", "error: two refuses 'boardsize 3': I would rather not\n")


def test_players_are_read_from_short_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(text: str) -> tuple[str, str]:
        player = match_players.read_player(text, Rules(size=9), seed=4)
        return player.name, " ".join(player.command).replace(sys.executable, "python")

    monkeypatch.chdir(tmp_path)
    Path("run").mkdir()
    Path("run/config.json").write_text("{}")
    Path("net.bin.gz").write_bytes(b"")
    ours = "python -m experiments.gtp"
    assert read("random") == ("random", f"{ours} --player random --size 9 --seed 4")
    assert read("run") == ("run", f"{ours} --checkpoint run --seed 4")
    assert read("new=run@30:64") == ("new", f"{ours} --checkpoint run --iteration 30 --num-simulations 64 --seed 4")
    assert read("run:policy") == ("run:policy", f"{ours} --checkpoint run --player policy --seed 4")
    assert read("net.bin.gz:policy") == ("net:policy", f"{ours} --katago net.bin.gz --player policy --seed 4")
    Path("far/away").mkdir(parents=True)
    Path("far/away/b6c96-d26.bin.gz").write_bytes(b"")
    assert read("far/away/b6c96-d26.bin.gz")[0] == "b6c96-d26"
    assert read("net=net.bin.gz") == ("net", f"{ours} --katago net.bin.gz --seed 4")
    assert read("cat=cat --level=3 'a b'") == ("cat", "cat --level=3 a b")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("nowhere", "nowhere: wanted random, a run's folder"),
        ("gnugo:strong", "gnugo:strong: wanted a level"),
        ("'", "no command line"),
        ("", "an empty player"),
    ],
)
def test_a_player_that_is_none_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        match_players.read_player(text, Rules(size=9))


@pytest.mark.parametrize("text", ["strong", "=5", "a=", "a=b", "a=nan"])
def test_an_anchor_without_a_number_is_refused(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_bytes(sgf.write(sgf.from_actions([0], Rules(size=3), result="B+1")))
    assert elo.main([str(tmp_path), "--anchor", text]) == 2
    assert "wanted NAME=ELO" in capsys.readouterr().err
    assert elo.main([str(tmp_path)]) == 2
    assert elo.main([str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.count("error: ") == 2


@pytest.mark.slow
@needs_gnugo
def test_gnugo_at_its_best_beats_gnugo_at_its_worst_and_agrees_on_every_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match.main(["gnugo:10", "gnugo:0", "--num-games", "20", "--size", "9", "--folder", str(tmp_path)]) == 0
    records = list(MatchFolder(tmp_path).records().values())
    wins = sum((record.winner == "black") == (record.root.properties["PB"] == ["gnugo:10"]) for record in records)
    assert wins > 10
    assert all(len(record.root.properties["GC"][0].splitlines()) == 2 for record in records)
    assert "20 of 20 games" in capsys.readouterr().out


@pytest.mark.slow
@needs_gnugo
def test_chance_loses_every_game_against_gnugo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert match.main(["random", "gnugo:1", "--num-games", "4", "--size", "7", "--folder", str(tmp_path)]) == 0
    assert "0-0-4" in capsys.readouterr().out


@pytest.mark.slow
def test_two_engines_of_ours_meet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"chance={sys.executable} -m experiments.gtp --player random --seed 9"
    assert match.main(["random", command, "--num-games", "6", "--size", "4", "--folder", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert "6 games, 6 of them distinct" in captured.out
    assert "forfeit" not in captured.out
    assert "referee" not in captured.out  # all agree on every score
