"""Which search is stronger, all else equal: `python -m experiments.search_match`, 64 simulations against 16.

Two searches of the same evaluation meet on Go, with balanced colours and random openings, and the table has the first
one's results with intervals. The evaluation needs no training: a flat policy, and as value either the score of the
position as it stands (tanh of points / 5) or the result of one random playout. Settings of the two are those of
SearchConfig: `--second.num-simulations 64 --second.rule puct` compares the rules. They play to win, without noise and
temperature. A run's network is compared by `experiments.arena`.
"""

import dataclasses
import sys
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float32
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.command_line import run_command
from research import go
from research.evaluation.arena import MatchConfig, make_match
from research.evaluation.match import result_table
from research.evaluation.players import search_player
from research.game import State
from research.networks import Prediction
from research.search import Evaluate, SearchConfig, for_matches, make_search

MATCH = MatchConfig(num_games=100, opening_plies=4)
CHANCE = ("gumbel_scale", "dirichlet_fraction", "dirichlet_total", "temperatures", "temperature_plies")


def search_match(
    first: SearchConfig = SearchConfig(num_simulations=64),  # noqa: B008 - frozen
    second: SearchConfig = SearchConfig(num_simulations=16),  # noqa: B008 - frozen
    size: int = 5,
    evaluation: Literal["score", "playout"] = "score",
    match: MatchConfig = MATCH,
    seed: int = 0,
) -> None:
    """Play a match and print its table.

    Args:
        first: the search whose results are shown.
        second: its opponent.
        size: points a side.
        evaluation: what stands for a network.
        match: number of games and openings.
        seed: of everything random in the match.

    """
    for config in (first, second):
        check_no_chance(config)
    game = go.Go(go.Rules(size=size, komi=0.5, max_moves=2 * size * size))
    evaluate = score_value(game) if evaluation == "score" else playout_value(game)
    configs = {"first": first, "second": second}
    players = [
        search_player(game, make_search(game, evaluate, for_matches(config, 0.0)), name=name)
        for name, config in configs.items()
    ]
    play = make_match(game, players[0], players[1], match)
    # The games with one colour are one program, which says nothing until it ends: what can be shown is that it goes on.
    columns = (TextColumn(f"playing {match.num_games} games"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        bar.add_task("games", total=None)
        table = result_table([play({}, {}, jax.random.key(seed))])
    for name, config in configs.items():
        print(f"{name}: {describe(config)}")
    Console().print(table)


def check_no_chance(config: SearchConfig) -> None:
    """*Raises:* ValueError if a setting is there that a match does without."""
    for name in CHANCE:
        got, default = getattr(config, name), getattr(SearchConfig(), name)
        if got != default:
            raise ValueError(f"{name} is {got}; a match is played without noise and temperature: leave it out")


def describe(config: SearchConfig) -> str:
    """What is not a default."""
    changed = {
        entry.name: getattr(config, entry.name)
        for entry in dataclasses.fields(config)
        if getattr(config, entry.name) != entry.default
    }
    return ", ".join(f"{name} {value}" for name, value in changed.items()) or "defaults"


def score_value(game: go.Go) -> Evaluate:
    """A flat policy, and the score as it stands."""

    def evaluate(_: Any, states: State) -> Prediction:
        return _flat(game, jnp.tanh(jax.vmap(lambda state: _for_mover(game, state, game.score(state)))(states) / 5.0))

    return evaluate


def playout_value(game: go.Go) -> Evaluate:
    """A flat policy, and the result of one random playout of at most `max_moves` plies; the position is its seed."""

    def play_out(state: State) -> Float32[Array, ""]:
        key = jax.random.fold_in(jax.random.key(0), state.hashes[0] ^ state.num_moves.astype(jnp.uint32))

        def play(carry: tuple[Array, State]) -> tuple[Array, State]:
            ply, now = carry
            legal = game.legal_actions(now)
            legal = legal.at[-1].set(~legal[:-1].any())  # a pass where nothing else is left
            action = jax.random.categorical(jax.random.fold_in(key, ply), jnp.where(legal, 0.0, -jnp.inf))
            return ply + 1, game.step(now, action)

        def is_running(carry: tuple[Array, State]) -> Array:
            return ~game.is_over(carry[1]) & (carry[0] < game.max_moves)

        _, end = lax.while_loop(is_running, play, (jnp.int32(0), state))
        return _for_mover(game, state, jnp.sign(game.score(end)))

    return lambda _, states: _flat(game, jax.vmap(play_out)(states))


def _for_mover(game: go.Go, state: State, value: Float32[Array, ""]) -> Float32[Array, ""]:
    return jnp.where(game.to_play(state) == 0, value, -value)


def _flat(game: go.Go, value: Float32[Array, " batch"]) -> Prediction:
    return Prediction(jnp.zeros((len(value), game.num_actions)), value)


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the match was played, 2 for a wrong call."""
    return run_command(search_match, "search_match", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
