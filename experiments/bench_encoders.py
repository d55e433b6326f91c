"""What each encoder costs beside agz17: `python -m experiments.bench_encoders --games FOLDER_OR_ARCHIVE`.

Positions come from recorded games (SGF; the first that fit), or without any from games of random moves. All encoders
draw the same positions in the same process, in turns; printed are microseconds a board, which say little, and their
ratio to agz17's. Each is also timed without its ladder planes; the share of ladders that a node budget reads to the end
has a table of its own. Beside the device stand the same planes drawn by Python on the host and, where Pgx is installed
(extra `bench`), the seventeen planes that it draws. Whether the C library keeps a call's memory for the next is half of
the time of the large ones: docs/performance.md, "How to measure", says how to have it so.
"""

import importlib
import importlib.util
import inspect
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax

from experiments import game_positions, host_encoders
from experiments.command_line import run_command
from experiments.game_positions import Positions
from experiments.rows import Row, print_rows
from experiments.timing import time_in_turns
from research import encoders
from research.go.ladders import LadderConfig, mover_ban, read_ladders_counted
from research.training.files import write_atomically

NUM_POSITIONS = 1024  # drawn in a timed turn, by one jitted call a batch
NUM_PASSES = 4  # over them in a turn: the first finds memory and caches as the function before it left them
NUM_ON_HOST = 32  # of them, by the host's Python
BUDGETS = (5, 20, 50, 100, 200, 500, 1000, 5000)  # nodes a first move


def bench(
    games: Path | None = None,
    size: int = 19,
    num_games: int = 10,
    batches: tuple[int, ...] = (1, 256),
    names: tuple[str, ...] = (),
    num_rounds: int = 7,
    output: Path | None = None,
) -> None:
    """Print tables of times, and of what ladder budgets read.

    Args:
        games: a record, folder, .zip or .tar of records; games of random moves by default.
        size: points a side.
        num_games: how many games of that size to take positions from.
        batches: boards drawn at once.
        names: encoders to time beside agz17; by default all that read Go.
        num_rounds: timed turns; the median counts.
        output: JSON file for the figures.

    """
    if games is None:
        positions = game_positions.of_random_games(size, num_games)
    else:
        positions = game_positions.of_records(games, size, num_games)
    chosen = variants(names or tuple(name for name in encoders.names() if name not in ("bandit", "tictactoe")))
    rows = [row for batch in batches for row in time_encoders(positions, chosen, batch, num_rounds)]
    ladders = [ladder_row(positions, budget) for budget in BUDGETS]
    print_rows(f"planes of one board of {size}x{size}, {positions.source}", rows)
    print_rows("ladders: chains of one or two liberties, and the share that is read to the end", ladders)
    if output is not None:
        write_atomically(output, json.dumps({"times": rows, "ladders": ladders}, indent=2) + "\n")


def variants(names: tuple[str, ...]) -> dict[str, encoders.Encoder]:
    """agz17 and the encoders of these names, those with ladder planes also without them."""
    chosen = {"agz17": encoders.get("agz17")}
    for name in names:
        chosen[name] = encoders.get(name)
        if "ladders" in inspect.signature(encoders.maker_of(name)).parameters:
            chosen[f"{name}, no ladders"] = encoders.get(name, ladders=False)
    return chosen


def time_encoders(positions: Positions, chosen: dict[str, encoders.Encoder], batch: int, num_rounds: int) -> list[Row]:
    """A row for each encoder, for Pgx's planes and for those of the host."""
    batches = game_positions.in_batches(positions.states, NUM_POSITIONS, batch)
    game = positions.game
    runs = {name: _drawing(partial(encoder.encode, game), batches) for name, encoder in chosen.items()}
    if importlib.util.find_spec("pgx") and game.rules.size in (9, 19):
        env, peers = game_positions.of_pgx(positions)
        runs["pgx observe"] = _drawing(env.observe, game_positions.in_batches(peers, NUM_POSITIONS, batch))
    num_boards = dict.fromkeys(runs, NUM_PASSES * NUM_POSITIONS)
    on_host = game_positions.on_host(positions)[:NUM_ON_HOST]
    for draw in (host_encoders.agz17, host_encoders.alphago48):
        name = f"{draw.__name__} on the host, no ladders"
        runs[name] = partial(lambda draw: [draw(position) for position in on_host], draw)
        num_boards[name] = len(on_host)
    times = time_in_turns(runs, num_rounds)
    agz17 = times["agz17"].run_s / num_boards["agz17"]
    return [
        {
            "batch": batch,
            "encoder": name,
            "us_a_board": 1e6 * time.run_s / num_boards[name],
            "x_agz17": time.run_s / num_boards[name] / agz17,
            "compile_s": time.compile_s - time.run_s,
        }
        for name, time in times.items()
    ]


def ladder_row(positions: Positions, max_nodes: int) -> Row:
    """What a budget of `max_nodes` reads, over all positions."""
    config, grid = LadderConfig(max_nodes=max_nodes), positions.game.grid
    read = jax.jit(jax.vmap(lambda s: read_ladders_counted(grid, s.label, mover_ban(s.ko, s.to_play), config)[1]))
    effort = jax.device_get(read(positions.states))
    num_chains = int(effort.num_chains.sum())
    return {
        "max_nodes": max_nodes,
        "chains_a_board": num_chains / len(positions.chosen),
        "nodes_a_board": float(effort.num_nodes.mean()),
        "most_nodes_of_a_board": int(effort.num_nodes.max()),
        "share_read": 1 - int(effort.num_cut.sum()) / max(num_chains, 1),
    }


def _drawing(encode: Callable, batches: list[Any]) -> Callable[[], Any]:
    """A function that draws all boards NUM_PASSES times, one call a batch."""
    draw = jax.jit(jax.vmap(encode))

    def run() -> None:
        # One batch at a time, as a network would take them: the C library gives back what many batches took, and to
        # fault that in anew at each pass costs as much as the larger planes themselves.
        for _ in range(NUM_PASSES):
            for batch in batches:
                jax.block_until_ready(draw(batch))

    return run


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the tables were printed, 2 for a wrong call."""
    return run_command(bench, "bench_encoders", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
