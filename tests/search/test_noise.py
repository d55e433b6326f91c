"""The search's noise: mctx's own policy with the same noise, and a game's result is its own key's affair."""

import functools

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from research import encoders
from research.networks import NetworkConfig, make_network
from research.search import SearchConfig, make_evaluate, make_search
from research.search.model import SearchParams, make_recurrent_fn, predict_root
from research.search.noise import log_gamma
from research.toys import TicTacToe, TicTacToeRules

GAME = TicTacToe(TicTacToeRules())
CONFIG = SearchConfig(num_simulations=12, max_num_considered_actions=4, gumbel_scale=1.0)
ENCODER = encoders.get("tictactoe")
NETWORK = make_network(
    NetworkConfig(num_blocks=1, num_channels=8, num_value_units=8, output_scale=1.0),
    GAME.board_shape,
    ENCODER.num_planes,
    GAME.num_actions,
)
BATCH = 16


def positions():
    """Positions after 0 to 3 plies, on different points."""
    states = jax.vmap(lambda _: GAME.init())(jnp.arange(BATCH))
    for ply in range(3):
        is_playing = jnp.arange(BATCH) % 4 > ply
        after = jax.vmap(GAME.step)(states, (jnp.arange(BATCH) + 4 * ply) % GAME.num_actions)
        states = jax.tree.map(
            lambda new, old, mask=is_playing: jnp.where(mask.reshape(-1, *[1] * (new.ndim - 1)), new, old),
            after,
            states,
        )
    return states


def test_the_search_is_mctx_gumbel_policy_with_noise_from_each_games_key(monkeypatch):
    evaluate = make_evaluate(GAME, ENCODER, NETWORK)
    variables = NETWORK.init(jax.random.key(0))
    states, keys = positions(), jax.random.split(jax.random.key(1), BATCH)
    ours = jax.jit(make_search(GAME, evaluate, CONFIG))(variables, states, keys)

    noise = jax.vmap(lambda key: jax.random.gumbel(key, (GAME.num_actions,)))(keys)
    monkeypatch.setattr(jax.random, "gumbel", lambda key, shape, dtype: noise)
    legal = jax.vmap(GAME.legal_actions)(states)
    logits, value = predict_root(GAME, evaluate, variables, states, legal)
    policy = functools.partial(
        mctx.gumbel_muzero_policy,
        recurrent_fn=make_recurrent_fn(GAME, evaluate),
        num_simulations=CONFIG.num_simulations,
        invalid_actions=~legal,
        max_depth=CONFIG.num_simulations,
        max_num_considered_actions=CONFIG.max_num_considered_actions,
        gumbel_scale=CONFIG.gumbel_scale,
    )
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)
    expected = jax.jit(policy)(SearchParams(variables, None), jax.random.key(2), root)
    np.testing.assert_array_equal(ours.action, expected.action)
    np.testing.assert_allclose(ours.policy, expected.action_weights, atol=1e-6)
    np.testing.assert_array_equal(ours.visits, expected.search_tree.summary().visit_counts)
    np.testing.assert_allclose(ours.value, expected.search_tree.summary().value, atol=1e-6)
    assert len(set(np.asarray(ours.action).tolist())) > 3, "the positions must not all lead to one move"


@pytest.mark.parametrize("alpha", [0.13, 2.5])
def test_gamma_draws_are_distributed_as_jax_draws_them(alpha):
    alphas, keys = jnp.full(40, alpha), jax.random.split(jax.random.key(5), 40)
    ours = np.exp(jax.jit(jax.vmap(lambda key, alpha: log_gamma(key, alpha, 1000)))(keys, alphas)).ravel()
    jaxs = np.asarray(jax.jit(lambda key: jax.random.gamma(key, alpha, (40_000,)))(jax.random.key(6)))
    shares = np.linspace(0.1, 0.9, 9)
    # The share of one's draws below the other's quantiles: standard deviation below 0.0036.
    np.testing.assert_allclose([(ours <= bound).mean() for bound in np.quantile(jaxs, shares)], shares, atol=0.015)
    np.testing.assert_allclose(ours.mean(), alpha, rtol=0.06)  # standard deviation 0.014 of it at most


def test_a_game_plays_the_same_wherever_it_stands_in_the_batch():
    search = jax.jit(make_search(GAME, make_evaluate(GAME, ENCODER, NETWORK), CONFIG))
    variables = NETWORK.init(jax.random.key(0))
    states, keys = positions(), jax.random.split(jax.random.key(1), BATCH)
    order = np.random.default_rng(0).permutation(BATCH)
    straight = search(variables, states, keys)
    shuffled = search(variables, jax.tree.map(lambda leaf: leaf[order], states), keys[order])
    np.testing.assert_array_equal(shuffled.action, straight.action[order])
    np.testing.assert_allclose(shuffled.policy, straight.policy[order], atol=1e-6)
