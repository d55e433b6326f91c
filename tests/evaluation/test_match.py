"""Results of matches: counting, rates, the table."""

import io

import numpy as np
from rich.console import Console

from research.evaluation import Games, Tally, result_table
from research.evaluation.match import count_distinct, summarise


def games(outcomes: list[int], actions: list[list[int]]) -> Games:
    """Games by their outcomes for Black and their moves, one list a game, -1 after the end."""
    record = np.array(actions, np.int32)
    return Games(np.array(outcomes, np.float32), (record >= 0).sum(1).astype(np.int32), record.T, None)


RESULT = summarise(
    "trained",
    "untrained",
    as_black=games([1, 1, 0, -1], [[0, 1, 2], [0, 1, 2], [0, 1, -1], [1, 0, 2]]),
    as_white=games([-1, -1, -1, 0], [[0, 1, 2], [3, 1, 2], [4, -1, -1], [4, 0, -1]]),
)


def test_outcomes_are_turned_to_the_first_player():
    assert RESULT.as_black == Tally(wins=2, draws=1, losses=1)
    assert RESULT.as_white == Tally(wins=3, draws=1, losses=0)
    assert RESULT.total == Tally(wins=5, draws=2, losses=1)


def test_a_draw_counts_half_in_the_score_and_nothing_in_the_wins():
    assert RESULT.score_rate == 6 / 8
    assert RESULT.win_rate == 5 / 8
    assert RESULT.score_interval[0] < 6 / 8 < RESULT.score_interval[1]


def test_games_with_equal_moves_count_once_over_both_colours():
    assert RESULT.num_distinct_games == 6
    # One game is the beginning of another: they differ.
    assert count_distinct(np.array([[0, 0], [1, 1], [-1, 2]])) == 2
    assert count_distinct(np.array([[0, 0], [1, 1], [2, 2]])) == 1


def test_the_mean_length_counts_plies():
    assert RESULT.mean_num_moves == (3 + 3 + 2 + 3 + 3 + 3 + 1 + 2) / 8


def test_the_table_shows_the_rate_of_each_colour_within_80_columns():
    text = io.StringIO()
    Console(file=text, width=80).print(result_table([RESULT]))
    lines = text.getvalue()
    for shown in ("trained", "untrained", "62.5%", "2-1-1", "87.5%", "3-1-0", "75.0%", "6", "2.5"):
        assert shown in lines
    assert max(len(line) for line in lines.splitlines()) <= 80
