"""`katago22` against KataGo's own tests of its inputs, and against planes published for recorded games and ladders.

What each case compares is what KataGo printed there: some planes, some globals, or the moves that it saw of the past.

*Source:* tests/data/katago and tests/data/encoders (see the README there).
"""

from collections import defaultdict
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from encoder_cases import golden_cases, position_of
from katago_inputs import (
    LADDER_PLANES,
    OTHER_PLANES,
    Case,
    encode_all,
    game_of,
    globals_of,
    history_options_of,
    history_seen,
    load,
    past_of,
    plane_of,
    planes_of,
    play,
    state_of,
    why_left_out,
)

from research import go

CASES = load("nninput_v7")
OURS = [case for case in CASES if why_left_out(case) is None]
TOLERANCE = 1e-6  # KataGo prints six digits
PUBLISHED_14_IS_WRONG = ("GOLD12", "GOLD13")  # after a pass: KataGo's own cases say 1


def test_every_case_that_is_not_compared_is_listed_with_its_reason() -> None:
    reasons = defaultdict(list)
    for case in CASES:
        reason = why_left_out(case)
        if reason is not None:
            reasons[reason].append(case["id"])
    assert dict(reasons) == load("nninput_left_out")
    assert len(OURS) == 101
    assert len(CASES) == 320


@pytest.mark.parametrize("case", OURS, ids=lambda case: case["id"])
def test_katago_case(case: Case) -> None:
    state, game, expected, options = state_of(case), game_of(case), case["expected"], history_options_of(case)
    if expected["global"]:
        numbers, values = zip(*expected["global"].items(), strict=True)
        weight = case["draw_equivalent_wins_for_white"]
        told = globals_of(game, draw_weight=weight, **options)(state)[np.array(numbers, int)]
        np.testing.assert_allclose(told, np.array(values), atol=TOLERANCE)
    compared = {int(number): plane_of(rows) for number, rows in expected["spatial"].items()}
    if compared:
        planes, _ = planes_of(game, OTHER_PLANES)(state)
        assert not [n for n, plane in compared.items() if n in planes and (planes[n] != plane).any()]
    if "history_seen" in expected:
        assert history_seen(past_of(game, **options)(state), game.rules.size) == expected["history_seen"]
        assert bool(game.is_over(state)) == expected["game_finished"]


def test_ladder_planes_of_katago_case_on_a_small_board() -> None:
    check_ladder_planes(next(case for case in OURS if case["id"] == "nninput/7x7"))


@pytest.mark.slow
def test_ladder_planes_of_katago_case_on_a_full_board() -> None:
    check_ladder_planes(next(case for case in OURS if case["id"] == "nninput/basic_19x19"))


def check_ladder_planes(case: Case) -> None:
    """Nothing, if the planes about ladders are as KataGo printed them."""
    planes = encode_all([state_of(case)])[0]
    for number in LADDER_PLANES:
        np.testing.assert_array_equal(planes[..., number], plane_of(case["expected"]["spatial"][str(number)]))


def passing_cases() -> list[Case]:
    """The cases about passes that area rules can speak of."""
    return [case for case in load("passing") if case["rules"]["scoring"] == "AREA"]


@pytest.mark.parametrize("case", passing_cases(), ids=lambda case: case["id"])
def test_what_a_pass_would_do_and_when_passing_hacks_show_the_past(case: Case) -> None:
    game, state = game_of(case), state_of(case, moves=[])
    see = past_of(game, passing_hacks=True)
    num_checks = 0
    for step in case["steps"]:
        if "move" in step:
            state = play(game, state, step["move"][1])
            continue
        check = step["check"]
        assert bool(game.is_over(state)) == check["past_or_finished"]
        would_end = globals_of(game)(state)[14]
        assert would_end == check["pass_would_end_phase"]
        is_friendly = case["rules"]["friendly_pass_ok"]
        is_suppressed = would_end and not globals_of(game, friendly_pass_ok=is_friendly)(state)[14]
        assert is_suppressed == check["friendly_pass_suppresses_end"]
        for komi, is_visible in check["passing_hacks_history_visible_by_komi"]:
            seen = history_seen(see(state._replace(komi=jnp.float32(komi))), game.rules.size)
            assert any(move is not None for move in seen) == bool(is_visible), (num_checks, komi)
        num_checks += 1
    assert num_checks == 5


def with_slow_sizes(sizes: tuple[int, ...]) -> list[Any]:
    """The recorded games, all but those on boards of these `sizes` marked as slow."""
    return [
        pytest.param(case, marks=[] if case.position["size"] in sizes else [pytest.mark.slow], id=case.id)
        for case in golden_cases("katago22")
    ]


@pytest.mark.parametrize("case", with_slow_sizes((7, 9)))
def test_published_games(case: Any) -> None:
    game, state = position_of(case)
    planes, global_values = planes_of(game, OTHER_PLANES)(state)
    assert not [number for number in OTHER_PLANES if (planes[number] != case.planes[number]).any()]
    compared = [number for number in range(19) if number != 14 or case.id not in PUBLISHED_14_IS_WRONG]
    np.testing.assert_allclose(
        np.asarray(global_values)[compared], np.array(case.global_values)[compared], atol=TOLERANCE
    )
    assert global_values[14] == float(state.passes > 0)


@pytest.mark.parametrize("case", with_slow_sizes((7,)))
def test_ladders_of_published_games(case: Any) -> None:
    planes = encode_all([position_of(case)[1]])[0]
    assert not [number for number in LADDER_PLANES if (planes[..., number] != case.planes[number]).any()]


LADDER_CASES = [
    pytest.param(case, marks=[pytest.mark.slow] if case["size"] != 7 else [], id=case["id"]) for case in load("ladders")
]


@pytest.mark.parametrize("case", LADDER_CASES)
def test_published_ladders(case: Case) -> None:
    rules = go.Rules(case["size"], ko="simple")
    ban = None if case["ko"] is None else tuple(case["ko"])
    to_play = {"B": "black", "W": "white"}[case["to_play"]]
    state = go.from_text(rules, "\n".join(case["rows"]), to_play=to_play, ko=ban)
    np.testing.assert_array_equal(encode_all([state])[0][..., case["plane"]], plane_of(case["expected"]))
