"""The fuzzer's counts are right, and what differs is found and makes it fail.

*Source:* none.
"""

import random

import numpy as np
import pytest
from gnugo import gnugo_path
from many_games import COMBINATIONS, games_of, num_turns_of, played_alike, scores_on_host

from experiments import fuzz


def test_a_run_counts_its_turns_and_finds_one_wrong_view():
    games = games_of(3, "positional", True, 300, random.Random(0))
    differences: list[str] = []
    counts = played_alike(games, differences)
    assert differences == []
    assert counts["turns"] == sum(map(num_turns_of, games)) >= 300
    assert counts["games"] == len(games)
    assert min(counts[event] for event in fuzz.EVENTS) > 0
    wrong = games[1].views[4]
    games[1].views[4] = wrong._replace(legal=~wrong.legal)
    played_alike(games, differences)
    assert len(differences) == 1
    assert "before ply 4" in differences[0]


def test_scores_on_the_host_tell_pass_dead_stones_and_taxes():
    rows = [".X.XO", "XXXXO", "O..XO", "XXXXO", ".X.X."]
    board = np.array([[".XO".index(stone) for stone in row] for row in rows], np.int8)
    scores = dict(zip(COMBINATIONS, scores_on_host(board, suicide=False), strict=True))
    assert scores["area", "none"] == 13 + 4 - 5
    assert scores["area-pass-dead", "none"] == 25
    assert scores["area-pass-dead", "all"] == 25 - 2


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["referee", "--sizes", "5", "99"], "sizes are (5, 99); allowed: one or more of 2 to 19"),
        (["referee", "--num-turns", "0"], "num_turns is 0; allowed: 1 or more"),
        (["gnugo", "--num-games", "-1"], "num_games is -1; allowed: 1 or more"),
        (["gnugo", "--sizes"], "sizes are (); allowed: one or more of 2 to 19"),
        (["finished", "--sizes", "1"], "sizes are (1,); allowed: one or more of 2 to 19"),
    ],
)
def test_nothing_to_compare_is_one_line(words, fault, capsys):
    assert fuzz.main(words) == 2
    assert capsys.readouterr() == ("", f"error: {fault}\n")


@pytest.mark.slow
def test_a_short_run_against_the_referee_covers_every_rule_and_ends_well(capsys):
    assert fuzz.main(["referee", "--num-turns", "4000", "--sizes", "2", "5"]) == 0
    assert "0 games differ" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(gnugo_path() is None, reason="GNU Go is not installed (Debian: apt install gnugo)")
def test_short_runs_against_gnu_go_end_well(capsys):
    assert fuzz.main(["gnugo", "--sizes", "5", "--num-games", "12"]) == 0
    assert fuzz.main(["finished", "--sizes", "7", "7"]) == 0
    assert "2 games (2 on 7x7): 0 differ" in capsys.readouterr().out


@pytest.mark.slow
def test_a_difference_makes_the_run_fail(monkeypatch):
    monkeypatch.setattr(fuzz.many_games, "scored_alike", lambda games, differences: differences.append("no") or {})
    assert fuzz.main(["referee", "--num-turns", "300", "--sizes", "2"]) == 1
