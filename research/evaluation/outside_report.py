"""The table of a match between two engines: results by colour with intervals, how games ended, what was in dispute.

*Source:* own design.
"""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from research.evaluation.elo import GameResult, rate
from research.evaluation.elo_report import games_of
from research.evaluation.intervals import wilson_interval
from research.evaluation.match import Tally
from research.evaluation.outside_match import MatchSummary, summarise_records
from research.interop import sgf

MAX_DISPUTES = 10  # that are printed


def print_match(console: Console, first: str, second: str, records: Sequence[sgf.Record], title: str) -> None:
    """Print what the records of a match come to; *Raises:* MatchError for a record of other players."""
    summary = summarise_records(first, second, records)
    console.print(match_table(summary, title))
    for line in (*notes(summary), *elo_lines(summary, records)):
        console.print(line, highlight=False, soft_wrap=True)


def match_table(summary: MatchSummary, title: str) -> Table:
    """A table to print with rich; every figure is the first player's."""
    table = Table(
        title=title,
        caption=f"for {summary.first}; W-D-L: wins, draws, losses; score: a draw counts half; interval: Wilson, 95 %",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column(f"{summary.first}\nagainst {summary.second}", overflow="fold")
    for heading in ("games", "W-D-L", "wins", "score", "interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, tally in (("as Black", summary.as_black), ("as White", summary.as_white), ("both", summary.total)):
        table.add_row(name, *_cells(tally))
    return table


def notes(summary: MatchSummary) -> list[str]:
    """Lines for what the table does not tell."""
    num_games = summary.total.num_games + summary.num_without_result
    if num_games == 0:
        return ["no game has been played yet"]
    endings = ", ".join(f"{number} by {how}" for how, number in summary.endings.items() if number)
    lines = [
        f"{num_games} games, {summary.num_distinct_games} of them distinct, "
        f"{summary.num_plies / num_games:.0f} plies a game; ended: {endings or 'none'}"
    ]
    if summary.num_without_result:
        lines.append(f"{summary.num_without_result} without result, not counted")
    if 2 * summary.num_distinct_games < num_games:
        lines.append("warning: most games repeat others, so the intervals are too narrow; try more --opening-plies")
    for player, number in summary.num_forfeits.items():
        if number:
            lines.append(f"{player} lost {number} by forfeit")
    more = len(summary.disputes) - MAX_DISPUTES
    return [*lines, *summary.disputes[:MAX_DISPUTES], *([f"and {more} more such lines"] if more > 0 else [])]


def elo_lines(summary: MatchSummary, records: Sequence[sgf.Record]) -> list[str]:
    """The difference in Elo, games that repeat others counted once."""
    games: list[GameResult] = games_of(records).games
    if not games:
        return []
    group = rate(games, {summary.second: 0.0})[0]
    rating = next(rating for rating in group.ratings if rating.name == summary.first)
    advantage, low, high = group.advantage
    note = f"; {summary.first} {rating.note}" if rating.note else ""
    return [
        f"Elo difference {round(rating.elo):+} ({round(rating.low):+} to {round(rating.high):+}){note}",
        f"Black's advantage {round(advantage):+} Elo ({round(low):+} to {round(high):+})",
    ]


def _cells(tally: Tally) -> tuple[str, ...]:
    """The cells for some games."""
    if tally.num_games == 0:
        return "0", "-", "-", "-", "-"
    low, high = wilson_interval(tally.points, tally.num_games)
    return (
        str(tally.num_games),
        f"{tally.wins}-{tally.draws}-{tally.losses}",
        f"{tally.wins / tally.num_games:.1%}",
        f"{tally.score_rate:.1%}",
        f"{low:.1%}-{high:.1%}",
    )
