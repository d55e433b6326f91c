"""PUCT's parts against published numbers, and the chance at its root."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.networks import Prediction
from research.search import SearchConfig, make_search, puct
from research.search.noise import mix_dirichlet, policy_from_visits, temperature_at
from research.search.reference import choose_by_puct
from research.toys import TicTacToe
from tests.search.stand_ins import no_opinion, noughts_and_crosses

VALUE, PRIOR, VISITS = jnp.array([0.2, 0.1, 0.0]), jnp.array([0.2, 0.5, 0.3]), jnp.array([4, 1, 0])
NODE_VISITS = 1 + VISITS.sum()


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("simple", [0.24, 0.35, 0.3]),
        ("constant", [0.28944271909999164, 0.6590169943749474, 0.6708203932499369]),
        # AlphaZero's own: c(s) = log((6 + 19652 + 1) / 19652) + 1, times the root of the node's six visits.
        ("alphazero", [0.2980144, 0.7125897, 0.7351079]),
    ],
)
def test_the_formulas_give_the_numbers_worked_out_by_hand(formula, expected):
    config = SearchConfig(rule="puct", formula=formula, exploration=1.0, value_range="plain", first_play_urgency=0.0)
    scores = VALUE + puct.bonus(config, PRIOR, VISITS, NODE_VISITS)
    np.testing.assert_allclose(scores, expected, rtol=3e-6)
    chosen = choose_by_puct(config, VALUE, jnp.log(PRIOR), VISITS, jnp.float32(0), NODE_VISITS)
    assert chosen == np.argmax(expected)


def test_the_exploration_grows_with_visits():
    config = SearchConfig(rule="puct")
    share = puct.bonus(config, jnp.float32(1), jnp.float32(0), jnp.array([1.0, 19652.0])) / jnp.sqrt(
        jnp.array([1.0, 19652.0])
    )
    np.testing.assert_allclose(share, [config.exploration + 1e-4, config.exploration + np.log(2)], atol=1e-4)


@pytest.mark.parametrize(("urgency", "expected"), [("lowest", -0.5), ("parent", 0.25), (-1.0, -1.0), (0.0, 0.0)])
def test_an_unvisited_action_is_worth_what_the_config_says(urgency, expected):
    config = SearchConfig(rule="puct", first_play_urgency=urgency)
    assert puct.urgency(config, jnp.float32(0.25), jnp.float32(-0.5)) == expected


def test_values_are_stretched_between_the_lowest_and_the_highest_or_left():
    values = jnp.array([-0.5, 0.0, 0.5])
    stretched, plain = SearchConfig(rule="puct", value_range="stretched"), SearchConfig(rule="puct")
    np.testing.assert_array_equal(puct.stretch(stretched, values, jnp.float32(-0.5), jnp.float32(0.5)), [0, 0.5, 1])
    np.testing.assert_array_equal(puct.stretch(plain, values, jnp.float32(-0.5), jnp.float32(0.5)), values)
    assert puct.stretch(stretched, jnp.float32(0.3), jnp.float32(0.3), jnp.float32(0.3)) == 0.0


@pytest.mark.parametrize(
    ("visits", "temperature", "expected"),
    [
        ([6, 3, 1], 1.0, [0.6, 0.3, 0.1]),
        ([6, 3, 1], 0.0, [1.0, 0.0, 0.0]),
        ([6, 3, 1], 0.5, [36 / 46, 9 / 46, 1 / 46]),
        ([3, 3, 0], 0.0, [1.0, 0.0, 0.0]),
        ([600, 300, 0], 1e-3, [1.0, 0.0, 0.0]),
    ],
)
def test_moves_are_chosen_by_visits_to_the_power_of_one_over_the_temperature(visits, temperature, expected):
    np.testing.assert_allclose(policy_from_visits(jnp.array(visits, jnp.float32), temperature), expected, atol=1e-6)


def test_the_temperature_follows_the_plies_of_the_game():
    config = SearchConfig(temperatures=(1.0, 0.5, 0.0), temperature_plies=(4, 30))
    plies = jnp.array([0, 3, 4, 29, 30, 500], jnp.int32)
    np.testing.assert_array_equal(temperature_at(config, plies), [1.0, 1.0, 0.5, 0.5, 0.0, 0.0])


def test_dirichlet_noise_is_for_legal_actions_and_sums_to_one():
    legal = jnp.arange(20) % 2 == 0
    log_policy = jnp.where(legal, jnp.log(0.1), -jnp.inf)
    keys = jax.random.split(jax.random.key(0), 2000)
    config = SearchConfig(rule="puct", dirichlet_fraction=0.4, dirichlet_total=5.0)
    batch = jnp.broadcast_to(log_policy, (2000, 20)), jnp.broadcast_to(legal, (2000, 20))
    mixed = np.exp(jax.jit(lambda keys: mix_dirichlet(config, keys, *batch))(keys))
    assert (mixed[:, ~np.asarray(legal)] == 0).all()
    np.testing.assert_allclose(mixed.sum(-1), 1.0, rtol=1e-5)
    noise = (mixed[:, ::2] - 0.06) / 0.4
    # Ten actions of alpha 0.5 each: mean 0.1, variance 0.1 x 0.9 / (5 + 1).
    np.testing.assert_allclose(noise.mean(0), 0.1, atol=0.012)
    np.testing.assert_allclose(noise.var(0), 0.015, rtol=0.25)
    quiet = SearchConfig(rule="puct", dirichlet_fraction=0.0)
    assert mix_dirichlet(quiet, keys, *batch) is batch[0]


def test_noise_and_temperature_vary_the_moves_of_equal_positions():
    game = TicTacToe()
    states = noughts_and_crosses(*["........."] * 32)

    def played(config):
        return jax.jit(make_search(game, no_opinion(game), config))(None, states, jax.random.key(0))

    quiet = SearchConfig(16, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,))
    assert len(set(played(quiet).action.tolist())) == 1
    noisy = played(SearchConfig(16, rule="puct"))
    assert len(set(noisy.action.tolist())) > 3
    assert (noisy.visits != noisy.visits[0]).any()
    np.testing.assert_allclose(noisy.policy, noisy.visits / 16, rtol=1e-6)
    np.testing.assert_allclose(noisy.prior, 1 / 9, rtol=1e-6)  # the network's, without the noise


def test_no_simulations_choose_by_the_prior():
    def evaluate(variables, states):
        logits = jnp.tile(jnp.array([5.0, 1.0] + [0.0] * 7), (64, 1))
        return Prediction(logits, jnp.full(64, 0.5))

    states = noughts_and_crosses(*["X........"] * 64)
    config = SearchConfig(0, rule="puct", temperatures=(0.0,))
    result = jax.jit(make_search(TicTacToe(), evaluate, config))(None, states, jax.random.key(0))
    assert (result.action == 1).all()  # the first point is taken
    np.testing.assert_allclose(result.policy[0], [0.0, *jax.nn.softmax(jnp.array([1.0] + [0.0] * 7))], rtol=1e-5)
    assert (result.value == 0.5).all()
    assert (result.visits == 0).all()
