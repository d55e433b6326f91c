"""What an analysis engine replies about a position: the fields of `katago analysis` that can be filled here.

Chances and points are told for whom the config says; a search's own numbers speak for the player to move.

Points. A network that foretells the score (a Forecaster, as KataGo's are) fills `scoreLead` for the position and, asked
once more for each move that is shown, for the moves; no search stands behind them. Networks that know who wins and not
by how much cannot; but clients fail without the field, and sort moves by it. For those networks it is the winning
chance on a scale of points: POINTS_A_NAT for each unit of log odds. Such a reply says so: `"scoreIsFromWinrate": true`.

*Source:* KataGo's documentation of its analysis engine, docs/Analysis_Engine.md; the scale of points is our own choice.
"""

import hashlib
import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from research.evaluation.analysis_queries import Query
from research.evaluation.gtp_game import HostGame
from research.evaluation.gtp_thinkers import Opinion, Question
from research.evaluation.gtp_thinking import probability
from research.go import coords

POINTS_A_NAT = 4.0
SUREST = 0.99  # a winning chance counts as no more than this on the scale of points
CONFIDENT = 1.96  # standard deviations of a lower bound
ILLEGAL = -1.0  # in a policy


@runtime_checkable
class Forecast(Protocol):
    """How a network thinks that a game ends: research.networks.katago.Evaluation, of one position."""

    lead: Any  # points
    score_mean: Any  # points by which the game would end in self-play
    score_mean_square: Any  # mean of the squared score
    ownership: Any  # [size, size], 1: the player's, -1: the opponent's


@runtime_checkable
class Forecaster(Protocol):
    """A thinker that also foretells scores."""

    def evaluate(self, question: Question, symmetries: Sequence[int]) -> Sequence[Forecast]:
        """Forecasts for the player to move, one under each symmetry."""
        ...

    def evaluate_moves(self, question: Question, actions: Sequence[int]) -> Sequence[Forecast]:
        """Forecasts after each of these moves, for the player who made it."""
        ...


class Report:
    """The replies about one position, while it is thought about; forecasts are asked for once."""

    def __init__(self, query: Query, turn: int, question: Question, thinker: object):
        """Nothing is computed yet."""
        self.query, self.turn, self.question = query, turn, question
        self._forecaster = thinker if isinstance(thinker, Forecaster) else None
        self._root_forecast: Forecast | None = None
        self._move_forecasts: dict[int, Forecast] = {}
        self._legal: set[int] | None = None
        says = query.config.report_as
        self._is_turned = says != "SIDETOMOVE" and says.lower() != question.colour

    def reply(self, opinion: Opinion, is_during_search: bool) -> dict[str, Any]:
        """What is thought so far."""
        size, query = self.query.size, self.query
        fields: dict[str, Any] = {
            "id": query.query_id,
            "isDuringSearch": is_during_search,
            "turnNumber": self.turn,
            "moveInfos": self._move_infos(opinion),
            "rootInfo": self._root_info(opinion),
        }
        if query.wants_policy:
            legal = self._legal_actions()
            fields["policy"] = [
                round(float(opinion.prior[action]), 8) if action in legal else ILLEGAL
                for action in range(size * size + 1)
            ]
        if self._forecaster is None:
            fields["scoreIsFromWinrate"] = True
        elif query.wants_ownership:
            fields["ownership"] = self._ownership(self._forecast())
        return fields

    def shown(self, opinion: Opinion) -> list[int]:
        """The moves that count, best first."""
        return [action for action in opinion.ranking() if self.query.shows(self.question.colour, action)]

    def nothing(self) -> dict[str, Any]:
        """The reply about a position that was given up before it was looked at."""
        return {
            "id": self.query.query_id,
            "isDuringSearch": False,
            "turnNumber": self.turn,
            "noResults": True,
        }

    def _move_infos(self, opinion: Opinion) -> list[dict[str, Any]]:
        """The moves that were searched, best first, or else the one that the policy likes best."""
        ranked = self.shown(opinion)
        seen = [action for action in ranked if opinion.visits[action] > 0]
        shown, values = seen or ranked[:1], opinion.values()
        self._foretell(shown)
        return [self._move_info(opinion, action, float(values[action]), order) for order, action in enumerate(shown)]

    def _move_info(self, opinion: Opinion, action: int, value: float, order: int) -> dict[str, Any]:
        size = self.query.size
        visits = int(opinion.visits[action])
        winrate = probability(value)
        bound = max(0.0, winrate - CONFIDENT * math.sqrt(winrate * (1 - winrate) / max(1, visits)))
        line = opinion.variations.get(action, [action])[: self.query.config.pv_length]
        info: dict[str, Any] = {
            "move": coords.gtp_from_action(action, size),
            "visits": visits,
            "edgeVisits": visits,
            **self._chances(winrate, bound),
            "prior": round(float(opinion.prior[action]), 8),
            **self._points(winrate, self._move_forecasts.get(action)),
            "weight": float(visits),
            "order": order,
            "pv": [coords.gtp_from_action(step, size) for step in line],
        }
        if self.query.wants_moves_ownership and action in self._move_forecasts:
            info["ownership"] = self._ownership(self._move_forecasts[action])
        return info

    def _root_info(self, opinion: Opinion) -> dict[str, Any]:
        winrate = probability(opinion.value)
        visits = 1 + opinion.num_simulations
        this_hash, same_hash = position_hashes(self.question.game, self.question.colour)
        told = self._chances(winrate, winrate)
        return {
            "currentPlayer": self.question.colour[0].upper(),
            "winrate": told["winrate"],
            "utility": told["utility"],
            **self._points(winrate, None if self._forecaster is None else self._forecast()),
            "visits": visits,
            "weight": float(visits),
            "thisHash": this_hash,
            "symHash": same_hash,
        }

    def _chances(self, winrate: float, bound: float) -> dict[str, float]:
        """Winning chances for whom they are told."""
        if self._is_turned:
            winrate, bound = 1 - winrate, 1 - bound
        rounded = {"winrate": winrate, "lcb": bound, "utility": 2 * winrate - 1, "utilityLcb": 2 * bound - 1}
        return {name: round(number, 6) for name, number in rounded.items()}

    def _points(self, winrate: float, forecast: Forecast | None) -> dict[str, float]:
        """Points for whom chances are told."""
        sign = -1.0 if self._is_turned else 1.0
        if forecast is None:
            chance = min(SUREST, max(1 - SUREST, winrate))
            lead = mean = POINTS_A_NAT * math.log(chance / (1 - chance))
        else:
            lead, mean = float(forecast.lead), float(forecast.score_mean)
        told = {"scoreLead": sign * lead, "scoreMean": sign * lead, "scoreSelfplay": sign * mean}
        if forecast is not None:
            told["scoreStdev"] = math.sqrt(max(0.0, float(forecast.score_mean_square) - mean**2))
        return {name: round(number, 4) for name, number in told.items()}

    def _forecast(self) -> Forecast:
        """The forecast of the position."""
        assert self._forecaster is not None
        if self._root_forecast is None:
            self._root_forecast = self._forecaster.evaluate(self.question, [0])[0]
        return self._root_forecast

    def _foretell(self, actions: Sequence[int]) -> None:
        """Ask for the forecasts of moves that are not known yet."""
        missing = [action for action in actions if action not in self._move_forecasts]
        if self._forecaster is not None and missing:
            found = self._forecaster.evaluate_moves(self.question, missing)
            self._move_forecasts |= dict(zip(missing, found, strict=True))

    def _ownership(self, forecast: Forecast) -> list[float]:
        """Whose each point is, row by row from the top, for whom chances are told."""
        sign = -1.0 if self._is_turned else 1.0
        return [round(sign * float(owner), 6) for owner in np.asarray(forecast.ownership).reshape(-1)]

    def _legal_actions(self) -> set[int]:
        if self._legal is None:
            size = self.query.size
            points = self.question.game.legal_points(self.question.colour)
            self._legal = {size * size, *(row * size + column for row, column in points)}
        return self._legal


def position_hashes(game: HostGame, colour: str) -> tuple[str, str]:
    """(Hash of the stones and of whose turn it is, the same for all eight symmetric positions)."""
    stones = game.stones()
    hashes = [
        hashlib.blake2b(np.ascontiguousarray(view).tobytes() + colour.encode(), digest_size=16).hexdigest().upper()
        for view in (np.rot90(board, turns) for board in (stones, stones.T) for turns in range(4))
    ]
    return hashes[0], min(hashes)
