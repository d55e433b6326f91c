"""Speed of a search beside the same search over Pgx's Go: `python -m experiments.bench_search`.

Gumbel search of 32 simulations by mctx with a network that says the same of every position, so that what is timed is
the environment in the tree and mctx itself. Three games are searched in turns in one process: ours (exact positional
superko, the last eight boards and moves kept in every node), Pgx's, whose state goes into the tree as Pgx hands it
over, and one that does nothing: a node is the count of its plies and every action is legal. The last is what mctx
costs by itself. Ours and Pgx's start from positions after some random plies. `--output` writes the figures as JSON.
"""

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import tyro
from jaxtyping import Array, Bool, Float32, Int32

from experiments.bench import print_rows
from experiments.random_play import RandomGames, make_run, our_games, pgx_games
from experiments.timing import time_in_turns
from research import go
from research.networks import Prediction
from research.search import SearchConfig, make_search
from research.training.files import write_atomically

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
    rows = [row for size, batch in shapes for row in search_rows(size, batch, num_simulations, num_rounds)]
    print_rows(f"one simulation of one game, {num_simulations} simulations a move", rows)
    if output is not None:
        write_atomically(output, json.dumps(rows, indent=2) + "\n")


def search_rows(size: int, batch: int, num_simulations: int, num_rounds: int) -> list[dict[str, Any]]:
    """Times of a simulation, as multiples of doing nothing and as parts of Pgx's."""
    config = SearchConfig(num_simulations=num_simulations)
    nothing = Nothing(size)
    searched: dict[str, tuple[Any, Any]] = {
        "ours": (go.Go(go.Rules(size=size)), opened(our_games(size, batch)).state),
        "nothing": (nothing, jax.vmap(lambda _: nothing.init())(jnp.arange(batch))),
    }
    if importlib.util.find_spec("pgx"):
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


def make_searches(game: Any, states: Any, config: SearchConfig) -> Callable[[], Any]:
    """A function that searches `states` each time it is called."""

    def evaluate(_: Any, nodes: Any) -> Prediction:
        num_nodes = jax.tree.leaves(nodes)[0].shape[0]
        return Prediction(jnp.zeros((num_nodes, game.num_actions), jnp.float32), jnp.zeros(num_nodes, jnp.float32))

    search = jax.jit(make_search(game, evaluate, config))
    return lambda: search((), states, jax.random.key(0))


def opened(random_games: RandomGames) -> Any:
    """The games after some plies."""
    return make_run(random_games, OPENING_PLIES)()[0]


class Count(NamedTuple):
    """A position of a game in which nothing happens."""

    num_moves: Int32[Array, ""]  # plies


@dataclass(frozen=True)
class Nothing:
    """A game without rules, with as many actions as Go; what a search of it takes is the search's own."""

    size: int  # points a side

    @property
    def num_actions(self) -> int:
        """Points and the pass."""
        return self.size**2 + 1

    def init(self) -> Count:
        """No ply yet."""
        return Count(jnp.int32(0))

    def step(self, state: Count, action: Int32[Array, ""], past: None = None) -> Count:
        """One ply more."""
        return Count(state.num_moves + 1)

    def legal_actions(self, state: Count, past: None = None) -> Bool[Array, " num_actions"]:
        """All."""
        return jnp.ones(self.num_actions, bool)

    def to_play(self, state: Count) -> Int32[Array, ""]:
        """Players alternate."""
        return state.num_moves & 1

    def is_over(self, state: Count) -> Bool[Array, ""]:
        """Never."""
        return jnp.bool_(False)

    def outcome(self, state: Count) -> Float32[Array, ""]:
        """None."""
        return jnp.float32(0)

    def as_node(self, state: Count, max_depth: int) -> tuple[Count, None]:
        """There is no past."""
        return state, None


@dataclass(frozen=True)
class PgxGo:
    """Pgx's Go as the search asks for a game."""

    size: int  # points a side

    @property
    def num_actions(self) -> int:
        """Points and the pass."""
        return self.size**2 + 1

    def step(self, state: Any, action: Int32[Array, ""], past: None = None) -> Any:
        """Pgx's own step, planes and legal actions included."""
        return importlib.import_module("pgx").make(f"go_{self.size}x{self.size}").step(state, action)

    def legal_actions(self, state: Any, past: None = None) -> Bool[Array, " num_actions"]:
        """As the step left it."""
        return state.legal_action_mask

    def to_play(self, state: Any) -> Int32[Array, ""]:
        """The number that Pgx gives the player."""
        return state.current_player

    def is_over(self, state: Any) -> Bool[Array, ""]:
        """Whether the game has ended."""
        return state.terminated

    def outcome(self, state: Any) -> Float32[Array, ""]:
        """What player 0 got by the last ply."""
        return state.rewards[0]

    def as_node(self, state: Any, max_depth: int) -> tuple[Any, None]:
        """The whole state."""
        return state, None


if __name__ == "__main__":
    sys.exit(tyro.cli(bench_search, prog="python -m experiments.bench_search", description=__doc__))
