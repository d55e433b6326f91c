"""Elo ratings: known strengths are found again, equal players come out equal, and nothing is surer than it may be.

*Source:* closed forms for two players; a bootstrap of the same games as a second opinion of the intervals.
"""

import io
import math
import random
from collections.abc import Sequence

import jax
import numpy as np
import pytest
from rich.console import Console

from research.evaluation.arena import make_play_games
from research.evaluation.elo import ELO_A_NAT, GameResult, RatedGroup, Rating, connected_groups, rate
from research.evaluation.elo_report import games_of, rating_figure, rating_table
from research.evaluation.players import policy_player
from research.go import Rules
from research.interop import sgf
from research.toys.tictactoe import TicTacToe
from tests.search.stand_ins import uniform_prior_and_score

STRENGTHS = {"a": 0.0, "b": 150.0, "c": -250.0, "d": 400.0, "e": 80.0}
ADVANTAGE = 60.0
DRAWISHNESS = -1.0  # nats


def random_games(num_each: int, chance: random.Random, draws: bool = True) -> list[GameResult]:
    """Games of everybody against everybody with both colours, by the model itself."""
    games = []
    for black, white in ((one, two) for one in STRENGTHS for two in STRENGTHS if one != two):
        scores = [(STRENGTHS[black] + ADVANTAGE) / ELO_A_NAT, 0.0, STRENGTHS[white] / ELO_A_NAT]
        scores[1] = (scores[0] + scores[2]) / 2 + DRAWISHNESS
        weights = [math.exp(score) for score in scores]
        weights[1] *= draws
        games += [GameResult(black, white, outcome) for outcome in chance.choices((1, 0, -1), weights, k=num_each)]
    return games


def ratings_of(groups: Sequence[RatedGroup]) -> dict[str, Rating]:
    return {rating.name: rating for group in groups for rating in group.ratings}


def test_two_players_rating_is_the_logarithm_of_their_odds() -> None:
    games = [GameResult("a", "b", 1)] * 300 + [GameResult("b", "a", 1)] * 100
    games += [GameResult("b", "a", -1)] * 300 + [GameResult("a", "b", -1)] * 100
    (group,) = rate(games, {"b": 1000.0})
    found = ratings_of([group])
    assert found["a"].elo - 1000 == pytest.approx(ELO_A_NAT * math.log(3), abs=0.5)
    # one standard deviation of log odds over n games is 1 / sqrt(n p q)
    deviation = ELO_A_NAT / math.sqrt(800 * 0.75 * 0.25)
    assert found["a"].high - found["a"].elo == pytest.approx(1.96 * deviation, rel=0.06)
    assert (found["b"].elo, found["b"].low, found["b"].high) == (1000, 1000, 1000)
    assert group.anchor == "b"
    assert group.advantage[0] == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("draws", [True, False])
def test_known_strengths_are_found_again(draws: bool) -> None:
    (group,) = rate(random_games(400, random.Random(1), draws), {"a": 0.0})
    for name, rating in ratings_of([group]).items():
        assert abs(rating.elo - STRENGTHS[name]) < 30
        assert rating.low <= rating.elo <= rating.high
        assert rating.high - rating.low < 60
    assert group.advantage[1] < ADVANTAGE < group.advantage[2]
    assert (group.draw_share > 0.05) == draws
    assert [rating.name for rating in group.ratings] == ["d", "b", "e", "a", "c"]


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    num_held = num_all = 0
    for seed in range(25):
        for name, rating in ratings_of(rate(random_games(4, random.Random(seed)), {"a": 0.0})).items():
            if name != "a":
                num_all += 1
                num_held += rating.low <= STRENGTHS[name] <= rating.high
    assert 0.88 <= num_held / num_all <= 1.0


@pytest.mark.slow
def test_intervals_agree_with_a_bootstrap() -> None:
    games, chance = random_games(10, random.Random(2)), random.Random(3)
    found = ratings_of(rate(games))
    samples = [_point_ratings(chance.choices(games, k=len(games))) for _ in range(60)]
    for name, rating in found.items():
        spread = np.std([sample[name] for sample in samples])
        assert (rating.high - rating.low) / (2 * 1.96 * spread) == pytest.approx(1.0, abs=0.3)


def _point_ratings(games: list[GameResult]) -> dict[str, float]:
    return {name: rating.elo for name, rating in ratings_of(rate(games)).items()}


def test_who_has_only_won_gets_a_finite_rating_and_is_said_to_be_unbounded() -> None:
    for num_games in (1, 20, 400):
        games = [GameResult("a", "b", 1), GameResult("b", "a", -1)] * num_games
        found = ratings_of(rate(games, {"b": 0.0}))["a"]
        assert math.isfinite(found.elo)
        assert found.note == "has only won: no game bounds it from above"
        assert found.high - found.elo > 1000  # nothing but the prior says that it is not better still
        # it would have lost a game with the chance of 95 % if it were this weak
        chance = 1 / (1 + 10 ** (-found.low / 400))
        assert chance ** (2 * num_games) < 0.6
        assert found.elo > found.low
    assert found.low > 500


def test_one_game_says_next_to_nothing() -> None:
    found = ratings_of(rate([GameResult("a", "b", 1)]))
    assert found["a"].low < 0 < found["a"].high
    assert found["a"].high - found["a"].low > 1000


def test_groups_that_never_met_are_rated_apart_and_each_has_its_zero() -> None:
    games = [*random_games(5, random.Random(4)), GameResult("x", "y", 1), GameResult("y", "x", 1)]
    assert connected_groups(games) == [["a", "b", "c", "d", "e"], ["x", "y"]]
    first, second = rate(games, {"x": 2000.0})
    assert (first.anchor, second.anchor) == (None, "x")
    assert sum(rating.elo for rating in first.ratings) == pytest.approx(0, abs=1e-6)
    assert ratings_of([second])["y"].elo == pytest.approx(2000, abs=1e-3)


def test_colour_explains_what_strength_does_not() -> None:
    (group,) = rate([GameResult("a", "b", 1)] * 30 + [GameResult("b", "a", 1)] * 30)
    assert all(rating.elo == pytest.approx(0, abs=0.01) for rating in group.ratings)
    assert group.advantage[1] > 100


@pytest.mark.parametrize(
    ("games", "anchors", "fault"),
    [
        ([], {}, "no games with a result"),
        ([GameResult("a", "b", 1)], {"z": 0.0}, "anchor 'z' has played no game; players are a, b"),
        ([GameResult("a", "b", 1)], {"a": 0.0, "b": 1.0}, "anchors 'a' and 'b' are in one group"),
    ],
)
def test_what_cannot_be_rated_is_said(games: list[GameResult], anchors: dict[str, float], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        rate(games, anchors)


def test_the_same_network_under_ten_names_comes_out_equal_within_the_intervals() -> None:
    game = TicTacToe()
    player = policy_player(game, uniform_prior_and_score(game))
    names = [f"network {number}" for number in range(10)]
    pairs = [(one, two) for one in names for two in names if one != two] * 8
    outcomes = make_play_games(game, player, player, num_games=len(pairs))({}, {}, jax.random.key(0)).outcomes
    (group,) = rate(GameResult(*pair, int(outcome)) for pair, outcome in zip(pairs, outcomes, strict=True))
    assert sum(rating.low <= 0 <= rating.high for rating in group.ratings) >= 9
    assert all(rating.low < other.high for rating in group.ratings for other in group.ratings)
    assert all(20 < rating.high - rating.low < 150 for rating in group.ratings)


def record(black: str, white: str, result: str | None, moves: tuple[int, ...] = (0, 1)) -> sgf.Record:
    return sgf.from_actions(moves, Rules(size=3), result=result, properties={"PB": black, "PW": white})


def test_records_give_their_games_and_repeated_ones_count_once() -> None:
    records = [
        record("a", "b", "B+R"),
        record("a", "b", "B+R"),
        record("b", "a", "B+R"),
        record("a", "b", "W+1.5", (0, 2)),
        record("a", "b", "0", (0, 3)),
        record("a", "b", None, (0, 4)),
        record("a", "b", "Void", (0, 5)),
        record("a", "", "B+1", (0, 6)),
    ]
    counted = games_of(records)
    assert [tuple(game) for game in counted.games] == [("a", "b", 1), ("b", "a", 1), ("a", "b", -1), ("a", "b", 0)]
    assert (counted.num_without_result, counted.num_repeated) == (3, 1)


def test_the_table_and_the_picture_show_everybody_best_first() -> None:
    (group,) = rate([*random_games(5, random.Random(5)), *[GameResult("top", "d", 1)] * 2], {"a": 1500.0})
    output = io.StringIO()
    Console(width=120, file=output).print(rating_table(group, "Ratings"))
    text = output.getvalue()
    assert text.index("top") < text.index("d ") < text.index("c ")
    assert "has only won" in text
    assert "anchor" in text
    assert "a is set to its rating" in text
    axes = rating_figure([group], "Ratings").axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [rating.name for rating in group.ratings]
