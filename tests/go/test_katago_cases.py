"""KataGo's rules tests on research.go itself: legal flags, ko bans, legal moves, boards, ends, scores, rule set names.

All square boards of tests/data/katago_rules.json are played; rectangular ones are for the referee alone
(test_referee.py). What a case holds beyond our rules is skipped, and by kind: see katago_cases.py, and the report that
`-rA` prints. The cases on 9x9 and 12x12 are marked slow, as each size and rule set has to be compiled.

*Source:* tests/data/README.md.
"""

import numpy as np
import pytest
from engines import OnDevice
from katago_cases import Comparison, load, run_case
from pass_alive import has_pass_dead_stones
from referee import new_game

from research import go

SQUARE_CASES = [case for case in load("rules") if case["size"][0] == case["size"][1]]
FAST_CASES = [case for case in SQUARE_CASES if case["size"][0] <= 7]
SLOW_CASES = [case for case in SQUARE_CASES if case["size"][0] > 7]
FIRST_OF_NAME = {"tromp-taylor", "chinese", "chinese-ogs", "aga", "new-zealand"}
NAMED_RULES = [(name, case["rules"]) for case in load("named_rules") for name in case["names"] if name in FIRST_OF_NAME]
AREA_BOARDS = [
    (case, expected)
    for case in load("areas")
    for expected in case["expected"]
    if case["size"][0] == case["size"][1] and not expected["suicide_legal"]
]


@pytest.mark.parametrize("case", FAST_CASES, ids=lambda case: case["id"])
def test_katagos_games_go_as_katago_says(case: dict) -> None:
    check(run_case(case, OnDevice))


@pytest.mark.slow
@pytest.mark.parametrize("case", SLOW_CASES, ids=lambda case: case["id"])
def test_katagos_games_on_bigger_boards_go_as_katago_says(case: dict) -> None:
    check(run_case(case, OnDevice))


def check(comparison: Comparison) -> None:
    """Nothing may differ; says what was compared and what was not."""
    print("compared", dict(comparison.compared))
    print("skipped", dict(comparison.skipped))
    assert not comparison.differences, "\n".join(comparison.differences)
    assert comparison.compared["legality of a move"] > 0


@pytest.mark.parametrize(("case", "expected"), AREA_BOARDS, ids=lambda part: part.get("id", ""))
def test_areas_are_katagos_where_no_stone_is_pass_dead(case: dict, expected: dict) -> None:
    size = case["size"][0]
    if has_pass_dead_stones(new_game(size, board="".join(case["board"]))):
        pytest.skip("KataGo takes the pass-dead stones off, pure Tromp-Taylor does not")
    rules = go.Rules(size=size, komi=0.0)
    area = "".join(expected["area"])
    score = go.Go(rules).score(go.from_text(rules, "\n".join(case["board"])))
    assert float(score) == area.count("X") - area.count("O")


@pytest.mark.parametrize(("name", "expected"), NAMED_RULES)
def test_named_rule_sets_are_katagos(name: str, expected: dict) -> None:
    rules = go.rules_named(name, size=19, komi=None)
    assert rules.size == 19
    assert rules.ko == expected["ko"].lower()
    assert rules.suicide == expected["multi_stone_suicide"]
    assert rules.komi == expected["komi"]
    assert go.rules_named(name, size=9, komi=0.5).komi == 0.5
    assert np.isclose(float(go.Go(rules).init().komi), expected["komi"])
