"""The analysis command: KaTrain's way to call it, what is on stdout, wrong calls.

*Source:* the command line that KaTrain 1.18 makes.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import analysis, gtp
from research.evaluation.analysis_queries import AnalysisConfig

ROOT = Path(__file__).parents[2]
CONFIG = """# as KataGo's example
reportAnalysisWinratesAs = SIDETOMOVE  # for whom
maxVisits = 500
numAnalysisThreads=2

nnCacheSizePowerOfTwo = 20
"""


def test_a_real_process_writes_replies_alone_and_ends_with_its_input() -> None:
    query = {"id": "q", "moves": [["B", "C3"]], "rules": "chinese", "boardXSize": 9, "boardYSize": 9}
    command = [sys.executable, "-m", "experiments.analysis", "--player", "random"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"JAX_PLATFORMS": "cpu"},
        input="\n".join(
            [json.dumps(query | {"includePolicy": True}), '{"id": "v", "action": "query_version"}', "what?"]
        ),
        capture_output=True,
        text=True,
        check=True,
    )
    replies = {reply.get("id"): reply for reply in map(json.loads, done.stdout.splitlines())}
    assert list(map(len, (replies, replies["q"]["policy"]))) == [3, 82]
    assert replies["q"]["rootInfo"]["currentPlayer"] == "W"
    assert "error" in replies[None]
    assert done.stderr == "Miai random: Started, ready to begin handling requests\n"


def test_katagos_words_are_understood(tmp_path: Path) -> None:
    words = analysis.read_words(
        [
            "analysis",
            "-model",
            "m",
            "-config",
            "c",
            "-analysis-threads",
            "12",
            "-override-config",
            "a=b",
            "--seed",
            "-1",
        ]
    )
    assert words == [
        "--model", "m", "--config", "c", "--analysis-threads", "12", "--override-config", "a=b", "--seed", "-1",
    ]  # fmt: skip
    assert analysis.read_words(["--player", "random"]) == ["--player", "random"]


def test_settings_come_from_the_file_and_the_override_counts_more(tmp_path: Path) -> None:
    path = tmp_path / "analysis.cfg"
    path.write_text(CONFIG)
    assert analysis.read_config(analysis.Options(config=path)) == AnalysisConfig("SIDETOMOVE", 500)
    override = "homeDataDir=/somewhere,maxVisits=7, maxTime = 2.5"
    options = analysis.Options(config=path, override_config=override)
    assert analysis.read_config(options) == AnalysisConfig("SIDETOMOVE", 7, 2.5)
    assert analysis.read_config(analysis.Options()) == AnalysisConfig()


def test_a_model_may_be_a_folder_or_a_file_in_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    for options in (
        analysis.Options(model=tmp_path),
        analysis.Options(model=tmp_path / "config.json"),
        analysis.Options(checkpoint=tmp_path),
    ):
        assert analysis.thinker_options(options).checkpoint == tmp_path
    options = analysis.Options(checkpoint=tmp_path, player="policy", num_simulations=3, iteration=2, seed=5)
    assert analysis.thinker_options(options) == gtp.Options(
        tmp_path, iteration=2, player="policy", num_simulations=3, rule="puct", seed=5
    )
    gumbel = analysis.thinker_options(analysis.Options(checkpoint=tmp_path, rule="gumbel", num_leaves=4))
    assert (gumbel.rule, gumbel.num_leaves) == ("gumbel", 4)


def test_a_model_of_katagos_is_its_file(tmp_path: Path) -> None:
    path = tmp_path / "net.bin.gz"
    path.write_bytes(b"")
    options = analysis.thinker_options(analysis.Options(model=path))
    assert (options.checkpoint, options.katago) == (None, path)


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([], "wanted --model with a run's folder or a KataGo network's file, or --player random"),
        (["-model", "a", "--checkpoint", "b"], "wanted --checkpoint or --model, got both"),
        (["-model", "nowhere"], "nowhere: wanted a run's folder"),
        (["-config", "nowhere", "--player", "random"], "config nowhere cannot be read"),
        (["-override-config", "maxVisits=many", "--player", "random"], "maxVisits is 'many'; wanted is a whole number"),
        (["-override-config", "maxVisits=0", "--player", "random"], "max_visits is 0; allowed: 1 or more"),
    ],
)
def test_a_wrong_call_is_one_line(
    words: list[str], fault: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gtp, "replies_only", io.StringIO)
    assert analysis.main(["analysis", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert fault in captured.err
    assert captured.err.count("\n") == 1
