"""What a match came to: results by colour, a rate with its interval, how many games were different, and the table.

Results speak for the match's first player. The score rate counts a draw as half a win. Games that repeat each other
move by move tell nothing new, so the number of distinct ones stands beside the interval, which takes every game as new.

*Source:* own design; the interval's source stands in `research.evaluation.intervals`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float32, Int32, Shaped
from rich import box
from rich.table import Table

from research.evaluation.intervals import wilson_interval
from research.game import State


class Games(NamedTuple):
    """Finished games; the last axis of each array is the game."""

    outcomes: Float32[Array | np.ndarray, " games"]  # +1 Black (player 0) won, -1 White won, 0 drawn
    num_moves: Int32[Array | np.ndarray, " games"]  # plies played
    actions: Int32[Array | np.ndarray, "plies games"]  # what was played, Black first; -1 after a game's end
    final_states: State  # batched positions at the end


@dataclass(frozen=True)
class Tally:
    """Results of some games, for one player."""

    wins: int  # games
    draws: int  # games
    losses: int  # games

    @property
    def num_games(self) -> int:
        """Games counted."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Games won, a draw counting half."""
        return self.wins + self.draws / 2

    @property
    def score_rate(self) -> float:
        """Points a game, 0 to 1."""
        return self.points / self.num_games

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class MatchResult:
    """A match as its first player sees it."""

    first: str  # name of the first player
    second: str  # name of the second player
    as_black: Tally  # the first player's results as Black (player 0)
    as_white: Tally  # the first player's results as White (player 1)
    num_distinct_games: int  # different sequences of moves, whoever had which colour
    mean_num_moves: float  # plies a game
    games: tuple[Games, Games] = field(repr=False, compare=False)  # those as Black, those as White; on the host

    @property
    def total(self) -> Tally:
        """Both colours together."""
        return self.as_black + self.as_white

    @property
    def win_rate(self) -> float:
        """Share of games that the first player won, draws not counted, 0 to 1."""
        return self.total.wins / self.total.num_games

    @property
    def score_rate(self) -> float:
        """Share of points that the first player took, a draw counting half, 0 to 1."""
        return self.total.score_rate

    @property
    def score_interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the score rate."""
        return wilson_interval(self.total.points, self.total.num_games)


def summarise(first: str, second: str, as_black: Games, as_white: Games) -> MatchResult:
    """The result of a match from the games that `first` played as Black and as White, both on the host."""
    num_moves = np.concatenate([as_black.num_moves, as_white.num_moves])
    return MatchResult(
        first=first,
        second=second,
        as_black=tally_outcomes(as_black.outcomes),
        as_white=tally_outcomes(-np.asarray(as_white.outcomes)),
        num_distinct_games=count_distinct(np.concatenate([as_black.actions, as_white.actions], axis=1)),
        mean_num_moves=float(num_moves.mean()),
        games=(as_black, as_white),
    )


def tally_outcomes(outcomes: Float32[Array | np.ndarray, " games"]) -> Tally:
    """Counts outcomes: +1 a win, 0 a draw, -1 a loss."""
    outcomes = np.asarray(outcomes)
    return Tally(wins=int((outcomes > 0).sum()), draws=int((outcomes == 0).sum()), losses=int((outcomes < 0).sum()))


def count_distinct(actions: Shaped[Array | np.ndarray, "plies games"]) -> int:
    """How many different columns, that is sequences of moves, there are."""
    return len({column.tobytes() for column in np.ascontiguousarray(np.asarray(actions).T)})


def result_table(results: Sequence[MatchResult], title: str = "Matches") -> Table:
    """A table to print with rich, two lines a match; every figure is the first player's.

    An interval takes every game as new, so none is shown where fewer than half of the games were different.
    """
    table = Table(
        title=title,
        caption="W-D-L: wins, draws, losses; score: a draw counts half; interval: Wilson, 95 %",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("match", overflow="fold")
    for heading in ("as Black\nW-D-L", "as White\nW-D-L", "wins", "score\ninterval", "games\ndistinct", "plies"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        low, high = result.score_interval
        interval = f"{low:.1%}-{high:.1%}" if 2 * result.num_distinct_games >= result.total.num_games else "-"
        table.add_row(
            f"{result.first}\nagainst {result.second}",
            _tally_text(result.as_black),
            _tally_text(result.as_white),
            f"{result.win_rate:.1%}",
            f"{result.score_rate:.1%}\n{interval}",
            f"{result.total.num_games}\n{result.num_distinct_games}",
            f"{result.mean_num_moves:.1f}",
        )
    return table


def _tally_text(tally: Tally) -> str:
    return f"{tally.score_rate:.1%}\n{tally.wins}-{tally.draws}-{tally.losses}"
