"""The model of a search: signs of rewards, discounts, masks, and the network behind it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import encoders
from research.networks import NetworkConfig, make_network
from research.search import make_evaluate, mask_illegal
from research.search.model import take_ply
from research.toys import Bandit, BanditRules, TicTacToe
from tests.search.stand_ins import noughts_and_crosses

GAME = TicTacToe()


@pytest.mark.parametrize(
    ("diagram", "action", "reward", "discount"),
    [
        ("XX.OO....", 2, 1.0, 0.0),  # X completes a line
        ("XX.OO...X", 5, 1.0, 0.0),  # O does
        ("XX.OO....", 8, 0.0, -1.0),  # the game goes on
        ("XOXXOOOX.", 8, 0.0, 0.0),  # a full board: drawn
        ("XXXOO....", 0, 0.0, 0.0),  # over before: nothing more to win
    ],
)
def test_a_ply_pays_its_player_once_when_it_ends_the_game(diagram, action, reward, discount):
    node = jax.tree.map(lambda leaf: leaf[0], noughts_and_crosses(diagram))
    ply = take_ply(GAME, node, jnp.int32(action), None)
    assert (ply.reward, ply.discount) == (reward, discount)
    np.testing.assert_array_equal(ply.legal, GAME.legal_actions(ply.node))


def test_a_ply_that_ends_the_game_badly_costs_its_player():
    game = Bandit(BanditRules(payoffs=(1.0, -1.0)))
    assert take_ply(game, game.init(), jnp.int32(1), None).reward == -1.0


def test_illegal_actions_have_probability_zero_however_large_their_logits():
    logits = jnp.array([[1e30, -1e30, -1e30, 0.0], [5.0, 1.0, 2.0, 3.0]], jnp.bfloat16)
    legal = jnp.array([[False, True, True, False], [True, True, True, True]])
    masked = mask_illegal(logits, legal)
    assert masked.dtype == jnp.float32
    np.testing.assert_array_equal(jax.nn.softmax(masked)[0], [0.0, 0.5, 0.5, 0.0])
    np.testing.assert_allclose(jax.nn.softmax(masked)[1], jax.nn.softmax(logits[1].astype(jnp.float32)), rtol=1e-6)


def test_an_evaluation_is_the_network_on_the_planes_of_each_position():
    encoder = encoders.get("tictactoe")
    config = NetworkConfig(num_blocks=1, num_channels=4, num_value_units=4, output_scale=1.0)
    network = make_network(config, GAME.board_shape, encoder.num_planes, GAME.num_actions)
    variables = jax.jit(network.init)(jax.random.key(0))
    states = noughts_and_crosses("XX.OO....", "X........", ".........")
    prediction = jax.jit(make_evaluate(GAME, encoder, network))(variables, states)
    single = [jax.tree.map(lambda leaf, row=row: leaf[row], states) for row in range(3)]
    expected = jax.jit(network.apply)(variables, jnp.stack([encoder.encode(GAME, state) for state in single]))
    np.testing.assert_allclose(prediction.policy_logits, expected.policy_logits, atol=1e-5)
    np.testing.assert_allclose(prediction.value, expected.value, atol=1e-5)
    assert len(set(prediction.value.tolist())) == 3
