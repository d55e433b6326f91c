"""KataGo's rules tests on research.go itself: legal flags, ko bans, legal moves, boards, ends, scores, rule set names.

All square boards of tests/data/katago_rules.json are played; rectangular ones are for the referee alone
(test_referee.py), with the host's scores. What a case holds beyond our rules is skipped, and by kind: see
katago_cases.py, and the report that `-rA` prints. KataGo's area maps are put to the device and, with the rectangular
ones, to the host. The cases on 9x9 and 12x12 are marked slow, as each size and rule set has to be compiled.

*Source:* tests/data/README.md.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from area_maps import ALL, maps_on_device, maps_on_host, numbers_of, rows_of
from engines import OnDevice
from katago_cases import Comparison, load, run_case

from research import go

SQUARE_CASES = [case for case in load("rules") if case["size"][0] == case["size"][1]]
FAST_CASES = [case for case in SQUARE_CASES if case["size"][0] <= 7]
SLOW_CASES = [case for case in SQUARE_CASES if case["size"][0] > 7]
NAMED_RULES = [(name, case["rules"]) for case in load("named_rules") for name in case["names"]]
AREA_CASES = [case for case in load("areas") if case["group"] == "area_benson"]
LIFE_CASES = [case for case in load("areas") if case["group"] == "area_independent_life"]
TAX_CASES = [case for case in load("areas") if case["group"] == "area_group_tax_scoring"]
Maps = Callable[[np.ndarray, bool], dict[Any, np.ndarray]]
PROGRAMS: list[Maps] = [maps_on_host, maps_on_device]


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


def maps_of(program: Maps, case: dict, suicide: bool) -> dict[Any, np.ndarray]:
    """The maps of a case's board."""
    columns, rows = case["size"]
    if program is maps_on_device and rows != columns:
        pytest.skip("the device plays on square boards; the host scores this one")
    return program(numbers_of(case["board"]), suicide)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("case", AREA_CASES, ids=lambda case: case["id"])
def test_area_maps_are_katagos_under_every_option(case: dict, program: Maps) -> None:
    both = {suicide: maps_of(program, case, suicide) for suicide in (False, True)}
    for wanted in case["expected"]:
        maps = both[wanted["suicide_legal"]]
        options = ("safe_big_territories", "unsafe_big_territories", "non_pass_alive_stones")
        assert rows_of(maps["area", *(wanted[option] for option in options)]) == wanted["area"], wanted


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("case", LIFE_CASES, ids=lambda case: case["id"])
def test_independent_life_is_katagos(case: dict, program: Maps) -> None:
    both = {suicide: maps_of(program, case, suicide) for suicide in (False, True)}
    for wanted in case["expected"]:
        maps = both[wanted["suicide_legal"]]
        black, white = maps[("areas",)]
        assert white - black == wanted["white_minus_black_region_count"]
        assert rows_of(maps["tax", wanted["keep_territories"], wanted["keep_stones"]]) == wanted["area"], wanted


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("case", TAX_CASES, ids=lambda case: case["id"])
def test_what_points_are_worth_under_group_tax_is_katagos(case: dict, program: Maps) -> None:
    maps = maps_of(program, case, case["suicide_legal"])
    assert rows_of(maps[ALL]) == case["area"]
    worth_to_white = np.select([maps[ALL] == 1, maps[ALL] == 2], [-100, 100])
    np.testing.assert_array_equal(worth_to_white, case["no_tax_x100"])
    np.testing.assert_array_equal(np.rint(-100 * maps[("points",)]), case["group_tax_x100"])


@pytest.mark.parametrize(("name", "expected"), NAMED_RULES)
def test_named_rule_sets_are_katagos(name: str, expected: dict) -> None:
    rules = go.rules_named(name, size=19, komi=None)
    assert rules.size == 19
    assert rules.ko == expected["ko"].lower()
    assert rules.suicide == expected["multi_stone_suicide"]
    assert rules.scoring == expected["scoring"].lower()
    assert rules.tax == expected["tax"].lower()
    assert rules.komi == expected["komi"]
    assert go.rules_named(name, size=9, komi=0.5).komi == 0.5
    if rules.scoring == "territory":
        with pytest.raises(ValueError, match="scoring='territory'"):
            go.Go(rules)
    else:
        assert np.isclose(float(go.Go(rules).init().komi), expected["komi"])
