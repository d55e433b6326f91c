"""The preset tictactoe, trained whole: it never loses, neither to chance nor to perfect play."""

import dataclasses
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from configs import tictactoe
from research.evaluation.arena import MatchConfig, make_match
from research.evaluation.players import Player, random_player, search_player
from research.search import make_evaluate, make_search
from research.toys import TicTacToe
from research.training.trained import Trained, load_trained
from tests.toys import solver

NUM_POSITIONS = 3**9
MARKS = ".XO"  # as the game numbers them


def perfect_player() -> Player:
    """Plays one of the solver's best moves by chance, looked up in a table of all positions."""
    table = np.zeros((NUM_POSITIONS, 9), bool)
    for position in solver.all_positions():
        index = sum(MARKS.index(mark) * 3**point for point, mark in enumerate(position))
        table[index, list(solver.best_moves(position))] = True
    table[~table.any(axis=1), 0] = True  # finished games take any move

    def choose(variables, states, key):
        index = jnp.sum(states.points.astype(jnp.int32) * 3 ** jnp.arange(9), axis=-1)
        keys = jax.random.split(key, len(index))
        scores = jnp.where(jnp.asarray(table)[index], 0.0, -jnp.inf)
        return jax.vmap(jax.random.categorical)(keys, scores).astype(jnp.int32)

    return Player("perfect", choose)


def searching(trained: Trained) -> Player:
    """The trained network as the preset's matches let it play."""
    evaluate = make_evaluate(trained.game, trained.encoder, trained.network)
    noise = trained.config.evaluation.gumbel_scale
    config = dataclasses.replace(trained.config.search, gumbel_scale=noise)
    return search_player(trained.game, make_search(trained.game, evaluate, config))


def test_the_perfect_player_never_loses():
    game = TicTacToe(tictactoe.get_config().game)
    match = make_match(game, perfect_player(), random_player(game), MatchConfig(num_games=400))
    result = match({}, {}, jax.random.key(0))
    assert result.total.losses == 0
    assert result.as_black.wins > 150


@pytest.mark.slow
def test_the_preset_learns_never_to_lose(tmp_path: Path):
    from research.training.loop import train  # here, so that the quick test above does not load the whole loop

    start = time.monotonic()
    train(tictactoe.get_config(), tmp_path / "run")
    print(f"trained in {time.monotonic() - start:.0f} s")
    trained = load_trained(tmp_path / "run")
    player = searching(trained)
    against_random = make_match(trained.game, player, random_player(trained.game), MatchConfig(num_games=200))
    result = against_random(trained.variables, {}, jax.random.key(1))
    assert result.total.losses == 0
    assert result.win_rate > 0.85
    against_perfect = make_match(trained.game, player, perfect_player(), MatchConfig(num_games=200))
    result = against_perfect(trained.variables, {}, jax.random.key(2))
    assert result.total.draws == 200
    assert result.num_distinct_games > 20
