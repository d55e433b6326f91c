"""Wilson's interval against published figures."""

import pytest

from research.evaluation import wilson_interval


@pytest.mark.parametrize(
    ("num_points", "num_games", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_equals_newcombes_table(num_points, num_games, low, high):
    # Newcombe 1998, Statistics in Medicine 17: 857-872, table I, method 3.
    assert wilson_interval(num_points, num_games) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_losses_mirrors_that_of_wins():
    low, high = wilson_interval(12.5, 40)
    assert wilson_interval(27.5, 40) == pytest.approx((1 - high, 1 - low))


def test_winning_everything_leaves_room_below_and_none_above():
    low, high = wilson_interval(200, 200)
    assert high == 1.0
    assert low == pytest.approx(200 / (200 + 1.959964**2))


def test_more_confidence_is_a_wider_interval():
    low, high = wilson_interval(30, 100, confidence=0.95)
    wide_low, wide_high = wilson_interval(30, 100, confidence=0.999)
    assert wide_low < low < 0.3 < high < wide_high


@pytest.mark.parametrize(
    ("num_points", "num_games", "confidence", "name"),
    [(0, 0, 0.95, "num_games"), (3, 2, 0.95, "num_points"), (-1, 2, 0.95, "num_points"), (1, 2, 1.0, "confidence")],
)
def test_an_impossible_count_is_refused_by_name(num_points, num_games, confidence, name):
    with pytest.raises(ValueError, match=f"{name} is .*; allowed"):
        wilson_interval(num_points, num_games, confidence)
