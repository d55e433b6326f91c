"""Elo ratings from the results of games, with draws, an advantage for Black, and intervals.

The model. Each player has a strength; Black's is raised by an advantage common to all games. The chances of a win of
Black, a win of White and a draw are as exp of Black's strength, of White's, and of their mean plus a constant for how
drawish the games are. So the logarithm of the likelihood is concave and Newton's method finds its maximum.

A weak prior, normal about the players' mean, keeps it finite for who has won every game. It weighs as much as a small
part of one game, so it says nothing where there are games on both sides; where there are none, the far end of the
interval is the prior's alone, and a note says so. Intervals are by the profile of the likelihood: the ratings that the
games do not contradict at the level of 95 % whatever the other players' ratings, which may lie far apart on one side
and close on the other.

Ratings have no zero of their own. It is set by an anchor, a player whose rating is told, or else by the mean. Players
that no chain of games connects cannot be compared; each connected group is rated apart.

*Source:* Bradley and Terry 1952, "Rank analysis of incomplete block designs"; the draws: Davidson 1970, JASA 65; the
order effect: Davidson and Beaver 1977, Biometrics 33; profile likelihood: Venzon and Moolgavkar 1988, Applied
Statistics 37.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from research.evaluation.match import Tally

ELO_A_NAT = 400 / math.log(10)  # Elo points in one unit of log odds
STRENGTH_SPREAD = 1000 / ELO_A_NAT  # standard deviation of the prior, for each player about the mean
ADVANTAGE_SPREAD = 400 / ELO_A_NAT  # of Black's advantage about 0
DRAW_SPREAD = 4.0  # of the constant for draws about 0, nats
DROP = 0.5 * 3.841459  # nats that the log likelihood may fall within a 95 % interval: half of chi-square's quantile
TOLERANCE = 1e-3  # of the root of what the log likelihood has lost at an interval's end
NUM_NEWTON_STEPS = 200

Vector = Float64[np.ndarray, " parameters"]


class GameResult(NamedTuple):
    """One game."""

    black: str
    white: str
    outcome: int  # +1 Black won, -1 White won, 0 drawn


class Rating(NamedTuple):
    """What is known of one player."""

    name: str
    elo: float
    low: float  # of the 95 % interval, Elo
    high: float
    tally: Tally
    note: str  # what a reader must know, "" for nothing


@dataclass(frozen=True)
class RatedGroup:
    """Players that games connect, best first."""

    ratings: tuple[Rating, ...]
    anchor: str | None  # whose rating was told; None: the mean is 0
    advantage: tuple[float, float, float]  # of Black, Elo: estimate, low, high
    draw_share: float  # of the games


def rate(games: Iterable[GameResult], anchors: Mapping[str, float] | None = None) -> list[RatedGroup]:
    """Ratings of everybody who has played, group by group, the largest first.

    `anchors` holds known ratings, in Elo; at most one in a group counts. *Raises:* ValueError if there is no game, an
    anchor has played none, or one group has two anchors.
    """
    games, anchors = list(games), dict(anchors or {})
    if not games:
        raise ValueError("no games with a result: nothing to rate")
    groups = connected_groups(games)
    strangers = set(anchors) - set().union(*groups)
    if strangers:
        raise ValueError(f"anchor {min(strangers)!r} has played no game; players are {', '.join(sorted(*groups[:1]))}")
    rated = []
    for players in groups:
        told = [name for name in players if name in anchors]
        if len(told) > 1:
            raise ValueError(f"anchors {' and '.join(map(repr, told))} are in one group of players; wanted is one")
        anchor = told[0] if told else None
        members = set(players)
        rated.append(_rate_group(players, [game for game in games if game.black in members], anchor, anchors))
    return rated


def connected_groups(games: Sequence[GameResult]) -> list[list[str]]:
    """The players of each group that games connect, in the order of names; the largest group first."""
    group_of: dict[str, set[str]] = {}
    for game in games:
        merged = group_of.get(game.black, {game.black}) | group_of.get(game.white, {game.white})
        for name in merged:
            group_of[name] = merged
    groups = {id(group): sorted(group) for group in group_of.values()}
    return sorted(groups.values(), key=lambda group: (-len(group), group))


# What the scores of a game's results are in terms of Black's strength, White's, Black's advantage and the draws'
# constant: a row for a win of Black, a draw, a win of White.
SCORES = np.array([[1, 0, 1, 0], [0.5, 0.5, 0.5, 1], [0, 1, 0, 0]])
SCORE_PRODUCTS = np.array([np.outer(row, row).reshape(-1) for row in SCORES])  # [results, 16]


class _Likelihood:
    """The logarithm of likelihood times prior as a function of strengths, then Black's advantage, then the draws'."""

    def __init__(self, players: list[str], games: list[GameResult]):
        """Counts results by who has which colour."""
        num_players = len(players)
        self.num_parameters = num_players + 2
        index = {name: number for number, name in enumerate(players)}
        counts: dict[tuple[int, int], list[int]] = {}
        for game in games:
            key = (index[game.black], index[game.white])
            counts.setdefault(key, [0, 0, 0])[1 - game.outcome] += 1
        # Pairs come last: sums over results then run along whole rows, several times as fast.
        self._counts = np.array(list(counts.values()), float).T.copy()  # [3, pairs]
        self._totals = self._counts.sum(axis=0)
        # Which parameters the scores of each pair are made of: [4, pairs].
        self._places = np.array([(*pair, num_players, num_players + 1) for pair in counts]).T.copy()
        self._squares = (self._places[:, None] * self.num_parameters + self._places[None]).reshape(-1)
        # Where no game was drawn a draw is taken to be impossible.
        self._barrier = np.array([[0.0], [0.0 if self._counts[1].any() else -np.inf], [0.0]])
        self._prior = np.zeros((self.num_parameters,) * 2)
        self._prior[:num_players, :num_players] = (np.eye(num_players) - 1 / num_players) / STRENGTH_SPREAD**2
        self._prior[num_players, num_players] = 1 / ADVANTAGE_SPREAD**2
        self._prior[-1, -1] = 1 / DRAW_SPREAD**2

    def value(self, point: Vector) -> float:
        """The logarithm at `point`, up to a constant."""
        logarithms = self._logarithms(point)
        seen = np.where(self._counts > 0, logarithms, 0.0)
        return float((self._counts * seen).sum() - 0.5 * point @ self._prior @ point)

    def slope(self, point: Vector) -> tuple[Vector, Float64[np.ndarray, "parameters parameters"]]:
        """(Gradient, minus the Hessian) at `point`."""
        chances = np.exp(self._logarithms(point))
        expected = self._totals * chances
        gradient = np.bincount(
            self._places.reshape(-1), (SCORES.T @ (self._counts - expected)).reshape(-1), self.num_parameters
        )
        means = SCORES.T @ chances
        outer = (means[:, None] * means[None]).reshape(SCORE_PRODUCTS.shape[1], -1)
        spread = SCORE_PRODUCTS.T @ expected - self._totals * outer
        curvature = np.bincount(self._squares, spread.reshape(-1), self.num_parameters**2)
        return gradient - self._prior @ point, curvature.reshape(self._prior.shape) + self._prior

    def _logarithms(self, point: Vector) -> Float64[np.ndarray, "3 pairs"]:
        """Of the chances of each pair's results."""
        scores = SCORES @ point[self._places] + self._barrier
        scores -= scores.max(axis=0)
        return scores - np.log(np.exp(scores).sum(axis=0))

    def maximise(self, start: Vector, rows: Sequence[Vector], values: Sequence[float]) -> tuple[Vector, float]:
        """(Where the value is largest with `rows @ point == values`, that value), by Newton's method from `start`."""
        matrix, wanted = np.array(rows), np.array(values)
        point = start + matrix.T @ np.linalg.solve(matrix @ matrix.T, wanted - matrix @ start)
        value, num_rows = self.value(point), len(rows)
        for _ in range(NUM_NEWTON_STEPS):
            gradient, curvature = self.slope(point)
            system = np.block([[curvature, matrix.T], [matrix, np.zeros((num_rows, num_rows))]])
            step = np.linalg.solve(system, np.concatenate([gradient, np.zeros(num_rows)]))[: len(point)]
            gain, scale = float(gradient @ step), 1.0
            if gain < 1e-10:
                break
            while self.value(point + scale * step) < value + 0.1 * scale * gain and scale > 1e-6:
                scale /= 2
            point = point + scale * step
            value = self.value(point)
        return point, value


class _Best(NamedTuple):
    """Where the likelihood is largest."""

    point: Vector
    value: float
    covariance: Float64[np.ndarray, "parameters parameters"]  # of the parameters there, nats squared


def _best(likelihood: _Likelihood, zero: Vector) -> _Best:
    """The maximum with `zero @ point == 0`."""
    point, value = likelihood.maximise(np.zeros(likelihood.num_parameters), [zero], [0.0])
    _, curvature = likelihood.slope(point)
    system = np.block([[curvature, zero[:, None]], [zero[None], np.zeros((1, 1))]])
    return _Best(point, value, np.linalg.inv(system)[: len(point), : len(point)])


def _rate_group(
    players: list[str], games: list[GameResult], anchor: str | None, anchors: Mapping[str, float]
) -> RatedGroup:
    """The ratings of players that games connect."""
    likelihood = _Likelihood(players, games)
    zero = np.zeros(likelihood.num_parameters)
    if anchor is None:
        zero[: len(players)] = 1 / len(players)
    else:
        zero[players.index(anchor)] = 1
    best = _best(likelihood, zero)
    offset = 0.0 if anchor is None else anchors[anchor]
    ratings, tallies = [], _tallies(games)
    for number, name in enumerate(players):
        tally = tallies[name]
        if name == anchor:
            ratings.append(Rating(name, offset, offset, offset, tally, ""))
            continue
        found = (best.point[number], *_interval(likelihood, number, best, zero))
        elo, low, high = (offset + ELO_A_NAT * float(strength) for strength in found)
        ratings.append(Rating(name, elo, low, high, tally, _note(tally)))
    ratings.sort(key=lambda rating: -rating.elo)
    low, high = _interval(likelihood, len(players), best, zero)
    return RatedGroup(
        ratings=tuple(ratings),
        anchor=anchor,
        advantage=(ELO_A_NAT * float(best.point[len(players)]), ELO_A_NAT * low, ELO_A_NAT * high),
        draw_share=Counter(game.outcome for game in games)[0] / len(games),
    )


def _interval(likelihood: _Likelihood, number: int, best: _Best, zero: Vector) -> tuple[float, float]:
    """The 95 % interval of parameter `number`, nats."""
    row = np.zeros(len(best.point))
    row[number] = 1
    variance = max(best.covariance[number, number], 1e-12)
    # Where the others go, about, if this one is moved by a unit.
    direction = best.covariance[number] / variance

    def fall(distance: float) -> float:
        """Root of what the log likelihood has lost that far from the best value, less what it may: about linear."""
        wanted = [0.0, best.point[number] + distance]
        _, value = likelihood.maximise(best.point + distance * direction, [zero, row], wanted)
        return math.sqrt(max(0.0, best.value - value)) - math.sqrt(DROP)

    ends = []
    for sign in (-1.0, 1.0):
        far = 2 * math.sqrt(variance)
        inside, outside = (0.0, -math.sqrt(DROP)), (far, fall(sign * far))
        while outside[1] < 0:  # the prior lets no value be likely for ever
            inside, outside = outside, (2 * outside[0], fall(sign * 2 * outside[0]))
        middle = outside
        while abs(middle[1]) > TOLERANCE:
            share = min(0.95, max(0.05, inside[1] / (inside[1] - outside[1])))
            distance = inside[0] + share * (outside[0] - inside[0])
            middle = (distance, fall(sign * distance))
            inside, outside = (middle, outside) if middle[1] < 0 else (inside, middle)
        ends.append(float(best.point[number] + sign * middle[0]))
    return ends[0], ends[1]


def _tallies(games: list[GameResult]) -> dict[str, Tally]:
    """How the games of each player have ended for it."""
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for game in games:
        counts[game.black][game.outcome] += 1
        counts[game.white][-game.outcome] += 1
    return {name: Tally(count[1], count[0], count[-1]) for name, count in counts.items()}


def _note(tally: Tally) -> str:
    """What the interval of such results does not say by itself."""
    if tally.wins == tally.num_games:
        return "has only won: no game bounds it from above"
    if tally.losses == tally.num_games:
        return "has only lost: no game bounds it from below"
    return ""
