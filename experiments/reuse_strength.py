"""Whether tree reuse wins games at equal time: `python -m experiments.reuse_strength`.

Two players search the same Go positions by PUCT with a flat prior and random games as values. One goes on with its tree
from move to move, the other starts anew each time, with as many more simulations as cost the same: first both are timed
in turns on the same positions, two advances included, and the plain player's simulations are raised by the ratio. Each
game begins with random plies, and every opening is played twice with the colours changed. `--output` writes the
figures as JSON.
"""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.command_line import run_command
from experiments.random_play import make_run, our_games
from experiments.rows import Row, publish
from experiments.timing import time_in_turns
from research import go
from research.evaluation.intervals import wilson_interval
from research.game import State
from research.networks import Prediction
from research.search import ReusingSearch, SearchConfig, make_reusing_search, make_search
from research.search.model import Evaluate
from research.search.playouts import play_out

CONFIG = SearchConfig(
    rule="puct", value_range="plain", first_play_urgency="parent", dirichlet_fraction=0.0, temperatures=(0.0,)
)


def reuse_strength(
    size: int = 7,
    num_simulations: int = 64,
    num_openings: int = 64,
    opening_plies: int = 6,
    komi: float = 9.5,
    num_rounds: int = 5,
    output: Path | None = None,
) -> None:
    """Play the match and print its result.

    Args:
        size: points a side.
        num_simulations: of the player with reuse; the other gets what costs the same time.
        num_openings: each is played twice.
        opening_plies: random plies of an opening.
        komi: points White gets.
        num_rounds: timed turns; the median counts.
        output: JSON file for the figures.

    """
    if min(num_openings, num_rounds) < 1:
        raise ValueError(f"num_openings is {num_openings} and num_rounds {num_rounds}; allowed: 1 or more of each")
    game = go.Go(go.Rules(size=size, komi=komi))
    config = dataclasses.replace(CONFIG, num_simulations=num_simulations)
    evaluate = make_playout_evaluate(game)
    reusing = make_reusing_search(game, evaluate, config)
    reusing = ReusingSearch(*map(jax.jit, reusing))
    states = make_run(our_games(size, num_openings), opening_plies)()[0].state._replace(
        komi=jnp.full(num_openings, komi, jnp.float32)
    )
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        ended = bar.add_task("timing both players, then games", total=2 * num_openings)
        ratio = time_ratio(game, reusing, evaluate, config, states, num_rounds)
        num_plain = max(num_simulations, round(num_simulations * ratio))
        plain = jax.jit(make_search(game, evaluate, dataclasses.replace(config, num_simulations=num_plain)))
        sides = []
        for side in (0, 1):
            tell = lambda number, before=side * num_openings: bar.update(ended, completed=before + number)  # noqa: E731
            sides.append(play_match(game, reusing, plain, states, side, tell))
    outcomes = np.concatenate(sides)
    points, games = float((outcomes + 1).sum() / 2), len(outcomes)
    low, high = wilson_interval(points, games)
    row: Row = {"size": size, "reuse_simulations": num_simulations, "plain_simulations": num_plain}
    row |= {"time_ratio": ratio, "games": games, "reuse_points": points, "rate": points / games}
    publish({"reuse against none at equal time": [{**row, "low_95": low, "high_95": high}]}, output)


def make_playout_evaluate(game: go.Go) -> Evaluate:
    """A flat policy, and as value who wins one random game, which is always the same from the same position."""
    free = go.Go(dataclasses.replace(game.rules, ko="simple"))
    max_plies = 3 * game.rules.size**2

    def evaluate(_: Any, states: go.GoState) -> Prediction:
        bare = states._replace(history=states.history[..., :0], history_length=jnp.zeros_like(states.history_length))
        keys = jax.vmap(lambda hashes: jax.random.fold_in(jax.random.key(0), hashes[2]))(states.hashes)
        ends = play_out(free, bare, jax.vmap(game.is_over)(states), keys, max_plies)
        for_black = jnp.sign(jax.vmap(free.score)(ends))
        value = jnp.where(states.to_play == 0, for_black, -for_black)
        return Prediction(jnp.zeros((len(value), game.num_actions)), value)

    return evaluate


def time_ratio(
    game: go.Go, reusing: ReusingSearch, evaluate: Evaluate, config: SearchConfig, states: State, num_rounds: int
) -> float:
    """How much longer a move takes with reuse: a search on a tree, and an advance for each side's move."""
    plain = jax.jit(make_search(game, evaluate, config))
    _, empty = reusing.search((), states, jax.random.key(0), reusing.no_trees(states))
    key = jax.random.key(0)

    def move() -> Any:
        result, tree = reusing.search((), states, key, empty)
        return reusing.advance(reusing.advance(tree, result.action), result.action)

    runs: dict[str, Callable[[], Any]] = {"reuse": move, "plain": lambda: plain((), states, key)}
    times = time_in_turns(runs, num_rounds)
    return times["reuse"].run_s / times["plain"].run_s


def play_match(
    game: go.Go, reusing: ReusingSearch, plain: Callable, states: State, side: int, tell: Callable[[int], object]
) -> np.ndarray:
    """The outcomes for the player with reuse, who plays `side` (0 Black, 1 White).

    `tell` is called before each ply with the number of games that are over.
    """
    step = jax.jit(jax.vmap(game.step))
    tree = reusing.no_trees(states)
    is_over, to_play, outcome = (jax.jit(jax.vmap(ask)) for ask in (game.is_over, game.to_play, game.outcome))
    key = jax.random.key(side)
    for ply in range(game.max_moves):
        has_ended = np.asarray(is_over(states))
        tell(int(has_ended.sum()))
        if has_ended.all():
            break
        ply_key = jax.random.fold_in(key, ply)
        # Every opening has the same number of plies, so in all games that go on the same side is to move.
        if int(to_play(states)[~has_ended][0]) == side:
            result, tree = reusing.search((), states, ply_key, tree)
        else:
            result = plain((), states, ply_key)
        states, tree = step(states, result.action), reusing.advance(tree, result.action)
    for_black = np.asarray(outcome(states))
    return for_black if side == 0 else -for_black


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the match was played, 2 for a wrong call."""
    return run_command(reuse_strength, "reuse_strength", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
