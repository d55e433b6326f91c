"""Speed of a search beside the same search over Pgx's Go: `python -m experiments.bench_search`.

Gumbel search of 32 simulations in mctx's loop with a network that says the same of every position, so that what is
timed is the environment in the tree and mctx itself. Three games are searched in turns in one process: ours (exact
positional superko, the last eight boards and moves kept in every node), Pgx's, whose state goes into the tree as Pgx
hands it over, and one that does nothing: a node is the count of its plies and every action is legal. The last is what
mctx costs by itself. Ours and Pgx's start from positions after some random plies. `--output` writes JSON.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from experiments.bench import PGX_SIZES
from experiments.command_line import run_command
from experiments.random_play import RandomGames, make_run, our_games, pgx_games
from experiments.rows import Row, publish
from experiments.stand_in_games import Nothing, PgxGo
from experiments.timing import time_in_turns
from research import go
from research.game import Game
from research.networks import Prediction
from research.search import SearchConfig, make_search

OPENING_PLIES = 30  # random plies before the searched position
SHAPES = ((9, 64), (19, 16))  # sizes, and games side by side


def bench_search(
    num_simulations: int = 32,
    shapes: tuple[tuple[int, int], ...] = SHAPES,
    num_rounds: int = 7,
    output: Path | None = None,
) -> None:
    """Print a table of times.

    Args:
        num_simulations: simulations a move.
        shapes: pairs of size and batch; Pgx has sizes 9 and 19.
        num_rounds: timed turns; the median counts.
        output: JSON file for the figures.

    """
    if num_simulations < 1:
        raise ValueError(f"num_simulations is {num_simulations}; allowed: 1 or more")
    rows = [row for size, batch in shapes for row in search_rows(size, batch, num_simulations, num_rounds)]
    publish({f"one simulation of one game, {num_simulations} simulations a move": rows}, output)


def search_rows(size: int, batch: int, num_simulations: int, num_rounds: int) -> list[Row]:
    """Times of a simulation, as multiples of doing nothing and as parts of Pgx's."""
    config = SearchConfig(num_simulations=num_simulations, backend="mctx")
    nothing = Nothing(size)
    searched: dict[str, tuple[Game, Any]] = {
        "ours": (go.Go(go.Rules(size=size)), opened(our_games(size, batch)).state),
        "nothing": (nothing, jax.vmap(lambda _: nothing.init())(jnp.arange(batch))),
    }
    if importlib.util.find_spec("pgx") and size in PGX_SIZES:
        searched["pgx"] = (PgxGo(size), opened(pgx_games(size, batch)))
    runs = {name: make_searches(game, states, config) for name, (game, states) in searched.items()}
    times = time_in_turns(runs, num_rounds)
    rows = []
    for name, timing in times.items():
        row = {
            "what": name,
            "size": size,
            "batch": batch,
            "us_a_simulation": timing.run_s / batch / num_simulations * 1e6,
        }
        row |= {"times_nothing": timing.run_s / times["nothing"].run_s, "spread": timing.spread}
        if "pgx" in times:
            row["times_pgx"] = times["pgx"].run_s / timing.run_s
        rows.append({**row, "compile_s": timing.compile_s})
    return rows


def make_searches(game: Game, states: Any, config: SearchConfig) -> Callable[[], Any]:
    """A function that searches `states` each time it is called."""

    def evaluate(_: Any, nodes: Any) -> Prediction:
        num_nodes = jax.tree.leaves(nodes)[0].shape[0]
        return Prediction(jnp.zeros((num_nodes, game.num_actions), jnp.float32), jnp.zeros(num_nodes, jnp.float32))

    search = jax.jit(make_search(game, evaluate, config))
    return lambda: search((), states, jax.random.key(0))


def opened(random_games: RandomGames) -> Any:
    """The games after some plies."""
    return make_run(random_games, OPENING_PLIES)()[0]


if __name__ == "__main__":
    sys.exit(run_command(bench_search, "bench_search", __doc__, None))
