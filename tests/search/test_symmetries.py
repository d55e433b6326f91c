"""Evaluations under symmetries: averaged, the board may lie as it likes; at random, they are one of the eight."""

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import encoders, go
from research.game import Game
from research.go import symmetry
from research.networks import Network, NetworkConfig, Prediction, make_network
from research.search import (
    SearchConfig,
    Variables,
    WithKey,
    make_evaluate,
    make_network_search,
    make_symmetric_evaluate,
)
from research.search.symmetries import (
    inverse_symmetries,
    planes_number,
    predict_average,
    predict_random,
    predict_under,
)
from research.toys import Bandit, BanditRules, TicTacToe
from tests.search.stand_ins import noughts_and_crosses

GAME, ENCODER = TicTacToe(), encoders.get("tictactoe")
NUMBERS = jnp.arange(8)


@cache
def network_and_variables(game: Game, encoder: encoders.Encoder) -> tuple[Network, Variables]:
    """A small network that has opinions."""
    config = NetworkConfig(num_blocks=1, num_channels=4, num_value_units=4, output_scale=1.0)
    network = make_network(config, game.board_shape, encoder.num_planes, game.num_actions)
    return network, jax.jit(network.init)(jax.random.key(0))


@pytest.fixture(scope="module")
def planes() -> jax.Array:
    """Two positions, neither of which looks the same from any other side."""
    return jax.vmap(partial(ENCODER.encode, GAME))(noughts_and_crosses("XO..X....", "X.O......"))


@pytest.fixture(scope="module")
def under_all(planes: jax.Array) -> Prediction:
    """What the network says of each position under each symmetry, [symmetry, position, ...]; policies turned back."""
    network, variables = network_and_variables(GAME, ENCODER)

    @jax.jit
    def predict(planes: jax.Array) -> Prediction:
        predict_all = jax.vmap(partial(predict_under, GAME, network.apply, variables, planes))
        return predict_all(jnp.broadcast_to(NUMBERS[:, None], (8, len(planes))))

    return predict(planes)


def test_a_policy_is_turned_back_to_the_points_that_it_means() -> None:
    def point_at_own_sign(variables: Any, planes: jax.Array) -> Prediction:
        return Prediction(planes[..., 0].astype(jnp.float32).reshape(len(planes), -1), jnp.zeros(len(planes)))

    planes = jax.vmap(partial(ENCODER.encode, GAME))(noughts_and_crosses(*["XX.OO...."] * 8))
    prediction = jax.jit(partial(predict_under, GAME, point_at_own_sign, None))(planes, NUMBERS)
    for logits in prediction.policy_logits:
        np.testing.assert_array_equal(logits, [1, 1, 0, 0, 0, 0, 0, 0, 0])


def test_the_average_is_the_mean_of_the_eight_policies_and_values(planes: jax.Array, under_all: Prediction) -> None:
    network, variables = network_and_variables(GAME, ENCODER)
    average = jax.jit(partial(predict_average, GAME, network.apply))(variables, planes)
    probabilities = jax.nn.softmax(under_all.policy_logits).mean(0)
    np.testing.assert_allclose(jax.nn.softmax(average.policy_logits), probabilities, atol=1e-6)
    np.testing.assert_allclose(jnp.exp(average.policy_logits).sum(-1), 1.0, atol=1e-6)
    np.testing.assert_allclose(average.value, under_all.value.mean(0), atol=1e-6)
    assert np.std(under_all.value, axis=0).min() > 1e-3  # the network itself does mind how the board lies


def test_the_average_turns_with_the_board(planes: jax.Array) -> None:
    network, variables = network_and_variables(GAME, ENCODER)
    predict = jax.jit(partial(predict_average, GAME, network.apply, variables))
    upright = predict(planes[:1].repeat(8, axis=0))
    turned = predict(jax.vmap(GAME.transform_planes, (None, 0))(planes[0], NUMBERS))
    expected = jax.vmap(GAME.transform_policy)(upright.policy_logits, NUMBERS)
    np.testing.assert_allclose(turned.policy_logits, expected, atol=1e-5)
    np.testing.assert_allclose(turned.value, upright.value, atol=1e-5)


def test_at_random_each_position_is_seen_under_one_of_the_eight_each_as_often(
    planes: jax.Array, under_all: Prediction
) -> None:
    network, variables = network_and_variables(GAME, ENCODER)
    num_copies = 400
    predict = jax.jit(partial(predict_random, GAME, network.apply, variables))
    prediction = predict(planes[:1].repeat(num_copies, axis=0), jax.random.key(1))
    distance = np.abs(prediction.policy_logits[:, None] - under_all.policy_logits[:, 0]).max(-1)
    assert distance.min(1).max() < 1e-5
    seen = distance.argmin(1)
    np.testing.assert_allclose(prediction.value, under_all.value[seen, 0], atol=1e-5)
    counts = np.bincount(seen, minlength=8)
    assert ((counts - 50) ** 2 / 50).sum() < 32  # 7 degrees of freedom: more has a chance of 4 in 100,000


def test_an_evaluation_at_random_depends_on_the_key_and_on_the_position_alone(under_all: Prediction) -> None:
    network, variables = network_and_variables(GAME, ENCODER)
    evaluate = jax.jit(make_symmetric_evaluate(GAME, ENCODER, network, use="random"))
    states = noughts_and_crosses(*["XO..X....", "X.O......"] * 4)
    values = np.array([evaluate(WithKey(variables, jax.random.key(seed)), states).value for seed in range(100)])
    np.testing.assert_array_equal(values[:, :2], values[:, 2:4])  # the same position twice in a batch
    first, second = (
        np.abs(values[:, position, None] - under_all.value[None, :, position]).argmin(1) for position in range(2)
    )
    assert len(set(first)) == 8
    assert np.mean(first == second) < 0.5  # another position, another symmetry


def test_an_evaluation_by_the_average_is_that_of_the_planes(planes: jax.Array) -> None:
    network, variables = network_and_variables(GAME, ENCODER)
    states = noughts_and_crosses("XO..X....", "X.O......")
    prediction = jax.jit(make_symmetric_evaluate(GAME, ENCODER, network))(variables, states)
    expected = jax.jit(partial(predict_average, GAME, network.apply))(variables, planes)
    np.testing.assert_allclose(prediction.policy_logits, expected.policy_logits, atol=1e-5)
    np.testing.assert_allclose(prediction.value, expected.value, atol=1e-5)
    with pytest.raises(ValueError, match="use is 'all'; allowed is one of average, random"):
        make_symmetric_evaluate(GAME, ENCODER, network, use="all")


def test_a_pass_is_no_point_and_keeps_its_place() -> None:
    game = go.Go(go.Rules(size=3, ko="simple"))
    logits = jnp.arange(10, dtype=jnp.float32)

    def say(variables: Any, planes: jax.Array) -> Prediction:
        return Prediction(jnp.broadcast_to(logits, (len(planes), 10)), jnp.zeros(len(planes)))

    average = jax.jit(partial(predict_average, game, say, None))(jnp.zeros((1, 3, 3, 2), bool))
    probabilities = jnp.exp(average.policy_logits[0])
    np.testing.assert_allclose(probabilities[9], jax.nn.softmax(logits)[9], rtol=1e-5)
    # The other points of a ring share what the network says of them: it does not look at the planes.
    for ring in ([0, 2, 6, 8], [1, 3, 5, 7]):
        np.testing.assert_allclose(
            probabilities[np.array(ring)], jax.nn.softmax(logits)[np.array(ring)].mean(), rtol=1e-5
        )


def test_a_game_without_symmetries_is_asked_once() -> None:
    game, encoder = Bandit(BanditRules(payoffs=(1.0, -1.0))), encoders.get("bandit")
    network, variables = network_and_variables(game, encoder)
    states = jax.tree.map(lambda leaf: leaf[None], game.init())
    alone = jax.jit(make_evaluate(game, encoder, network))(variables, states)
    averaged = jax.jit(make_symmetric_evaluate(game, encoder, network))(variables, states)
    np.testing.assert_allclose(averaged.policy_logits, jax.nn.log_softmax(alone.policy_logits), atol=1e-6)
    np.testing.assert_allclose(averaged.value, alone.value, atol=1e-6)


def test_the_symmetry_that_undoes_another_is_found() -> None:
    assert inverse_symmetries(GAME) == symmetry.INVERSE
    assert inverse_symmetries(Bandit()) == (0,)


def test_positions_have_numbers_of_their_own() -> None:
    signs = np.random.default_rng(0).choice(list(".XO"), (200, 9))
    planes = jax.vmap(partial(ENCODER.encode, GAME))(noughts_and_crosses(*map("".join, signs)))
    numbers = jax.jit(jax.vmap(planes_number))(planes)
    assert len(set(numbers.tolist())) == len({one.tobytes() for one in np.asarray(planes)}) > 190
    fractions = jnp.array([0.25, 0.5, -0.25]).reshape(3, 1, 1, 1)
    assert len(set(jax.vmap(planes_number)(fractions).tolist())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("use", ["random", "average"])
def test_a_search_asks_its_network_as_the_config_says(use):
    game, encoder = GAME, ENCODER
    network, variables = network_and_variables(game, encoder)
    states = jax.vmap(lambda _: game.init())(jnp.arange(16))
    keys = jax.random.split(jax.random.key(1), 16)
    config = SearchConfig(6, symmetry=use, gumbel_scale=0.0)
    search = jax.jit(make_network_search(game, encoder, network, config))
    result = search(variables, states, keys)
    turned = game.transform_policy(result.prior[0], jnp.int32(1))
    if use == "average":  # the empty board is its own mirror image, so the policy must be
        np.testing.assert_allclose(turned, result.prior[0], atol=1e-5)
    else:
        assert (result.prior != result.prior[0]).any()
    order = np.random.default_rng(0).permutation(16)
    np.testing.assert_allclose(search(variables, states, keys[order]).value, result.value[order], atol=1e-6)
