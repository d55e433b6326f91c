"""What a move may take by the clock.

*Source:* GTP version 2 draft 2, section 4.2.
"""

import pytest

from research.evaluation.gtp_clock import Clock

NUM_POINTS = 81


def budget(clock: Clock, colour: str = "black", num_moves: int = 0) -> float | None:
    return clock.budget_s(colour, NUM_POINTS, num_moves)


def test_without_settings_or_with_a_period_of_no_stones_there_is_no_limit() -> None:
    assert budget(Clock()) is None
    assert budget(Clock.with_settings(0.0, 10.0, 0)) is None


def test_no_time_at_all_is_a_limit() -> None:
    assert budget(Clock.with_settings(0.0, 0.0, 0)) == 0.0


@pytest.mark.parametrize(("main_s", "period_s", "stones"), [(60.0, 0.0, 0), (60.0, 30.0, 5), (0.0, 10.0, 1)])
def test_a_long_game_never_runs_out_of_time(main_s: float, period_s: float, stones: int) -> None:
    clock = Clock.with_settings(main_s, period_s, stones)
    spent = 0.0
    for number in range(400):
        share = budget(clock, "white", number)
        assert share is not None
        left, is_in_period = clock.sides["white"].seconds, clock.sides["white"].stones > 0
        assert 0 <= share <= left or (share < period_s / stones and not is_in_period)
        clock.spend("white", share)
        spent += share
    assert clock.sides["black"].seconds == (main_s or period_s)
    if stones:
        assert spent > 400 / 2 * period_s / stones  # and periods are used
    else:
        assert main_s / 2 < spent < main_s


def test_main_time_is_used_before_the_period_and_a_period_begins_again_after_its_stones() -> None:
    clock = Clock.with_settings(5.0, 30.0, 2)
    clock.spend("black", 6.0)
    assert (clock.sides["black"].seconds, clock.sides["black"].stones) == (30.0, 2)
    clock.spend("black", 10.0)
    assert (clock.sides["black"].seconds, clock.sides["black"].stones) == (20.0, 1)
    clock.spend("black", 10.0)
    assert (clock.sides["black"].seconds, clock.sides["black"].stones) == (30.0, 2)


def test_what_the_controller_says_counts() -> None:
    clock = Clock.with_settings(600.0, 0.0, 0)
    before = budget(clock)
    clock.set_left("black", 6.0, 0)
    after = budget(clock)
    assert before is not None
    assert after is not None
    assert after < before / 50
    clock.set_left("black", 10.0, 1)
    assert budget(clock) == pytest.approx(7.9)
    clock.reset()
    assert budget(clock) == before
