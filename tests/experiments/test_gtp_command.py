"""The GTP command: clients' start-up sequences through a real process, wrong calls, and a run's network.

*Source:* the sequences that GoGui's twogtp, Sabaki and Lizzie send when they start.
"""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

from configs import PRESETS
from experiments import gtp as command
from research.evaluation.katago_thinker import KataGoThinker
from research.networks import NetworkConfig, make_network
from research.training.trained import Trained

ROOT = Path(__file__).parent.parent.parent
TWOGTP = """protocol_version
name
version
list_commands
boardsize 5
clear_board
komi 6.5
time_settings 60 0 0
fixed_handicap 2
genmove b
play w C3
genmove b
undo
final_score
final_status_list dead
cputime
"""
SABAKI = """name
version
protocol_version
list_commands
komi 7.5
boardsize 9
clear_board
play B E5
play W pass
analyze B 10
protocol_version
genmove_analyze B 10
genmove W
undo
"""
LIZZIE = """1 name\r
2 version\r
3 boardsize 19 19\r
4 komi 7.5\r
5 lz-analyze 10\r
6 name\r
7 play b q16\r
8 lz-analyze w 10 # comment\r
9 lz-genmove_analyze w 10\r
10 time_settings 0 1 1\r
\r
11 undo\r
12 loadsgf nothing\r
13 kata-get-rules\r
14 quit\r
"""


def test_clients_start_a_real_process_and_get_replies_alone_on_stdout() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.gtp", "--player", "random", "--seed", "3"],
        cwd=ROOT,
        env=os.environ | {"JAX_PLATFORMS": "cpu"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write((TWOGTP + SABAKI + LIZZIE).encode())
    process.stdin.flush()
    # stdin stays open: the process must end by itself when it is told to quit
    replies = process.stdout.read().decode().split("\n\n")
    assert process.wait(timeout=60) == 0
    assert process.stderr.read().decode() == "Miai random: ready\n"
    process.stdin.close()
    process.stdout.close()
    process.stderr.close()
    assert replies.pop() == ""

    commands = [line.split("#")[0].split() for line in (TWOGTP + SABAKI + LIZZIE).split("\n") if line.strip()]
    assert len(replies) == len(commands)
    for words, reply in zip(commands, replies, strict=True):
        number = words.pop(0) if words[0].isdecimal() else ""
        refused = words[0] in ("fixed_handicap", "loadsgf")
        assert reply.startswith(("?" if refused else "=") + number), (words, reply)
        lines = reply.split("\n")
        if "analyze" in words[0]:
            assert lines[0] == "=" + number
            assert lines[1].startswith("info move ")
            assert (lines[-1].split()[0] == "play") == ("genmove" in words[0])
        elif words[0] != "list_commands":
            assert len(lines) == 1


def test_input_is_read_line_by_line_and_its_end_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks = [b"na", b"me\nkomi 1\n\xff", b"x", b"\nquit", b""]
    monkeypatch.setattr(command.os, "read", lambda descriptor, size: chunks.pop(0))
    assert list(command.input_lines()) == ["name", "komi 1", "�x", "quit"]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "wanted --checkpoint with a run's folder, --katago with a network's file, or --player random"),
        (["--katago", "nowhere.bin.gz"], "nowhere.bin.gz: cannot be read: No such file or directory"),
        (["--katago", "README.md"], "README.md: header ('#'), at byte 2 of the unpacked file: wanted version"),
        (["--checkpoint", "nowhere"], "nowhere: wanted a run's folder"),
        (["--player", "random", "--size", "20"], "size=20"),
        (["--player", "random", "--komi", "0.3"], "komi=0.3"),
        (["--player", "random", "--rules", "nobodys"], "Unknown rules 'nobodys'"),
    ],
)
def test_a_wrong_call_is_one_line(
    words: list[str], fault: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "replies_only", io.StringIO)
    assert command.main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert fault in captured.err
    assert captured.err.count("\n") == 1


def test_a_runs_network_plays_by_its_search_and_by_its_policy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(directory: Path, iteration: int | None) -> Trained:
        small = NetworkConfig(num_blocks=0, num_channels=4, num_value_units=4)
        config: Any = PRESETS["smoke5"]()
        game, encoder = config.make_game(), config.make_encoder()
        network = make_network(small, game.board_shape, encoder.num_planes, game.num_actions)
        return Trained(config, game, encoder, network, network.init(jax.random.key(0)), 1)

    monkeypatch.setattr(command, "load_trained", load)
    monkeypatch.setattr(command, "input_lines", lambda: iter(["name", "get_komi", "genmove b", "boardsize 9"]))
    assert command.make_thinker(command.Options(Path("runs/mine")))[0].searches
    assert not command.make_thinker(command.Options(Path("runs/mine"), num_simulations=0))[0].searches
    output = io.StringIO()
    command.play(command.Options(Path("runs/mine"), player="policy"), output)
    name, komi, move, size = output.getvalue().split("\n\n")[:-1]
    assert (name, komi, size) == ("= Miai mine", "= 6.5", "? unacceptable size")
    assert move.startswith("= ")
    assert "compiling for 5x5" in capsys.readouterr().err


def test_a_katago_network_plays_every_size_by_search_or_by_its_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = ROOT / "tests/data/katago/networks/tiny-b1c6nbt-v11-mish.bin.gz"
    thinker, rules = command.make_thinker(command.Options(katago=tiny))
    assert (thinker.name, thinker.searches, rules.size, rules.ko) == ("Miai b1c6nbt", True, 19, "positional")
    assert thinker.can_play(2)
    assert not command.make_thinker(command.Options(katago=tiny, player="policy"))[0].searches
    assert not command.make_thinker(command.Options(katago=tiny, num_simulations=0))[0].searches
    by_default, thinks_on = (
        command.make_thinker(command.Options(katago=tiny, rule=rule))[0] for rule in (None, "puct")
    )
    assert isinstance(by_default, KataGoThinker)
    assert isinstance(thinks_on, KataGoThinker)
    assert (by_default.keeps_trees, by_default.deepens) == (False, False), "Gumbel without noise says all at once"
    assert (thinks_on.keeps_trees, thinks_on.deepens) == (True, True)
    noisy, _ = command.make_thinker(command.Options(katago=tiny, gumbel_scale=0.5))
    assert noisy.deepens
    with pytest.raises(ValueError, match="num_leaves is 0"):
        command.make_thinker(command.Options(katago=tiny, num_leaves=0))
    with pytest.raises(ValueError, match="num_simulations is -1"):
        command.make_thinker(command.Options(katago=tiny, num_simulations=-1))
    lines = ["boardsize 9", "kata-set-rules chinese", "komi 7", "play b e5", "get_komi", "kata-raw-nn 9", "name"]
    monkeypatch.setattr(command, "input_lines", lambda: iter(lines))
    output = io.StringIO()
    command.play(command.Options(katago=tiny), output)  # nothing of this needs the network
    assert output.getvalue().split("\n\n")[4:-1] == [
        "= 7.0",
        "? Expected one argument 'all' or symmetry index [0-7] for kata-raw-nn but got '9'",
        "= Miai b1c6nbt",
    ]


def test_ctrl_c_ends_the_engine_in_one_line() -> None:
    words = [sys.executable, "-m", "experiments.gtp", "--player", "random", "--size", "5"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("kata-analyze b 10\n")
        process.stdin.flush()
        assert process.stdout.readline() == "=\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "stopped"
    assert "Traceback" not in errors
