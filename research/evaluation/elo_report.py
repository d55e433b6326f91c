"""Ratings to look at, a table and a picture, and the games of records that they are made from.

A game that repeats another one move by move, with the same players and colours, tells nothing new, so it is counted
once: players without chance would else look surer than they are.

*Source:* own design.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from matplotlib.figure import Figure
from rich import box
from rich.table import Table

from research.evaluation.elo import GameResult, RatedGroup
from research.evaluation.outside_match import player_name
from research.interop import sgf


class CountedGames(NamedTuple):
    """The games of some records, and how many records gave none."""

    games: list[GameResult]
    num_without_result: int  # or without the players' names
    num_repeated: int  # move by move


def games_of(records: Iterable[sgf.Record]) -> CountedGames:
    """The games that count."""
    games: list[GameResult] = []
    seen: set[tuple] = set()
    num_without_result = num_repeated = 0
    for record in records:
        black, white = player_name(record, "PB"), player_name(record, "PW")
        if record.winner is None or not black or not white or black == white:
            num_without_result += 1
            continue
        key = (black, white, record.size, record.setup, record.moves, record.result)
        if record.moves and key in seen:
            num_repeated += 1
            continue
        seen.add(key)
        games.append(GameResult(black, white, {"black": 1, "white": -1, "draw": 0}[record.winner]))
    return CountedGames(games, num_without_result, num_repeated)


def rating_table(group: RatedGroup, title: str) -> Table:
    """A table to print with rich, best player first."""
    zero = f"{group.anchor} is set to its rating" if group.anchor else "the mean is set to 0"
    advantage, low, high = group.advantage
    table = Table(
        title=title,
        caption=f"Elo; {zero}; intervals: likelihood, 95 %; Black's advantage {round(advantage):+} "
        f"({round(low):+} to {round(high):+}); {group.draw_share:.1%} drawn",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("player", overflow="fold")
    for heading in ("Elo", "interval", "games", "W-D-L", "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    for rating in group.ratings:
        tally, is_anchor = rating.tally, rating.name == group.anchor
        table.add_row(
            f"{rating.name}\n  {rating.note}" if rating.note else rating.name,
            str(round(rating.elo)),
            "anchor" if is_anchor else f"{round(rating.low)} to {round(rating.high)}",
            str(tally.num_games),
            f"{tally.wins}-{tally.draws}-{tally.losses}",
            f"{tally.score_rate:.1%}",
        )
    return table


def rating_figure(groups: Sequence[RatedGroup], title: str) -> Figure:
    """A figure with a line for each player: its rating and the interval."""
    ratings = [rating for group in groups for rating in group.ratings]
    figure = Figure(figsize=(7.0, 1.2 + 0.32 * len(ratings)), layout="constrained")
    axes = figure.add_subplot()
    for place, rating in enumerate(ratings):
        axes.plot([rating.low, rating.high], [place, place], color="tab:blue", linewidth=2)
        axes.plot([rating.elo], [place], "o", color="tab:blue")
    axes.set_yticks(range(len(ratings)), [rating.name for rating in ratings])
    axes.set_ylim(len(ratings) - 0.5, -0.5)
    axes.set_xlabel("Elo, with 95 % intervals")
    axes.set_title(title)
    axes.grid(axis="x", alpha=0.3)
    return figure
