"""What a finished run leaves to look at: the table of its matches, learning curves, and a sample game."""

import json
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.record_analysis import Judge, analyse, run_judge
from experiments.record_view import view_record
from research import go
from research.evaluation.match import MatchResult, result_table
from research.interop import sgf
from research.training.config import RunConfig
from research.training.files import write_atomically
from research.training.loop import RunSummary
from research.training.trained import load_trained
from research.visualise.games import GameRecord, game_svg, game_text, replay
from research.visualise.plots import learning_curves, to_png
from research.visualise.viewer import Html, viewer_html


def write_report(config: RunConfig, directory: Path, summary: RunSummary, console: Console) -> None:
    """Write the run's results into its folder and print the table; names of the files are printed too."""
    game = config.make_game()
    title = f"Matches, {config.search.num_simulations} simulations a move"
    console.print(result_table(summary.evaluations, title))
    for result in summary.evaluations:
        console.print(colour_line(result), highlight=False, soft_wrap=True)
    results = [result_record(result) for result in summary.evaluations]
    write_atomically(directory / "matches.json", json.dumps(results, indent=2) + "\n")
    written = ["matches.json"]
    if summary.metrics:
        figure = learning_curves(summary.metrics, title=f"{config.name}: {summary.iteration} iterations")
        write_atomically(directory / "learning_curves.png", to_png(figure))
        written.append("learning_curves.png")
    if isinstance(game, go.Go) and summary.evaluations:
        # The last match is the one against the untrained network; the trained player has Black in its first half.
        match = summary.evaluations[-1]
        record = replay(game, match.games[0].actions[:, 0], go.board)
        players = f"Black: {match.first}, White: {match.second}\n"
        write_atomically(directory / "sample_game.txt", players + game_text(record))
        write_atomically(directory / "sample_game.svg", game_svg(record))
        judge = run_judge(load_trained(directory), config.name)
        write_atomically(
            directory / "sample_game.html", game_page(record, game.rules, (match.first, match.second), judge)
        )
        written += ["sample_game.txt", "sample_game.svg", "sample_game.html"]
    console.print(f"written to {directory}: {', '.join(written)}, checkpoints/", highlight=False, soft_wrap=True)


def game_page(game: GameRecord, rules: go.Rules, players: tuple[str, str], judge: Judge) -> Html:
    """A game to step through, Black's player first, with what `judge` thinks of it."""
    properties = dict(zip(("PB", "PW"), players, strict=True))
    record = sgf.from_actions(game.actions, rules, game.score if game.is_over else None, properties=properties)
    viewed = view_record(record)
    return viewer_html(viewed, analyse(record, viewed, judge))


def colour_line(result: MatchResult) -> str:
    """The rate at which the first player won, by colour, in words."""
    black, white = result.as_black, result.as_white
    return (
        f"{result.first} against {result.second}: won {result.win_rate:.1%} of {result.total.num_games} games "
        f"({black.wins / black.num_games:.1%} as Black, {white.wins / white.num_games:.1%} as White), "
        f"{result.num_distinct_games} distinct games"
    )


def result_record(result: MatchResult) -> dict[str, Any]:
    """A match's result as JSON values; rates are the first player's."""
    low, high = result.score_interval
    return {
        "first": result.first,
        "second": result.second,
        "wins_as_black": result.as_black.wins,
        "draws_as_black": result.as_black.draws,
        "losses_as_black": result.as_black.losses,
        "wins_as_white": result.as_white.wins,
        "draws_as_white": result.as_white.draws,
        "losses_as_white": result.as_white.losses,
        "win_share": result.win_rate,
        "score_share": result.score_rate,
        "score_share_low_95": low,
        "score_share_high_95": high,
        "distinct_games": result.num_distinct_games,
        "mean_game_length_plies": result.mean_num_moves,
    }
