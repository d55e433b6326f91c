"""Let two players meet: `python -m experiments.arena runs/smoke5 random`.

A player is a run's folder (its newest checkpoint, with the run's search), FOLDER@ITERATION, FOLDER:policy (the network
alone), FOLDER:64 (64 simulations a move) or `random`. Both colours are played equally often; the table shows the first
player's results.
"""

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import jax
import tyro
from rich.console import Console

from experiments.command_line import run_command
from research.evaluation.arena import MatchConfig, make_match
from research.evaluation.match import result_table
from research.evaluation.players import Player, policy_player, random_player, search_player
from research.game import Game
from research.search import for_matches, make_evaluate, make_network_search
from research.training.errors import RunError
from research.training.trained import load_trained

# A player once its game is known, the network's variables, and the rules it was trained on (None: any).
Entrant = tuple[Callable[[Game], Player], Any, Any]


def meet(
    first: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER")],
    second: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER")],
    match: MatchConfig = MatchConfig(),  # noqa: B008 - frozen
    num_simulations: int | None = None,
    gumbel_scale: float | None = None,
    seed: int = 0,
) -> None:
    """Play a match and print its table.

    Args:
        first: the player whose results are shown.
        second: its opponent.
        match: size and openings.
        num_simulations: simulations a move for every searching player; each run's own by default.
        gumbel_scale: root noise of every searching player; what each run's own matches have by default.
        seed: of everything random in the match.

    """
    entrants = [read_entrant(text, num_simulations, gumbel_scale) for text in (first, second)]
    games = [game for _, _, game in entrants if game is not None]
    if not 0 <= seed < 2**31:
        raise ValueError(f"seed is {seed}; it must be in 0..2147483647")
    if not games:
        raise RunError("wanted a run's folder for at least one player: it says which game is played")
    if any(game != games[0] for game in games):
        raise RunError(f"the players know different games: {games[0]} and {games[1]}")
    if match.opening_plies >= games[0].max_moves:
        allowed = f"it must leave some of a game's {games[0].max_moves} moves"
        raise ValueError(f"match.opening_plies is {match.opening_plies}; {allowed}")
    players = [make_player(games[0]) for make_player, _, _ in entrants]
    result = make_match(games[0], players[0], players[1], match)(entrants[0][1], entrants[1][1], jax.random.key(seed))
    Console().print(result_table([result]))


def read_entrant(text: str, num_simulations: int | None = None, gumbel_scale: float | None = None) -> Entrant:
    """The player that `text` names.

    Raises: RunError if there is no such run or checkpoint.
    """
    if text == "random":
        return random_player, {}, None
    folder, _, kind = text.partition(":")
    folder, _, iteration = folder.partition("@")
    if kind not in ("", "policy") and not _is_count(kind):
        raise RunError(f"{text}: after the colon wanted policy or a number of simulations, got {kind}")
    if iteration and not _is_count(iteration):
        raise RunError(f"{text}: after the @ wanted an iteration's number, got {iteration}")
    trained = load_trained(Path(folder), int(iteration) if iteration else None)
    run = trained.config
    config = for_matches(run.search, run.evaluation.gumbel_scale if gumbel_scale is None else gumbel_scale)
    if _is_count(kind):
        num_simulations = int(kind)
    if num_simulations is not None:
        config = dataclasses.replace(config, num_simulations=num_simulations)

    def make_player(game: Game) -> Player:
        if kind == "policy":
            return policy_player(game, make_evaluate(game, trained.encoder, trained.network), name=text)
        return search_player(game, make_network_search(game, trained.encoder, trained.network, config), name=text)

    return make_player, trained.variables, trained.game


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when the match was played, 2 for a wrong call."""
    return run_command(meet, "arena", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
