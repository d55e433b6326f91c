"""The matches that show whether a run has learned: its network against a random player and against itself untrained.

All play with the run's search and the evaluation's root noise; the untrained player has the run's initial
parameters.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from research.evaluation.arena import make_match
from research.evaluation.match import MatchResult
from research.evaluation.players import random_player, search_player
from research.networks import make_network
from research.search import for_matches, make_network_search
from research.training.config import RunConfig
from research.training.state import init_variables

# Stream of random keys for matches, apart from those of training.
MATCH_SEED_OFFSET = 1

# The matches' names in metrics.jsonl, in the order they are played.
MATCH_NAMES = ("random", "untrained")

# (the trained variables) -> results against the random player and against the untrained one
PlayMatches = Callable[[Any], tuple[MatchResult, MatchResult]]


def make_matches(config: RunConfig) -> PlayMatches:
    """The run's two matches; the same network gives the same games every time. Each compiles once."""
    game, encoder = config.make_game(), config.make_encoder()
    network = make_network(config.network, game.board_shape, encoder.num_planes, game.num_actions)
    search = make_network_search(game, encoder, network, for_matches(config.search, config.evaluation.gumbel_scale))
    trained = search_player(game, search, name="trained")
    untrained = dataclasses.replace(trained, name="untrained")
    against_random = make_match(game, trained, random_player(game), config.evaluation.match)
    against_untrained = make_match(game, trained, untrained, config.evaluation.match)
    initial_variables = jax.jit(lambda: init_variables(config, network))()

    def play_matches(variables: Any) -> tuple[MatchResult, MatchResult]:
        random_key, untrained_key = jax.random.split(jax.random.key(config.seed + MATCH_SEED_OFFSET))
        return (
            against_random(variables, {}, random_key),
            against_untrained(variables, initial_variables, untrained_key),
        )

    return play_matches
