"""The residual network: shapes, dtypes, statistics, sizes, and names that checkpoints may rely on."""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.networks import Network, NetworkConfig, Prediction, make_network

BOARD_SHAPE, NUM_PLANES, NUM_ACTIONS, BATCH = (5, 5), 3, 26, 8
TINY = NetworkConfig(num_blocks=1, num_channels=8, num_value_units=16, output_scale=1.0)
BFLOAT16 = dataclasses.replace(TINY, compute_dtype="bfloat16")

PARAMETERS = {
    "stem/conv/kernel": (3, 3, 3, 8),
    "stem/norm/bias": (8,),
    "stem/norm/scale": (8,),
    "block_00/first/conv/kernel": (3, 3, 8, 8),
    "block_00/first/norm/bias": (8,),
    "block_00/first/norm/scale": (8,),
    "block_00/second/conv/kernel": (3, 3, 8, 8),
    "block_00/second/norm/bias": (8,),
    "block_00/second/norm/scale": (8,),
    "policy_head/squeeze/conv/kernel": (1, 1, 8, 2),
    "policy_head/squeeze/norm/bias": (2,),
    "policy_head/squeeze/norm/scale": (2,),
    "policy_head/logits/bias": (26,),
    "policy_head/logits/kernel": (50, 26),
    "value_head/squeeze/conv/kernel": (1, 1, 8, 1),
    "value_head/squeeze/norm/bias": (1,),
    "value_head/squeeze/norm/scale": (1,),
    "value_head/hidden/bias": (16,),
    "value_head/hidden/kernel": (25, 16),
    "value_head/value/bias": (1,),
    "value_head/value/kernel": (16, 1),
}


def tiny(config: NetworkConfig = TINY) -> Network:
    """A small network of `config`."""
    return make_network(config, BOARD_SHAPE, NUM_PLANES, NUM_ACTIONS)


@cache
def apply_of(config: NetworkConfig = TINY) -> Callable[..., Prediction]:
    """The small network's `apply`, compiled once for all tests."""
    return jax.jit(tiny(config).apply)


@cache
def apply_train_of(config: NetworkConfig = TINY) -> Callable[..., tuple[Prediction, Any]]:
    """The small network's `apply_train`, compiled once for all tests."""
    return jax.jit(tiny(config).apply_train)


@pytest.fixture(scope="module")
def variables() -> dict[str, Any]:
    """The tiny network's first variables, with statistics as if it had been trained a while."""
    made = jax.jit(tiny().init)(jax.random.key(0))
    statistics = jax.tree.map(
        lambda leaf: leaf + 0.2 * jax.random.uniform(jax.random.key(leaf.size), leaf.shape), made["batch_stats"]
    )
    return {"params": made["params"], "batch_stats": statistics}


@pytest.fixture(scope="module")
def planes() -> jax.Array:
    """A batch of random planes."""
    return jax.random.bernoulli(jax.random.key(1), 0.3, (BATCH, *BOARD_SHAPE, NUM_PLANES))


@pytest.fixture(scope="module")
def prediction(variables: dict[str, Any], planes: jax.Array) -> Prediction:
    """The tiny network's prediction in float32 with fixed statistics."""
    return apply_of()(variables, planes)


def flat(tree: Any) -> dict[str, jax.Array]:
    """The leaves of a tree by path, as in `stem/conv/kernel`."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(path, simple=True, separator="/"): leaf for path, leaf in leaves}


def largest_difference(first: jax.Array, second: jax.Array) -> float:
    """The largest absolute difference between two arrays."""
    return float(jnp.abs(first - second).max())


def test_parameter_paths_and_shapes_are_those_that_checkpoints_hold(variables: dict[str, Any]) -> None:
    assert set(variables) == {"params", "batch_stats"}
    assert {path: leaf.shape for path, leaf in flat(variables["params"]).items()} == PARAMETERS
    norms = {path.rsplit("/", 1)[0] for path in PARAMETERS if "/norm/" in path}
    assert set(flat(variables["batch_stats"])) == {f"{norm}/{leaf}" for norm in norms for leaf in ("mean", "var")}
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(variables))


def test_a_prediction_is_one_policy_and_one_value_a_position(prediction: Prediction) -> None:
    assert prediction.policy_logits.shape == (BATCH, NUM_ACTIONS)
    assert prediction.value.shape == (BATCH,)
    assert float(prediction.policy_logits.std()) > 0.05
    assert float(prediction.value.std()) > 0.01
    assert float(jnp.abs(prediction.value).max()) <= 1.0


def test_the_value_stays_in_range_for_weights_of_any_size(variables: dict[str, Any], planes: jax.Array) -> None:
    loud = {**variables, "params": jax.tree.map(lambda leaf: 10.0 * leaf, variables["params"])}
    value = apply_of()(loud, planes).value
    assert 0.99 < float(jnp.abs(value).max()) <= 1.0


def test_bfloat16_predicts_nearly_what_float32_does_and_gives_float32(
    variables: dict[str, Any], planes: jax.Array, prediction: Prediction
) -> None:
    coarse = apply_of(BFLOAT16)(variables, planes)
    assert coarse.policy_logits.dtype == coarse.value.dtype == jnp.float32
    assert 0.0 < largest_difference(coarse.policy_logits, prediction.policy_logits) < 0.05
    assert largest_difference(coarse.value, prediction.value) < 0.05
    made = jax.eval_shape(tiny(BFLOAT16).init, jax.random.key(0))
    assert all(leaf.dtype == jnp.float32 for leaf in jax.tree.leaves(made))


def test_with_fixed_statistics_no_position_influences_another(
    variables: dict[str, Any], planes: jax.Array, prediction: Prediction
) -> None:
    others_changed = planes.at[1:].set(~planes[1:])
    changed = apply_of()(variables, others_changed)
    assert largest_difference(changed.policy_logits[0], prediction.policy_logits[0]) < 1e-5
    assert largest_difference(changed.value[0], prediction.value[0]) < 1e-5
    assert largest_difference(changed.policy_logits[1], prediction.policy_logits[1]) > 1e-3


def test_training_mode_uses_the_batch_and_gives_new_statistics_back(
    variables: dict[str, Any], planes: jax.Array, prediction: Prediction
) -> None:
    before = jax.tree.map(np.asarray, variables)
    trained, statistics = apply_train_of()(variables, planes)
    jax.tree.map(np.testing.assert_array_equal, before, variables)
    assert jax.tree.structure(statistics) == jax.tree.structure(variables["batch_stats"])
    old = flat(variables["batch_stats"])
    for path, new in flat(statistics).items():
        assert largest_difference(new, old[path]) > 0.0, path
    assert largest_difference(trained.policy_logits, prediction.policy_logits) > 1e-3


def test_running_statistics_come_to_those_of_the_batch(variables: dict[str, Any], planes: jax.Array) -> None:
    for _ in range(200):
        prediction, statistics = apply_train_of()(variables, planes)
        variables = {"params": variables["params"], "batch_stats": statistics}
    settled = apply_of()(variables, planes)
    assert largest_difference(settled.policy_logits, prediction.policy_logits) < 1e-2
    assert largest_difference(settled.value, prediction.value) < 1e-2


def test_an_untrained_network_has_no_opinion_but_learns_at_once(planes: jax.Array) -> None:
    network = tiny(dataclasses.replace(TINY, output_scale=0.0))
    variables = jax.jit(network.init)(jax.random.key(0))
    prediction = apply_of()(variables, planes)
    assert float(jnp.abs(prediction.policy_logits).max()) == 0.0
    assert float(jnp.abs(prediction.value).max()) == 0.0

    def loss(params: Any) -> jax.Array:
        trained, _ = network.apply_train({**variables, "params": params}, planes)
        return -jax.nn.log_softmax(trained.policy_logits)[:, 3].mean() + ((trained.value - 1.0) ** 2).mean()

    slopes = flat(jax.jit(jax.grad(loss))(variables["params"]))
    assert float(jnp.abs(slopes["policy_head/logits/kernel"]).max()) > 0.0
    assert float(jnp.abs(slopes["value_head/value/kernel"]).max()) > 0.0


def test_a_tower_of_6_blocks_and_96_channels_has_as_many_parameters_as_counted_by_hand() -> None:
    network = make_network(NetworkConfig(num_blocks=6, num_channels=96), (9, 9), 17, 82)
    made = jax.eval_shape(network.init, jax.random.key(0))
    stem = 3 * 3 * 17 * 96 + 2 * 96
    block = 2 * (3 * 3 * 96 * 96 + 2 * 96)
    policy_head = 96 * 2 + 2 * 2 + (81 * 2 * 82 + 82)
    value_head = 96 * 1 + 2 * 1 + (81 * 256 + 256) + (256 + 1)
    assert sum(leaf.size for leaf in jax.tree.leaves(made["params"])) == stem + 6 * block + policy_head + value_head


def test_the_skip_lets_a_block_change_nothing(planes: jax.Array, variables: dict[str, Any]) -> None:
    def silence(path: Any, leaf: jax.Array) -> jax.Array:
        is_second_scale = "block_00/second/norm/scale" in jax.tree_util.keystr(path, simple=True, separator="/")
        return jnp.zeros_like(leaf) if is_second_scale else leaf

    silent = {**variables, "params": jax.tree_util.tree_map_with_path(silence, variables["params"])}
    short = tiny(dataclasses.replace(TINY, num_blocks=0))
    without_block = {
        collection: {part: leaves for part, leaves in parts.items() if part != "block_00"}
        for collection, parts in silent.items()
    }
    expected = jax.jit(short.apply)(without_block, planes)
    actual = apply_of()(silent, planes)
    assert largest_difference(actual.policy_logits, expected.policy_logits) < 1e-5


def test_planes_of_another_shape_are_named(variables: dict[str, Any]) -> None:
    wrong = jnp.zeros((2, 9, 9, NUM_PLANES), jnp.bool_)
    with pytest.raises(
        ValueError, match=r"planes have the shape \(2, 9, 9, 3\); this network reads \[batch, 5, 5, 3\]"
    ):
        tiny().apply(variables, wrong)


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("num_blocks", -1, "0 or more"),
        ("num_channels", 0, "1 or more"),
        ("norm_momentum", 1.0, "at least 0 and below 1"),
        ("output_scale", -0.1, "0 or more"),
    ],
)
def test_a_config_that_makes_no_network_is_named(field: str, value: float, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"{field} is {value}; it must be {allowed}"):
        dataclasses.replace(TINY, **{field: value})


def test_networks_of_one_config_are_equal_and_hashable() -> None:
    assert tiny() == tiny()
    assert hash(tiny()) == hash(tiny())
    assert tiny() != tiny(BFLOAT16)
