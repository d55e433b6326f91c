"""Rate players by their games: `python -m experiments.elo runs/matches --anchor "gnugo:10=1800"`.

Reads the folders of matches (`python -m experiments.match`), or any other records of Go (a file, a folder, an archive)
that name their players. Ratings, with intervals, are printed as a table for each group of players that games connect.
"""

import math
import os
import sys

# Before NumPy is imported: of equations as small as these a second thread solves nothing, and on a busy machine the
# threads' waiting for each other takes twenty times as long as the work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from experiments.command_line import run_command
from research.evaluation.elo import rate
from research.evaluation.elo_report import games_of, rating_figure, rating_table
from research.interop import sgf
from research.training.files import write_atomically
from research.visualise.plots import to_png


def show(
    records: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RECORDS [RECORDS ...]")],
    anchor: tuple[str, ...] = (),
    picture: Path | None = None,
) -> None:
    """Print the ratings.

    Args:
        records: folders of matches, or other records: files, folders, archives.
        anchor: players whose ratings are known, as NAME=ELO, one in each group; without one the mean is 0.
        picture: a PNG file to write the ratings to as a picture.

    """
    if not records:
        raise ValueError("wanted at least one folder of a match, such as runs/matches")
    anchors = dict(read_anchor(text) for text in anchor)
    sources = [sgf.load(path) for path in records]
    with Console(stderr=True).status("reading games"):
        counted = games_of(record for source in sources for record in source)
    for skipped in (skipped for source in sources for skipped in source.skipped):
        if not skipped.name.endswith(".json"):  # what describes a match is no record of it
            print(f"skipped: {skipped.name}: {skipped.reason}", file=sys.stderr)
    with Console(stderr=True).status(f"rating by {len(counted.games)} games"):
        groups = rate(counted.games, anchors)
    console = Console()
    for number, group in enumerate(groups, start=1):
        title = "Ratings" if len(groups) == 1 else f"Ratings, group {number} of {len(groups)}"
        console.print(rating_table(group, title))
    if len(groups) > 1:
        console.print(f"{len(groups)} groups of players without a game between them: ratings of different groups do")
        console.print("not compare.")
    if counted.num_without_result or counted.num_repeated:
        console.print(
            f"not counted: {counted.num_without_result} records without players or result, "
            f"{counted.num_repeated} games that repeat another",
            soft_wrap=True,
        )
    if picture is not None:
        write_atomically(picture, to_png(rating_figure(groups, "Ratings")))


def read_anchor(text: str) -> tuple[str, float]:
    """(Name, Elo) of NAME=ELO; *Raises:* ValueError."""
    name, found, number = text.rpartition("=")
    try:
        if not found or not name:
            raise ValueError
        if not math.isfinite(float(number)):
            raise ValueError
        return name, float(number)
    except ValueError:
        raise ValueError(f"anchor {text!r}: wanted NAME=ELO, such as gnugo:10=1800") from None


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the ratings were shown, 2 for a wrong call."""
    return run_command(show, "elo", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
