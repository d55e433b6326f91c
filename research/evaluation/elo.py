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
from collections import Counter
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
        rated.append(_rate_group(players, [game for game in games if game.black in players], anchor, anchors))
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


class _Likelihood:
    """The logarithm of likelihood times prior as a function of strengths, then Black's advantage, then the draws'."""

    def __init__(self, players: list[str], games: list[GameResult]):
        """Counts results by who has which colour."""
        self.num_players = len(players)
        self.has_draws = any(game.outcome == 0 for game in games)
        self.num_parameters = self.num_players + 1 + self.has_draws
        index = {name: number for number, name in enumerate(players)}
        counts: dict[tuple[int, int], list[int]] = {}
        for game in games:
            key = (index[game.black], index[game.white])
            counts.setdefault(key, [0, 0, 0])[1 - game.outcome] += 1
        self._counts = np.array(list(counts.values()), float)  # Black wins, draws, White wins
        self._scores = np.zeros((len(counts), 3, self.num_parameters))
        for place, (black, white) in enumerate(counts):
            self._scores[place, 0, [black, self.num_players]] = 1
            self._scores[place, 2, white] = 1
            self._scores[place, 1] = self._scores[place, [0, 2]].mean(axis=0)
        if self.has_draws:
            self._scores[:, 1, -1] = 1
        else:  # as if a draw could not be
            self._counts, self._scores = self._counts[:, [0, 2]], self._scores[:, [0, 2]]
        self._prior = np.zeros((self.num_parameters,) * 2)
        strengths = slice(0, self.num_players)
        centred = np.eye(self.num_players) - 1 / self.num_players
        self._prior[strengths, strengths] = centred / STRENGTH_SPREAD**2
        self._prior[self.num_players, self.num_players] = 1 / ADVANTAGE_SPREAD**2
        if self.has_draws:
            self._prior[-1, -1] = 1 / DRAW_SPREAD**2

    def value(self, point: Vector) -> float:
        """The logarithm at `point`, up to a constant."""
        scores = self._scores @ point
        top = scores.max(axis=1, keepdims=True)
        normal = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
        return float((self._counts * normal).sum() - 0.5 * point @ self._prior @ point)

    def slope(self, point: Vector) -> tuple[Vector, Float64[np.ndarray, "parameters parameters"]]:
        """(Gradient, minus the Hessian) at `point`."""
        scores = self._scores @ point
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        totals = self._counts.sum(axis=1, keepdims=True)
        gradient = np.einsum("gr,grp->p", self._counts - totals * chances, self._scores)
        weights = totals * chances
        means = np.einsum("gr,grp->gp", chances, self._scores)
        curvature = np.einsum("gr,grp,grq->pq", weights, self._scores, self._scores, optimize=True)
        curvature -= np.einsum("g,gp,gq->pq", totals[:, 0], means, means, optimize=True)
        return gradient - self._prior @ point, curvature + self._prior

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
    best, top = likelihood.maximise(np.zeros(likelihood.num_parameters), [zero], [0.0])
    offset = 0.0 if anchor is None else anchors[anchor]
    ratings = []
    for number, name in enumerate(players):
        tally = _tally(name, games)
        if name == anchor:
            ratings.append(Rating(name, offset, offset, offset, tally, ""))
            continue
        found = (best[number], *_interval(likelihood, number, best, top, zero))
        elo, low, high = (offset + ELO_A_NAT * float(strength) for strength in found)
        ratings.append(Rating(name, elo, low, high, tally, _note(tally)))
    ratings.sort(key=lambda rating: -rating.elo)
    low, high = _interval(likelihood, len(players), best, top, zero)
    return RatedGroup(
        ratings=tuple(ratings),
        anchor=anchor,
        advantage=(ELO_A_NAT * float(best[len(players)]), ELO_A_NAT * low, ELO_A_NAT * high),
        draw_share=Counter(game.outcome for game in games)[0] / len(games),
    )


def _interval(likelihood: _Likelihood, number: int, best: Vector, top: float, zero: Vector) -> tuple[float, float]:
    """The 95 % interval of parameter `number`, nats."""
    row = np.zeros(len(best))
    row[number] = 1
    _, curvature = likelihood.slope(best)
    system = np.block([[curvature, zero[:, None]], [zero[None], np.zeros((1, 1))]])
    deviation = math.sqrt(max(np.linalg.inv(system)[number, number], 1e-12))

    def fall(distance: float) -> float:
        """Root of what the log likelihood has lost so far from the best value: near to linear in the distance."""
        nonlocal start
        start, value = likelihood.maximise(start, [zero, row], [0.0, best[number] + distance])
        return math.sqrt(max(0.0, top - value)) - math.sqrt(DROP)

    ends = []
    for sign in (-1.0, 1.0):
        start = best
        inside, outside = (0.0, -math.sqrt(DROP)), (2 * deviation, fall(sign * 2 * deviation))
        while outside[1] < 0:  # the prior lets no value be likely for ever
            inside, outside = outside, (2 * outside[0], fall(sign * 2 * outside[0]))
        middle = outside
        while abs(middle[1]) > TOLERANCE:
            share = min(0.95, max(0.05, inside[1] / (inside[1] - outside[1])))
            distance = inside[0] + share * (outside[0] - inside[0])
            middle = (distance, fall(sign * distance))
            inside, outside = (middle, outside) if middle[1] < 0 else (inside, middle)
        ends.append(float(best[number] + sign * middle[0]))
    return ends[0], ends[1]


def _tally(name: str, games: list[GameResult]) -> Tally:
    """How the games of a player have ended for it."""
    counts = Counter(
        game.outcome if game.black == name else -game.outcome for game in games if name in (game.black, game.white)
    )
    return Tally(counts[1], counts[0], counts[-1])


def _note(tally: Tally) -> str:
    """What the interval of such results does not say by itself."""
    if tally.wins == tally.num_games:
        return "has only won: no game bounds it from above"
    if tally.losses == tally.num_games:
        return "has only lost: no game bounds it from below"
    return ""
