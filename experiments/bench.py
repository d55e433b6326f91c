"""Speed of the environment beside Pgx's Go: `python -m experiments.bench --sizes 9 19 --batches 1 32 256 1024`.

Both play the same random games on the CPU or whatever JAX finds, in turns in one process: a random legal move, the
step, the result at the end, a new game after it, the next legal mask. `positional` is ours with exact superko in the
mask, the last eight boards and moves remembered; `simple` is ours without superko; `planes` is `positional` and the
seventeen planes each ply, as Pgx draws them. Pgx comes with the extra `bench`; without it only ours is timed.

Three more tables say how the cost grows: with the batch (microseconds a board should not rise), with the size
(nanoseconds a point of the board should not rise), and with the length of the game (not at all). `--output` writes all
figures as JSON.
"""

import importlib.util
import sys
from pathlib import Path

from experiments.command_line import run_command
from experiments.random_play import make_run, make_run_from, our_games, pgx_games
from experiments.rows import Row, publish
from experiments.timing import Timing, time_in_turns
from research import go

PLIES_AT_256 = {9: 64, 13: 40, 19: 24}  # plies a call at these sizes and a batch of 256; more games take fewer plies
PGX_SIZES = (9, 19)
GROWTH_SIZES = (9, 13, 19)  # of the table of sizes
GROWTH_BATCH = 256  # of the tables of sizes and of lengths
YOUNG, OLD = 20, 300  # ages of the games that are compared, in plies; where games end sooner the older are younger
PLIES_OF_AGED = 16  # plies a call of that comparison


def bench(
    sizes: tuple[int, ...] = (9, 19),
    batches: tuple[int, ...] = (1, 32, 256, 1024),
    num_rounds: int = 7,
    growth: bool = True,
    output: Path | None = None,
) -> None:
    """Print tables of times.

    Args:
        sizes: points a side, 9 or 19 where Pgx is to be compared.
        batches: games side by side.
        num_rounds: timed turns; the median counts.
        growth: whether to time sizes and lengths of games as well.
        output: JSON file for the figures.

    """
    rows = [row for size in sizes for batch in batches for row in speed_rows(size, batch, num_rounds)]
    tables = {"speed": rows, "superko": superko_rows(rows), "batches": batch_rows(rows)}
    if growth:
        tables["sizes"] = size_rows(num_rounds)
        tables["lengths"] = [row for size in sizes for row in length_rows(size, num_rounds)]
    publish(tables, output)


def speed_rows(size: int, batch: int, num_rounds: int) -> list[Row]:
    """Time of a ply of one game in each way of playing, and how many times as fast as Pgx that is."""
    ways = {
        "positional": our_games(size, batch),
        "simple": our_games(size, batch, ko="simple"),
        "planes": our_games(size, batch, with_planes=True),
    }
    if importlib.util.find_spec("pgx") and size in PGX_SIZES:
        ways["pgx"] = pgx_games(size, batch)
    num_plies = plies_a_call(size, batch)
    times = time_in_turns({name: make_run(way, num_plies) for name, way in ways.items()}, num_rounds)
    rows = [row_of(name, size, batch, num_plies, timing) for name, timing in times.items()]
    if "pgx" in times:
        rows = [{**row, "times_pgx": times["pgx"].run_s / times[row["what"]].run_s} for row in rows]
    return rows


def superko_rows(rows: list[Row]) -> list[Row]:
    """What exact superko costs: a ply with it over a ply without."""
    time_of = {(row["what"], row["size"], row["batch"]): row["us_a_ply"] for row in rows}
    return [
        {"size": size, "batch": batch, "times_simple": time / time_of["simple", size, batch]}
        for (what, size, batch), time in time_of.items()
        if what == "positional"
    ]


def batch_rows(rows: list[Row]) -> list[Row]:
    """A ply of the whole batch beside the smallest batch's: at most as many times as there are games more."""
    ours = [row for row in rows if row["what"] == "positional"]
    smallest = {row["size"]: row for row in sorted(ours, key=lambda row: -row["batch"])}
    found = []
    for row in ours:
        first = smallest[row["size"]]
        games = row["batch"] / first["batch"]
        time = games * row["us_a_ply"] / first["us_a_ply"]
        found.append({"size": row["size"], "batch": row["batch"], "times_games": games, "times_time": time})
    return found


def size_rows(num_rounds: int) -> list[Row]:
    """A ply a point of the board, at several sizes."""
    runs = {size: make_run(our_games(size, GROWTH_BATCH), plies_a_call(size, GROWTH_BATCH)) for size in GROWTH_SIZES}
    times = time_in_turns({str(size): run for size, run in runs.items()}, num_rounds)
    return [
        {
            "size": size,
            "batch": GROWTH_BATCH,
            "ns_a_point": times[str(size)].run_s / plies_a_call(size, GROWTH_BATCH) / GROWTH_BATCH / size**2 * 1e9,
        }
        for size in GROWTH_SIZES
    ]


def length_rows(size: int, num_rounds: int) -> list[Row]:
    """A ply of young games and one of old games, each time from the same positions on."""
    ages = (YOUNG, min(OLD, go.Rules(size=size).num_moves_allowed - 2 * PLIES_OF_AGED))
    runs = {str(age): make_run_from(our_games(size, GROWTH_BATCH), age, PLIES_OF_AGED) for age in ages}
    times = time_in_turns(runs, num_rounds)
    return [row_of(f"from ply {age}", size, GROWTH_BATCH, PLIES_OF_AGED, times[str(age)]) for age in ages]


def plies_a_call(size: int, batch: int) -> int:
    """Plies of each game in one timed call: enough to be timed, and not too long at the larger sizes."""
    return max(8, PLIES_AT_256.get(size, 32) * 256 // batch)


def row_of(what: str, size: int, batch: int, num_plies: int, timing: Timing) -> Row:
    """One line of a table: a ply of one game."""
    return {
        "what": what,
        "size": size,
        "batch": batch,
        "us_a_ply": timing.run_s / num_plies / batch * 1e6,
        "spread": timing.spread,
        "compile_s": timing.compile_s,
    }


if __name__ == "__main__":
    sys.exit(run_command(bench, "bench", __doc__, None))
