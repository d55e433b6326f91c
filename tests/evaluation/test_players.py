"""Players: random, by policy alone, by search."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.evaluation import policy_player, random_player, search_player
from research.search import SearchConfig, make_search
from research.toys import TicTacToe
from tests.search.stand_ins import as_told, no_opinion, noughts_and_crosses

GAME = TicTacToe()
NUM_STATES = 4000
STATES = noughts_and_crosses(*["XO.OX...."] * NUM_STATES)  # 2, 5, 6, 7, 8 are legal
LEGAL = np.array([2, 5, 6, 7, 8])
LOGITS = jnp.array([9.0, 9, 0, 9, 9, 1, 2, 0, 1.5])
VARIABLES = {"logits": jnp.tile(LOGITS, (NUM_STATES, 1)), "value": jnp.zeros(NUM_STATES)}


def shares(actions) -> np.ndarray:
    """How often each action was played, as a share."""
    return np.bincount(np.asarray(actions), minlength=9) / NUM_STATES


def test_the_random_player_plays_all_legal_actions_alike():
    played = shares(random_player(GAME).choose(None, STATES, jax.random.key(0)))
    assert played[LEGAL].sum() == 1.0
    np.testing.assert_allclose(played[LEGAL], 0.2, atol=0.026)  # four standard deviations


@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_the_policy_player_samples_at_its_temperature(temperature):
    player = policy_player(GAME, as_told, temperature=temperature)
    played = shares(player.choose(VARIABLES, STATES, jax.random.key(1)))
    expected = np.zeros(9)
    expected[LEGAL] = jax.nn.softmax(LOGITS[LEGAL] / temperature)
    np.testing.assert_allclose(played, expected, atol=0.032)  # four standard deviations
    assert played[LEGAL].sum() == 1.0


def test_the_policy_player_at_temperature_zero_plays_the_best_legal_move():
    played = policy_player(GAME, as_told, temperature=0.0).choose(VARIABLES, STATES, jax.random.key(2))
    assert (played == 6).all()


@pytest.mark.parametrize("temperature", [-1.0, float("nan")])
def test_an_impossible_temperature_is_refused(temperature):
    with pytest.raises(ValueError, match=r"temperature is .*; allowed"):
        policy_player(GAME, as_told, temperature=temperature)


def test_the_search_player_plays_what_its_search_plays():
    search = make_search(GAME, no_opinion(GAME), SearchConfig(num_simulations=0))
    states, key = noughts_and_crosses(*["XO.OX...."] * 8), jax.random.key(3)
    player = dataclasses.replace(search_player(GAME, search), name="trained")
    assert player.name == "trained"
    np.testing.assert_array_equal(player.choose(None, states, key), search(None, states, key).action)
