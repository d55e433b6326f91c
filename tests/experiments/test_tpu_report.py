"""The TPU report: a line and an exit code for every wrong call; with libtpu, the step compiled for a v5e.

libtpu is loaded in a process of its own, as a person's command loads it, so that the suite's process stays as it was.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest
from rich.console import Console

from configs import PRESETS
from experiments import tpu_report
from experiments.tpu import programs, topology
from experiments.tpu.cycles import Cost, Unpriced
from experiments.tpu.programs import Program
from experiments.tpu.table import Entry, print_report, to_json
from experiments.tpu.topology import GIB, Compiled, Memory
from research import encoders

ROOT = Path(__file__).parent.parent.parent
needs_libtpu = pytest.mark.skipif(
    importlib.util.find_spec("libtpu") is None, reason="libtpu is not installed: pip install 'jax[tpu]'"
)


def call(*words: str) -> int:
    """The exit code of the command in this process."""
    try:
        return tpu_report.main(list(words))
    except SystemExit as error:
        return int(error.code or 0)


def memory(total: int = 100, limit: int = GIB) -> Memory:
    """A program that takes `total` bytes."""
    return Memory(arguments=total - 30, outputs=20, aliased=5, temporaries=10, code=5, limit=limit)


def entry(name: str, cycles: int, *, peer: str = "", indices: int = 0, fits: bool = True) -> Entry:
    """A program of 10 boards that cost so much."""
    unpriced = (Unpriced("gather", 1, indices, 0),) if indices else ()
    program = Program(name, None, (), size=9, batch=10, num_boards=10, peer=peer)
    compiled = Compiled("text", memory(limit=GIB if fits else 99), 1e6, 1.0, "")
    return Entry(program, compiled, Cost(cycles, (), unpriced, (("research/go/moves.py place", cycles),)))


def test_without_libtpu_one_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(topology.importlib.util, "find_spec", lambda _: None)
    assert call() == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: libtpu is not installed")
    assert "pip install 'jax[tpu]'" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--topology", "v9:2x2"], "no TPU topology 'v9:2x2'"),
        (["--topology", "v5e"], "such as v4:2x2x1, v5e:2x2"),
        (["--preset", "go99"], "preset is 'go99'; wanted one of smoke5"),
        (["--batch", "0"], "batch is 0"),
        (["--trips"], "trips is ()"),
        (["--programs", "steps"], "steps"),
    ],
)
def test_a_wrong_call_is_named_and_nothing_compiles(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.setattr(tpu_report, "compile_program", lambda *_: pytest.fail("compiled"))
    assert call(*words) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_program_that_fits_gives_0_and_one_that_does_not_1(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [Program("small", None, (), size=9, batch=4, num_boards=4)]
    monkeypatch.setattr(tpu_report, "devices_of", lambda _: ["device"])
    monkeypatch.setattr(tpu_report, "planned", lambda *_: iter(plans))
    text = "ENTRY %main (x: s32[]) -> s32[] {\n  ROOT %x = s32[]{:T(128)} parameter(0)\n}\n"
    for compiled, code in (
        (Compiled(text, memory(100), 1.0, 0.1, ""), 0),
        (Compiled(text, memory(100, limit=100), 1.0, 0.1, ""), 0),
        (Compiled(text, memory(101, limit=100), 1.0, 0.1, ""), 1),
        (Compiled("", None, None, 0.1, "RESOURCE_EXHAUSTED: Ran out of memory on HBM"), 1),
    ):
        monkeypatch.setattr(tpu_report, "compile_program", lambda *_, compiled=compiled: compiled)
        assert call() == code


def test_the_compilers_refusal_for_want_of_memory_is_reported_and_other_errors_are_raised() -> None:
    class Refusing:
        def __init__(self, message: str) -> None:
            self.message = message

        def lower(self, *_: Any) -> None:
            raise jax.errors.JaxRuntimeError(self.message)

    refused = topology.compile_program(Refusing("RESOURCE_EXHAUSTED: Ran out of memory\nin hbm"), (), "v5e:2x2")
    assert refused.refusal == "RESOURCE_EXHAUSTED: Ran out of memory in hbm"
    assert (refused.memory, refused.text) == (None, "")
    with pytest.raises(jax.errors.JaxRuntimeError, match="INTERNAL"):
        topology.compile_program(Refusing("INTERNAL: broken"), (), "v5e:2x2")


def test_memory_counts_what_is_written_over_donated_arguments_once() -> None:
    assert memory(100).total == 100
    assert memory(100, limit=99).fits is False


def test_the_ratio_is_the_peers_cycles_over_ours_with_and_without_indices() -> None:
    entries = [entry("Pgx, step", 1000, indices=100), entry("step, simple ko", 100, peer="Pgx, step", indices=50)]
    peer, ours = to_json(entries, "v5e:2x2", {})["programs"]
    assert peer["ratio_to_peer"] is None
    assert (ours["cycles_a_board"], ours["ratio_to_peer"]) == (10, 10)
    assert ours["cycles_of_indices"] == [50 * 9, 50 * 18]
    assert ours["ratio_to_peer_with_indices"] == pytest.approx((1000 + 1800) / (100 + 900))


def test_the_printed_report_says_cycles_memory_and_what_has_no_price(capsys: pytest.CaptureFixture[str]) -> None:
    refused = Entry(entry("big", 0).program, Compiled("", None, None, 1.0, "too little memory"), None)
    entries = [entry("step, simple ko", 10_000, indices=50), entry("large", 10, fits=False), refused]
    print_report(entries, "v5e:2x2", Console(width=100))
    out = capsys.readouterr().out
    for expected in ("1,000", "1,090", "unpriced gather: 1 runs, 50 indices", "100% research/go/moves.py place"):
        assert expected in out
    assert "refused: too little memory" in out
    rows = {line.split("  ")[0].strip(): line.split() for line in out[out.index("MiB") :].splitlines()}
    assert [rows[name][-2] for name in ("step, simple ko", "large", "big")] == ["yes", "no", "no"]


def test_every_part_of_a_run_is_planned_without_computing_it() -> None:
    config = PRESETS["smoke5"]()
    devices = jax.devices()
    names = [
        (program.name, program.size, program.num_boards)
        for kind in ("step", "ply", "encoder", "network", "search", "train", "run")
        for program in programs.programs_of(kind, config, 8, ("agz17",), devices)  # type: ignore[arg-type]
    ]
    assert names == [
        ("step, simple ko", 5, 8),
        ("step, positional ko", 5, 8),
        ("ply, simple ko", 5, 8),
        ("ply, positional ko", 5, 8),
        ("encoder agz17", 5, 8),
        ("network", 5, 8),
        ("search, 16 simulations", 5, 8),
        ("train", 5, 8),
        ("run: update", 5, 256 // len(devices)),
        ("run: rollout", 5, 64 // len(devices) * 64),
    ]
    assert "agz17" in programs.go_encoders()
    assert "tictactoe" not in programs.go_encoders()


def test_an_encoder_may_be_named_with_options() -> None:
    named = programs.encoder_of("alphago48:ladder_ko=plain,value_plane=True")
    assert named is encoders.get("alphago48", ladder_ko="plain", value_plane=True)
    assert programs.encoder_of("agz17") is encoders.get("agz17")
    for wrong in ("agz17:ladders", "agz17:=1"):
        with pytest.raises(ValueError, match=f"got '{wrong}'; wanted NAME or NAME:OPTION=VALUE"):
            programs.encoder_of(wrong)
    with pytest.raises(ValueError, match="'agz17' has no option 'ladders'"):
        programs.encoder_of("agz17:ladders=False")


def report_of(path: Path, *words: str, timeout_s: float) -> list[dict[str, Any]]:
    """The programs of a report that a process of its own makes for a v5e; each must fit."""
    environment = {name: value for name, value in os.environ.items() if name not in ("XLA_FLAGS", "JAX_PLATFORMS")}
    done = subprocess.run(
        [sys.executable, "-m", "experiments.tpu_report", "--topology", "v5e:2x2", "--json", str(path), *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text())["programs"]


@needs_libtpu
def test_the_step_compiles_for_a_v5e_and_its_cycles_are_told(tmp_path: Path) -> None:
    words = ("--preset", "smoke5", "--batch", "128")
    simple, positional = report_of(tmp_path / "report.json", *words, timeout_s=300)
    assert [simple["program"], positional["program"]] == ["step, simple ko", "step, positional ko"]
    for program in (simple, positional):
        # Every kernel costs at least 1,825 cycles, and a step is a few dozen of them: less means that parsing broke.
        assert 10_000 < program["cycles"] < 500_000
        assert program["fits"]
        assert program["memory_bytes"]["arguments"] > 0
        assert program["functions"]
        # A write at an index of each board's own would be a loop over the batch.
        assert not any(loop["is_serial"] for loop in program["loops"])
    assert simple["cycles"] < positional["cycles"]
    assert len(positional["loops"]) > len(simple["loops"])
    assert {loop["source"] for loop in positional["loops"]} == {"assumed"}


@pytest.mark.slow
@needs_libtpu
def test_a_run_of_go9_compiles_for_a_v5e_and_no_gradient_step_copies_the_replay(tmp_path: Path) -> None:
    words = ("--preset", "go9", "--programs", "run")
    update, rollout = report_of(tmp_path / "report.json", *words, timeout_s=1800)
    assert [update["program"], rollout["program"]] == ["run: update", "run: rollout"]
    config = PRESETS["go9"]()
    samples_a_device = config.replay.num_rollouts * config.self_play.num_games * config.self_play.rollout_length // 4
    replay_bytes = samples_a_device * 128 * 4  # a row of 128 words a sample
    assert update["memory_bytes"]["arguments"] > replay_bytes
    assert update["memory_bytes"]["temporaries"] < replay_bytes
