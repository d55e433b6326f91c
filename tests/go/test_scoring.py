"""Scores of games under every scoring and tax: by the device, by the host, and when nobody asks.

*Source:* tests/referee.py for plain area and group tax; KataGo's cases in test_katago_cases.py for the rest.
"""

import random
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from area_maps import as_numbers, numbers_of, random_board, rows_of
from engines import make_judge
from referee import new_game

from research import go
from research.go import host_scoring
from research.go.scoring import ENDING_AT_A_TIME
from research.go.setup import set_up

SIZE = 7
RULES = go.Rules(size=SIZE, komi=0.5, ko="simple", max_moves=4)
TAXED = [("area-pass-dead", "all"), ("area", "seki")]
PRISONER = """
    .XO.X..
    XXXXX..
    .......
    OOOOOOO
    .......
    .......
    .......
"""  # the white stone is in black's pass-alive territory; only that is disputed


def ruled(scoring: Any, tax: Any) -> go.Rules:
    """The rules of this file with another way of scoring."""
    return replace(RULES, scoring=scoring, tax=tax)


def position(text: str) -> go.GoState:
    """The drawing, Black to move."""
    return go.from_text(RULES, text)


@pytest.mark.parametrize(("scoring", "tax"), TAXED)
def test_the_devices_score_is_the_hosts(scoring: Any, tax: Any) -> None:
    rng = random.Random(1)
    boards = [as_numbers(random_board(SIZE, SIZE, rng), SIZE) for _ in range(40)]
    game = go.Go(ruled(scoring, tax))
    score = jax.jit(jax.vmap(lambda stones: game.score(set_up(game, stones, jnp.int32(0)))))
    for board, found in zip(boards, np.asarray(score(jnp.array(boards))), strict=True):
        assert found == host_scoring.area_score(board, 0.5, scoring, tax), "\n".join(rows_of(board))


@pytest.mark.parametrize("tax", ["seki", "all"])
def test_the_hosts_group_tax_is_the_referees(tax: Any) -> None:
    rng, num_that_differ = random.Random(3), 0
    for number in range(150):
        size = 4 + number % 6
        board = random_board(size, size, rng)
        wanted = new_game(size, size, board=board, komi=0.5).taxed_score(tax)
        num_that_differ += wanted != new_game(size, size, board=board, komi=0.5).score()
        assert host_scoring.area_score(as_numbers(board, size), 0.5, "area", tax) == wanted, board
    assert num_that_differ > 20  # of 150: the tax is felt


@pytest.mark.slow
@pytest.mark.parametrize("size", range(4, 10))
@pytest.mark.parametrize("tax", ["seki", "all"])
def test_group_tax_on_the_device_is_the_referees(size: int, tax: Any) -> None:
    rng = random.Random(size)
    game = go.Go(go.Rules(size=size, komi=0.5, ko="simple", tax=tax))
    drawn = [random_board(size, size, rng) for _ in range(300)]
    boards = jnp.array([as_numbers(board, size) for board in drawn])
    score = jax.jit(jax.vmap(lambda stones: game.score(set_up(game, stones, jnp.int32(0)))))
    for board, found in zip(drawn, np.asarray(score(boards)), strict=True):
        assert found == new_game(size, size, board=board, komi=0.5).taxed_score(tax), board


def test_the_hosts_plain_area_is_the_referees_on_rectangles() -> None:
    rng = random.Random(2)
    for _ in range(60):
        rows, columns = rng.randrange(1, 8), rng.randrange(1, 8)
        board = random_board(rows, columns, rng)
        wanted = new_game(rows, columns, board=board, komi=1.5).score()
        assert host_scoring.area_score(as_numbers(board, columns), 1.5) == wanted, board


def test_a_pass_dead_stone_is_taken_off_only_where_the_rules_say_so() -> None:
    state = position(PRISONER)
    plain, _ = make_judge(RULES)(state)
    without, _ = make_judge(ruled("area-pass-dead", "none"))(state)
    assert float(without) - float(plain) == 3  # white's stone, and the eye of two points that it spoils


def test_only_the_games_of_a_batch_that_are_over_have_an_outcome() -> None:
    game = go.Go(ruled("area-pass-dead", "none"))
    state = position(PRISONER)
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf] * 3), state)._replace(passes=jnp.array([0, 2, 1], jnp.int32))
    outcome = jax.jit(jax.vmap(game.outcome))
    np.testing.assert_array_equal(outcome(batch), [0, -1, 0])
    np.testing.assert_array_equal(outcome(batch._replace(passes=jnp.ones(3, jnp.int32))), [0, 0, 0])


def test_the_program_of_a_batch_does_nothing_before_the_loop_that_scores_if_a_game_is_over() -> None:
    """XLA would gladly compute before a loop what its turns leave as it is, at every step of every game."""
    game = go.Go(ruled("area-pass-dead", "all"))
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf] * (ENDING_AT_A_TIME + 1)), position(PRISONER))
    text = jax.jit(jax.vmap(game.outcome)).lower(batch).compile().as_text() or ""
    entry = text[text.index("ENTRY") :]
    assert entry.count(" while(") == 1
    assert entry.count(" fusion(") <= 6


SEKI = numbers_of(["..XX.O."])  # on a board of one row: each has an eye, and nobody wants to fill the fifth point


def test_the_eyes_of_a_group_in_seki_count_only_without_tax() -> None:
    assert host_scoring.area_score(SEKI, 0.0, "area-pass-dead", "none") == 4 - 2
    assert host_scoring.area_score(SEKI, 0.0, "area-pass-dead", "seki") == 2 - 1
    assert host_scoring.area_score(SEKI, 0.0, "area-pass-dead", "all") == 2 - 1
    assert host_scoring.territory_score(SEKI, 0.0, tax="none") == 2 - 1
    assert host_scoring.territory_score(SEKI, 0.0, tax="seki") == 0


def test_the_tax_on_all_takes_two_points_of_each_living_group() -> None:
    board = numbers_of([".X.XOO.", "XXXXO.O", "OOOOOOO", "XXXXXXX", "X.XX.X."])
    for scoring in ("area", "area-pass-dead"):
        assert host_scoring.area_score(board, 0.0, scoring, "none") == 22 - 13
        assert host_scoring.area_score(board, 0.0, scoring, "seki") == 22 - 13
        assert host_scoring.area_score(board, 0.0, scoring, "all") == (22 - 4) - (13 - 2)


FINISHED = numbers_of(["..XO..O", "..XO.O.", "XXXOOOO", "OOXXXOX", ".OOOXXX", "..X.OOX", "....OOX"])
DEAD = np.zeros((SIZE, SIZE), bool)
DEAD[5, 2] = True


def test_territory_is_surrounded_points_and_prisoners() -> None:
    """Black has the 4 points above; White 4 above and, once the dead stone is a prisoner, 9 below."""
    for tax in ("none", "seki"):
        score = host_scoring.territory_score(FINISHED, 6.5, DEAD, captured=(3, 1), tax=tax)
        assert score == (4 + 1) - (4 + 9 + 3 + 1) - 6.5
    taxed = host_scoring.territory_score(FINISHED, 6.5, DEAD, captured=(3, 1), tax="all")
    assert taxed == (4 + 1 - 2) - (4 + 9 + 3 + 1 - 4) - 6.5
    assert host_scoring.territory_score(FINISHED, 6.5, captured=(3, 1), tax="none") == (4 + 1) - (4 + 3) - 6.5


def test_groups_beside_a_neutral_point_have_no_territory_under_tax() -> None:
    """White did not fill F4: all but the group below are beside it."""
    board = FINISHED.copy()
    board[3, 5] = 0
    assert host_scoring.territory_score(board, 6.5, DEAD, tax="seki") == 0 - (9 + 1) - 6.5
    assert host_scoring.territory_score(board, 6.5, DEAD, tax="none") == 4 - (4 + 9 + 1) - 6.5


def test_territory_and_area_differ_by_the_moves_played() -> None:
    """Each stone that was played is on the board or a prisoner."""
    rng = random.Random(3)
    for _ in range(40):
        board = as_numbers(random_board(5, 6, rng), 6)
        captured = (rng.randrange(5), rng.randrange(5))
        played = [int((board == colour).sum()) + captured[colour - 1] for colour in (1, 2)]
        territory = host_scoring.territory_score(board, 0.0, captured=captured, tax="none")
        assert host_scoring.area_score(board, 0.0) - territory == played[0] - played[1]


@pytest.mark.parametrize(
    ("point", "message"),
    [((0, 0), "row 0, column 0, which is empty"), ((0, 2), "a part of the chain at row 0, column 2")],
)
def test_only_whole_chains_can_be_dead(point: tuple[int, int], message: str) -> None:
    dead = np.zeros((SIZE, SIZE), bool)
    dead[point] = True
    with pytest.raises(ValueError, match=message):
        host_scoring.territory_score(FINISHED, 6.5, dead)


def test_unknown_ways_of_scoring_are_refused_by_name() -> None:
    board = np.zeros((2, 3), np.int8)
    with pytest.raises(ValueError, match="scoring='territory': allowed here is one of area, area-pass-dead"):
        host_scoring.area_score(board, 0.0, "territory")
