"""The loss against values worked out by hand, in float32 whatever the network computes in."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.networks import NetworkConfig, Prediction, make_network
from research.selfplay.targets import Samples
from research.training.losses import LossConfig, l2_penalty, policy_loss, total_loss, value_loss

CASE_FILE = Path(__file__).parent.parent / "data" / "encoders" / "loss.json"
CASES = {case["id"]: case for case in json.loads(CASE_FILE.read_text())["loss"]}


def floats(*values: float) -> jax.Array:
    """A float32 vector."""
    return jnp.array(values, jnp.float32)


def test_cross_entropy_squared_error_and_their_sum_match_the_reference_case() -> None:
    case = CASES["LOS01"]
    logits = jnp.log(floats(*case["p"]))[None] + 3.0  # a constant on all logits changes nothing
    samples = Samples(jnp.zeros((1, 1, 1, 1), bool), floats(*case["pi"])[None], floats(case["z"]), floats(1))
    prediction = Prediction(logits, floats(case["v"]))
    loss, terms = total_loss(prediction, {}, samples, LossConfig())
    assert terms["policy_loss_nats"] == pytest.approx(case["ce"], rel=1e-6)
    assert terms["value_loss"] == pytest.approx(case["mse"], rel=1e-6)
    assert loss == pytest.approx(case["total_without_l2"], rel=1e-6)


def test_the_penalty_is_the_sum_of_squares_times_its_weight() -> None:
    case = CASES["LOS03"]
    weights = case["weights"]
    params = {"conv": {"kernel": floats(*weights[:2])}, "dense": floats(*weights[2:])}
    assert LossConfig().l2 == case["alpha"]
    assert case["alpha"] * l2_penalty(params) == pytest.approx(case["l2"], rel=1e-6)
    samples = Samples(jnp.zeros((1, 1, 1, 1), bool), floats(1, 0)[None], floats(0), floats(0))
    prediction = Prediction(jnp.zeros((1, 2), jnp.float32), floats(0))
    loss, _ = total_loss(prediction, params, samples, LossConfig(l2=case["alpha"]))
    assert loss == pytest.approx(np.log(2) + case["l2"], rel=1e-6)


def test_the_squared_error_is_a_mean_over_the_batch() -> None:
    case = CASES["LOS04"]
    loss = value_loss(floats(*case["batch_v"]), floats(*case["batch_z"]), floats(1, 1))
    assert loss == pytest.approx(case["mse"])


def test_samples_of_weight_zero_count_neither_in_the_sum_nor_in_the_mean() -> None:
    value, target = floats(0.5, -0.5, 1.0, 0.25), floats(1, -1, -1, 0)
    assert value_loss(value, target, floats(1, 1, 0, 0)) == pytest.approx(0.25)
    assert value_loss(value, target, floats(0, 0, 1, 0)) == pytest.approx(4.0)


def test_without_a_single_known_result_the_value_loss_is_zero_and_so_is_its_gradient() -> None:
    def loss_of(value: jax.Array) -> jax.Array:
        return value_loss(value, floats(1, -1), floats(0, 0))

    loss, gradient = jax.value_and_grad(loss_of)(floats(0.3, 0.4))
    assert loss == 0
    np.testing.assert_array_equal(gradient, [0, 0])


def test_the_cross_entropy_is_a_mean_over_all_samples_and_never_below_the_targets_entropy() -> None:
    target = jnp.stack([floats(0.5, 0.5, 0), floats(1, 0, 0)])
    perfect = jnp.log(jnp.maximum(target, 1e-30))
    assert policy_loss(perfect, target) == pytest.approx(np.log(2) / 2, rel=1e-6)
    assert policy_loss(jnp.zeros((2, 3), jnp.float32), target) == pytest.approx(np.log(3), rel=1e-6)


def test_huge_logits_give_a_finite_loss() -> None:
    assert policy_loss(floats(1e4, -1e4)[None], floats(0, 1)[None]) == pytest.approx(2e4)


def test_the_value_weight_scales_the_squared_error_alone() -> None:
    samples = Samples(jnp.zeros((1, 1, 1, 1), bool), floats(1, 0)[None], floats(1), floats(1))
    prediction = Prediction(jnp.zeros((1, 2), jnp.float32), floats(-1))
    loss, terms = total_loss(prediction, {"w": floats(2)}, samples, LossConfig(value_weight=0.25, l2=0.5))
    assert loss == pytest.approx(np.log(2) + 0.25 * 4 + 0.5 * 4, rel=1e-6)
    assert {name: float(term) for name, term in terms.items()} == pytest.approx(
        {"policy_loss_nats": np.log(2), "value_loss": 4.0, "l2_penalty": 4.0}, rel=1e-6
    )


def test_the_loss_of_a_bfloat16_network_is_float32() -> None:
    config = NetworkConfig(num_blocks=0, num_channels=4, num_value_units=4, output_scale=1.0, compute_dtype="bfloat16")
    network = make_network(config, (3, 3), 2, 9)
    variables = jax.jit(network.init)(jax.random.key(0))
    planes = jax.random.bernoulli(jax.random.key(1), shape=(8, 3, 3, 2))
    samples = Samples(planes, jnp.full((8, 9), 1 / 9, jnp.float32), jnp.ones(8), jnp.ones(8))

    @jax.jit
    def gradient_of(params: dict) -> tuple:
        def loss_of(params: dict) -> tuple:
            prediction = network.apply(variables | {"params": params}, planes)
            return total_loss(prediction, params, samples, LossConfig())

        return jax.value_and_grad(loss_of, has_aux=True)(params)

    (loss, terms), gradient = gradient_of(variables["params"])
    assert {leaf.dtype for leaf in jax.tree.leaves((loss, terms, gradient))} == {jnp.dtype("float32")}
    # float32 sums: the terms add up far more exactly than bfloat16's 3 digits would let them.
    expected = terms["policy_loss_nats"] + terms["value_loss"] + 1e-4 * terms["l2_penalty"]
    assert float(loss) == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize("field", ["value_weight", "l2"])
def test_a_negative_or_missing_weight_is_refused(field: str) -> None:
    for value in (-1.0, float("nan")):
        with pytest.raises(ValueError, match=rf"loss\.{field} is {value}; it must be 0 or more"):
            LossConfig(**{field: value})
