"""Step through a game in a browser: `python -m experiments.view_game game.sgf --out game.html`.

The page is one file that needs no server and no network: board, comments, variations, and with `--checkpoint RUN` or
`--katago FILE` what that network thinks of each position of the main line: its value as a curve, its policy on the
board, and of KataGo's who will own which point, which `--num-playouts` guesses for others. Arrow keys, Home, End, the
mouse wheel, the slider, the buttons and clicks on the curve all step; game.html#60 opens at move 60. In a notebook
`viewer_html(view_record(record))` shows the same.
"""

import sys
from pathlib import Path
from typing import Annotated

import tyro

from experiments.command_line import run_command
from experiments.record_analysis import Judge, analyse, katago_judge, playout_judge, run_judge
from experiments.record_view import chosen_record, view_record
from research.networks.katago import read_network
from research.training.files import write_atomically
from research.training.trained import load_trained
from research.visualise.viewer import viewer_html


def view(
    file: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="FILE")],
    out: Path | None = None,
    game: int = 1,
    checkpoint: Path | None = None,
    iteration: int | None = None,
    katago: Path | None = None,
    num_playouts: int = 0,
    title: str | None = None,
) -> None:
    """Write a game as an HTML page to step through.

    Args:
        file: a record in SGF; of a file, folder or archive with several games, `game` says which.
        out: the page; by default the record's name with .html, in this folder.
        game: which game of the file, from 1.
        checkpoint: a run's folder, whose newest network says what it thinks of each position.
        iteration: of the checkpoint, if not the newest.
        katago: a KataGo network's file, .bin.gz or .txt.gz, that says it instead.
        num_playouts: random games from each position that say whose each point will be; 32 show it, and take a while.
        title: of the page; by default the game's name or its players.

    """
    record = chosen_record(file, game)
    viewed = view_record(record, title)
    judge = chosen_judge(checkpoint, iteration, katago)
    if num_playouts < 0:
        raise ValueError(f"num_playouts is {num_playouts}; allowed: 0 or more")
    if num_playouts:
        judge = playout_judge(num_playouts, judge)
    analysis = None if judge is None else analyse(record, viewed, judge)
    page = viewer_html(viewed, analysis)
    path = Path(f"{file.stem}.html") if out is None else out
    write_atomically(path, page)
    print(f"written: {path}, {len(record.moves)} moves, {len(page.encode()) / 1e3:.0f} KB")


def chosen_judge(checkpoint: Path | None, iteration: int | None, katago: Path | None) -> Judge | None:
    """Who says what it thinks; None if nobody is named.

    *Raises:* ValueError if there is no such network, or two are named.
    """
    if checkpoint is not None and katago is not None:
        raise ValueError("wanted --checkpoint or --katago, got both")
    if katago is not None:
        return katago_judge(read_network(katago), katago.name)
    if checkpoint is None:
        if iteration is not None:
            raise ValueError(f"iteration is {iteration}; wanted --checkpoint with the run that it is of")
        return None
    trained = load_trained(checkpoint, iteration)
    return run_judge(trained, f"{checkpoint.resolve().name}, iteration {trained.iteration}")


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the page was written, 2 for a wrong call."""
    return run_command(view, "view_game", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
