"""Speed of our search loop beside mctx's: `python -m experiments.bench_lanes`.

Both search the game in which nothing happens, so what is timed is the search alone: no rules, no network. Every node
has value 0 and one of two policies: flat, where trees stay shallow, or with logit 3 on the first action, where PUCT
digs deep. mctx's are its own `gumbel_muzero_policy` and `muzero_policy` with all that they have by default, the noise
at PUCT's root included, and ours are set to the same: noise makes games differ, and a batch is as deep as its deepest.
`plain` is PUCT as it is here by default, with that noise. All are run in turns in one process.

The second table is one game of Go with a preset's network, untrained: how many positions a second it is asked about
when several leaves are evaluated together. `--output` writes the figures as JSON.
"""

import dataclasses
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
from rich.console import Console
from rich.progress import track

from configs import PRESETS
from experiments.command_line import run_command
from experiments.rows import Row, publish
from experiments.stand_in_games import Nothing
from experiments.timing import time_in_turns
from research.networks import Prediction, make_network
from research.search import Evaluate, SearchConfig, make_evaluate, make_search, make_tree_search
from research.search.model import SearchParams, make_recurrent_fn, predict_root

SHAPES = ((9, 256, 64), (19, 32, 64))  # points a side, games side by side, simulations a move
LEAVES = (1, 4, 16)  # positions evaluated together
LOGITS = (0.0, 3.0)  # of the first action of every node; the others have 0
NOISE_ALPHA = 0.3  # of the Dirichlet noise of mctx.muzero_policy
GUMBEL, PUCT = SearchConfig(rule="gumbel"), SearchConfig(rule="puct", dirichlet_fraction=0.25)
# What mctx.muzero_policy is; its noise besides.
STOCK = dataclasses.replace(PUCT, value_range="stretched", first_play_urgency="lowest")
SEARCHES = {
    "gumbel lanes": (GUMBEL, "lanes"),
    "gumbel mctx": (GUMBEL, "mctx"),
    "puct lanes": (STOCK, "lanes"),
    "puct mctx": (STOCK, "mctx"),
    "puct lanes, plain": (PUCT, "lanes"),
}

# What a timed search gives back: (plies from the root to every node, whether it is a node)
Found = tuple[jax.Array, jax.Array]


def bench_lanes(
    shapes: tuple[tuple[int, int, int], ...] = SHAPES,
    preset: str = "smoke5",
    num_rounds: int = 7,
    output: Path | None = None,
) -> None:
    """Print a table of times.

    Args:
        shapes: triples of size, batch and simulations a move.
        preset: whose game and network play the one game; a name of configs/.
        num_rounds: timed turns; the median counts.
        output: JSON file for the figures.

    """
    if preset not in PRESETS:
        raise ValueError(f"preset is {preset!r}; wanted one of {', '.join(PRESETS)}")
    parts = [functools.partial(search_rows, *shape, logit, num_rounds) for shape in shapes for logit in LOGITS]
    parts.append(functools.partial(leaf_rows, preset, num_rounds))
    console = Console(stderr=True)
    shown = track(parts, "timing", console=console, disable=not console.is_terminal, transient=True)
    *searches, leaves = [part() for part in shown]
    tables = {
        "one simulation of one game, without rules and network": [row for rows in searches for row in rows],
        "one game, with a network, 64 simulations": leaves,
    }
    publish(tables, output)


def search_rows(size: int, batch: int, num_simulations: int, logit: float, num_rounds: int) -> list[Row]:
    """Times of a simulation by either rule in either loop, beside mctx's by the same rule and Gumbel's in the same."""
    game = Nothing(size)
    states = jax.vmap(lambda _: game.init())(jnp.arange(batch))
    runs, depths = {}, {}
    for name, (config, loop) in SEARCHES.items():
        noise = NOISE_ALPHA * game.num_actions
        config = dataclasses.replace(config, num_simulations=num_simulations, dirichlet_total=noise)
        make_run = make_our_run if loop == "lanes" else make_mctx_run
        runs[name] = make_run(game, states, config, same_policy(game, logit))
        depths[name] = deepest(*runs[name]())
    times = time_in_turns(runs, num_rounds)
    rows = []
    for name, (config, loop) in SEARCHES.items():
        row: Row = {"search": name, "size": size, "batch": batch, "simulations": num_simulations, "logit": logit}
        row |= {"depth": depths[name], "us_a_simulation": times[name].run_s / batch / num_simulations * 1e6}
        row |= {"part_of_mctx": times[name].run_s / times[f"{config.rule} mctx"].run_s}
        row |= {"times_gumbel": times[name].run_s / times[f"gumbel {loop}"].run_s, "spread": times[name].spread}
        rows.append(row)
    return rows


def leaf_rows(preset: str, num_rounds: int) -> list[Row]:
    """Positions a second that one game's search asks a network about, by rule and leaves together."""
    run = PRESETS[preset]()
    game, encoder = run.make_game(), run.make_encoder()
    network = make_network(run.network, game.board_shape, encoder.num_planes, game.num_actions)
    variables, states = network.init(jax.random.key(0)), jax.tree.map(lambda leaf: leaf[None], game.init())
    evaluate = make_evaluate(game, encoder, network)
    configs = {
        f"{rule} {num_leaves}": SearchConfig(64, rule=rule, num_leaves=num_leaves)
        for rule in ("gumbel", "puct")
        for num_leaves in LEAVES
    }
    runs = {
        name: functools.partial(jax.jit(make_search(game, evaluate, config)), variables, states, jax.random.key(0))
        for name, config in configs.items()
    }
    evaluations = {name: 1 + int(search().visits.sum()) for name, search in runs.items()}
    times = time_in_turns(runs, num_rounds)
    a_second = {name: evaluations[name] / times[name].run_s for name in runs}
    return [
        {
            "rule": config.rule,
            "leaves": config.num_leaves,
            "evaluations": evaluations[name],
            "evaluations_a_second": a_second[name],
            "times_one_leaf": a_second[name] / a_second[f"{config.rule} 1"],
            "spread": times[name].spread,
        }
        for name, config in configs.items()
    ]


def same_policy(game: Nothing, logit: float) -> Evaluate:
    """Value 0 and the same policy everywhere, with `logit` for the first action and 0 for the others."""

    def evaluate(_: Any, nodes: Any) -> Prediction:
        num_nodes = nodes.num_moves.shape[0]
        logits = jnp.where(jnp.arange(game.num_actions) == 0, logit, 0.0)
        return Prediction(jnp.tile(logits, (num_nodes, 1)), jnp.zeros(num_nodes, jnp.float32))

    return evaluate


def make_our_run(game: Nothing, states: Any, config: SearchConfig, evaluate: Evaluate) -> Callable[[], Found]:
    """A function that searches `states` each time it is called."""
    search_tree = make_tree_search(game, evaluate, config)

    @jax.jit
    def search(states: Any) -> Found:
        tree = search_tree((), states, jax.random.key(0)).tree
        return tree.state.num_moves, tree.visits > 0

    return lambda: search(states)


def make_mctx_run(game: Nothing, states: Any, config: SearchConfig, evaluate: Evaluate) -> Callable[[], Found]:
    """The same by mctx's own policies."""
    expand = make_recurrent_fn(game, evaluate)
    legal = jax.vmap(game.legal_actions)(states)

    @jax.jit
    def search(states: Any) -> Found:
        logits, value = predict_root(game, evaluate, (), states, legal)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)
        policy = mctx.muzero_policy if config.rule == "puct" else mctx.gumbel_muzero_policy
        tree: Any = policy(SearchParams((), None), jax.random.key(0), root, expand, config.num_simulations).search_tree
        return tree.embeddings.num_moves, tree.node_visits > 0

    return lambda: search(states)


def deepest(plies: jax.Array, is_node: jax.Array) -> int:
    """Plies below the root of the deepest node."""
    return int(np.max(np.where(is_node, plies, 0)))


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the tables are there, 2 for a wrong call."""
    return run_command(bench_lanes, "bench_lanes", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
