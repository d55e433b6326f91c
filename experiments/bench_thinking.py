"""Speed of one game's searches, as GTP and analysis make them: `python -m experiments.bench_thinking --katago FILE`.

Two tables. The first is a game in which every move is thought about for a number of searches, as a clock grants them:
with and without a table of evaluations, by Gumbel, whose searches begin anew, and by PUCT, whose tree is kept. All ways
think about the same positions, in turns. The second asks how many positions a second a search has evaluated when
several leaves go to the network together, without a table.

The network is a KataGo network's file or a preset's, untrained. `--output` writes the figures as JSON.
"""

import dataclasses
import functools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from configs import PRESETS
from experiments.command_line import run_command
from experiments.rows import Row, publish
from experiments.timing import time_in_turns
from research.evaluation.gtp_device import DeviceGame, device_rules
from research.evaluation.gtp_game import HostGame
from research.evaluation.gtp_search import MemoryConfig
from research.evaluation.gtp_thinkers import Question, begin
from research.evaluation.network_thinker import NetworkThinker
from research.game import Game
from research.go import coords
from research.go.rules import Rules
from research.networks import make_network
from research.networks.katago import KataGoNetwork, make_katago_evaluate, read_network
from research.search import Evaluate, SearchConfig, Variables, for_matches, make_evaluate, make_search
from research.search.config import Rule

NO_MEMORY, TABLE_ALONE, TREE_ALONE = MemoryConfig(0, 0), MemoryConfig(num_kept=0), MemoryConfig(num_cached=0)
WAYS: dict[str, tuple[Rule, MemoryConfig]] = {
    "gumbel": ("gumbel", NO_MEMORY),
    "gumbel, table": ("gumbel", TABLE_ALONE),
    "puct, tree": ("puct", TREE_ALONE),
    "puct, tree and table": ("puct", MemoryConfig()),
}


def bench(
    katago: Path | None = None,
    preset: str = "smoke5",
    size: int = 9,
    num_moves: int = 12,
    num_searches: int = 4,
    num_simulations: int = 64,
    gumbel_scale: float = 1.0,
    ways: tuple[str, ...] = tuple(WAYS),
    leaves: tuple[int, ...] = (1, 4, 16),
    num_rounds: int = 5,
    output: Path | None = None,
) -> None:
    """Print both tables.

    Args:
        katago: file of a KataGo network; None: the preset's network, untrained.
        preset: whose network and board size it is, if it is no KataGo network.
        size: points a side, of a KataGo network's board.
        num_moves: moves of the game; 0: no such table.
        num_searches: searches a move.
        num_simulations: simulations a search.
        gumbel_scale: noise at a Gumbel root, without which a second search would be the first.
        ways: which of the first table's lines to make.
        leaves: positions that are evaluated together, in the second table; none: no such table.
        num_rounds: timed turns of the second table; the median counts.
        output: JSON file for the figures.

    """
    if unknown := set(ways) - set(WAYS):
        raise ValueError(f"ways has {sorted(unknown)}; allowed: {', '.join(WAYS)}")
    make, variables = network_of(katago, preset)
    size = size if katago is not None else PRESETS[preset]().make_game().board_shape[0]
    search, thinkers = SearchConfig(num_simulations), {}
    for name in ways:
        rule, memory = WAYS[name]
        config = for_matches(dataclasses.replace(search, rule=rule), gumbel_scale)
        thinkers[name] = NetworkThinker(name, size, make, variables, config, memory=memory)
    tables = {}
    if num_moves:
        title = f"{size}x{size}, {num_searches} searches of {num_simulations} simulations a move"
        tables[title] = game_rows(thinkers, size, num_moves, num_searches)
    if leaves:
        tables[f"{size}x{size}, leaves together"] = leaf_rows(make, variables, size, search, leaves, num_rounds)
    publish(tables, output)


def network_of(katago: Path | None, preset: str) -> tuple[Callable[[Any], Evaluate], Variables]:
    """(how a search of a game asks the network, the network's variables)."""
    if katago is not None:
        file = read_network(katago)
        make_of_file = functools.partial(make_katago_evaluate, network=KataGoNetwork(file.description))
        return make_of_file, jax.device_put(file.variables)
    run = PRESETS[preset]()
    game, encoder = run.make_game(), run.make_encoder()
    network = make_network(run.network, game.board_shape, encoder.num_planes, game.num_actions)

    def make(game: Game) -> Evaluate:
        return make_evaluate(game, encoder, network)

    return make, network.init(jax.random.key(0))


def game_rows(thinkers: dict[str, NetworkThinker], size: int, num_moves: int, num_searches: int) -> list[Row]:
    """A line for each way to think: what a move takes, and what of it was known before."""
    game, names = HostGame(Rules(size=size)), list(thinkers)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    behind: dict[str, list[int]] = {name: [] for name in names}
    for thinker in thinkers.values():
        thinker.prepare(Question(game, "black", 7.0))
    for number in range(num_moves):
        question, actions = Question(game, game.to_play, 7.0), {}
        for name in names[number % len(names) :] + names[: number % len(names)]:
            started = time.perf_counter()
            opinion = begin(thinkers[name], question)
            for _ in range(num_searches):
                thinkers[name].think(question, opinion)
            seconds[name].append(time.perf_counter() - started)
            behind[name].append(opinion.num_simulations)
            actions[name] = thinkers[name].choose(opinion)
        game.play(game.to_play, coords.point_from_action(actions[names[0]], size))
    rows = []
    for name in names:
        asked, known = thinkers[name].evaluations()
        rows.append(
            {
                "search": name,
                "moves": num_moves,
                "s_a_move": statistics.median(seconds[name]),
                "times_first": statistics.median(seconds[name]) / statistics.median(seconds[names[0]]),
                "evaluations_known": known / asked if asked else 0.0,
                "simulations_behind_a_move": float(np.mean(behind[name])),
            }
        )
    return rows


def leaf_rows(
    make: Callable[[Any], Evaluate],
    variables: Variables,
    size: int,
    search: SearchConfig,
    leaves: tuple[int, ...],
    num_rounds: int,
) -> list[Row]:
    """Positions a second that a search asks the network about, by rule and leaves together."""
    host = HostGame(Rules(size=size))
    positions = DeviceGame(device_rules(host))
    states, evaluate = positions.states(host, "black", 7.0), make(positions.game)
    rules: tuple[Rule, ...] = ("gumbel", "puct")
    configs = {(rule, n): dataclasses.replace(search, rule=rule, num_leaves=n) for rule in rules for n in leaves}
    runs = {
        f"{rule} {n}": functools.partial(
            jax.jit(make_search(positions.game, evaluate, config)), variables, states, jax.random.key(0)
        )
        for (rule, n), config in configs.items()
    }
    evaluations = {name: 1 + int(run().visits.sum()) for name, run in runs.items()}
    times = time_in_turns(runs, num_rounds)
    a_second = {name: evaluations[name] / times[name].run_s for name in runs}
    return [
        {
            "rule": rule,
            "leaves": n,
            "evaluations": evaluations[f"{rule} {n}"],
            "evaluations_a_second": a_second[f"{rule} {n}"],
            "times_first": a_second[f"{rule} {n}"] / a_second[f"{rule} {leaves[0]}"],
            "spread": times[f"{rule} {n}"].spread,
        }
        for rule, n in configs
    ]


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when all was timed, 2 for a wrong call."""
    return run_command(bench, "bench_thinking", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
