"""What a move costs beside a simulation: `python -m experiments.bench_reuse`.

Timed in turns, in one process: a search of Go by PUCT that takes trees and leaves trees, `advance` by the actions that
it chose, and the means of influence maps in all nodes. An advance writes over trees that are donated to jit;
here it must not, so it copies them first, and the time of copying is taken off. The network is new,
and its policy is made to fall from action to action, so that trees get deep. With `--num-channels 0` there is none, and
a simulation is the rules and the search alone. `--output` writes the figures as JSON.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from rich.console import Console
from rich.progress import track

from experiments.command_line import run_command
from experiments.random_play import make_run, our_games
from experiments.rows import Row, publish
from experiments.timing import time_in_turns
from research import encoders, go
from research.networks import NetworkConfig, Prediction, make_network
from research.search import Evaluate, SearchConfig, make_evaluate, make_reusing_search
from research.search.influence import mean_maps, no_influence

OPENING_PLIES = 20  # random plies before the searched position
SLOPE = 0.3  # by which logits fall from one action to the next
SHAPES = ((9, 256, 32), (9, 32, 64), (19, 32, 64))  # points a side, games side by side, simulations a move


def bench_reuse(
    shapes: tuple[tuple[int, int, int], ...] = SHAPES,
    num_blocks: int = 6,
    num_channels: int = 96,
    num_rounds: int = 7,
    output: Path | None = None,
) -> None:
    """Print a table of times.

    Args:
        shapes: triples of size, batch and simulations a move.
        num_blocks: of the network.
        num_channels: of the network; 0: there is none.
        num_rounds: timed turns; the median counts.
        output: JSON file for the figures.

    """
    if num_rounds < 1:
        raise ValueError(f"num_rounds is {num_rounds}; allowed: 1 or more")
    network = NetworkConfig(num_blocks, num_channels) if num_channels else None
    console = Console(stderr=True)
    shown = track(shapes, "timing", console=console, disable=not console.is_terminal, transient=True)
    rows = [row for shape in shown for row in reuse_rows(*shape, network, num_rounds)]
    publish({"reuse and influence beside one simulation of the batch": rows}, output)


def reuse_rows(
    size: int, batch: int, num_simulations: int, network: NetworkConfig | None, num_rounds: int
) -> list[Row]:
    """The times of a simulation, an advance and the means of all maps."""
    runs, share = make_runs(size, batch, num_simulations, network)
    times = time_in_turns(runs, num_rounds)
    simulation_s = times["search"].run_s / num_simulations
    rows = []
    for name in ("search", "advance", "influence"):
        timing = times[name]
        seconds = timing.run_s / num_simulations if name == "search" else timing.run_s
        seconds -= times["copy"].run_s if name == "advance" else 0.0
        row: Row = {"what": "simulation" if name == "search" else name, "size": size, "batch": batch}
        row |= {"simulations": num_simulations, "kept_share": share, "ms": seconds * 1e3}
        rows.append({**row, "simulations_worth": seconds / simulation_s, "spread": timing.spread})
    return rows


def make_runs(
    size: int, batch: int, num_simulations: int, network: NetworkConfig | None
) -> tuple[dict[str, Callable[[], Any]], float]:
    """(functions to time, the share of the tree's nodes that an advance keeps)."""
    game = go.Go(go.Rules(size=size))
    config = SearchConfig(num_simulations=num_simulations, rule="puct", temperatures=(0.0,))
    states = make_run(our_games(size, batch), OPENING_PLIES)()[0].state

    variables, evaluate = make_evaluation(game, network)
    no_trees, search, advance = make_reusing_search(game, evaluate, config)
    search, step = jax.jit(search), jax.jit(jax.vmap(game.step))
    advance, copy = jax.jit(advance), jax.jit(lambda tree: jax.tree.map(jnp.copy, tree))
    empty = no_trees(states)
    result, tree = search(variables, states, jax.random.key(0), empty)
    tree, states = advance(tree, result.action), step(states, result.action)
    result, after = search(variables, states, jax.random.key(1), tree)
    kept = advance(after, result.action)
    share = float(jnp.sum(kept.visits > 0) / jnp.sum(after.visits > 0))
    influence, means = no_influence(after, game.board_shape), jax.jit(mean_maps)
    runs = {
        "search": lambda: search(variables, states, jax.random.key(1), tree),
        "advance": lambda: advance(after, result.action),
        "copy": lambda: copy(after),
        "influence": lambda: means(after, influence),
    }
    return runs, share


def make_evaluation(game: go.Go, config: NetworkConfig | None) -> tuple[Any, Evaluate]:
    """(variables, an evaluation by a new network, or by none), with the same falling policy everywhere."""
    logits = -SLOPE * jnp.arange(game.num_actions, dtype=jnp.float32)

    def even(_: Any, nodes: go.GoState) -> Prediction:
        return Prediction(jnp.tile(logits, (len(nodes.to_play), 1)), jnp.zeros(len(nodes.to_play), jnp.float32))

    if config is None:
        return (), even
    encoder = encoders.get("agz17")
    network = make_network(config, game.board_shape, encoder.num_planes, game.num_actions)
    ask = make_evaluate(game, encoder, network)

    def evaluate(variables: Any, nodes: go.GoState) -> Prediction:
        prediction = ask(variables, nodes)
        return prediction._replace(policy_logits=prediction.policy_logits + logits)

    return network.init(jax.random.key(0)), evaluate


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the table is there, 2 for a wrong call."""
    return run_command(bench_reuse, "bench_reuse", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
