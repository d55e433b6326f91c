"""Optimizers against the same steps done by hand in NumPy, and schedules at the updates where they turn."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from research.training.optimizers import OptimizerConfig, learning_rate_schedule, make_optimizer

START = np.array([1.0, -2.0, 0.5])
GRADIENTS = np.array([[0.5, -1.0, 2.0], [0.1, 0.4, -2.0], [0.0, 0.3, 1.0]])


def steps_of(config: OptimizerConfig) -> np.ndarray:
    """The parameters after each of the gradients."""
    optimizer = make_optimizer(config, num_updates=100)

    @jax.jit
    def run(params: jax.Array, gradients: jax.Array) -> jax.Array:
        def step(carry: tuple, gradient: jax.Array) -> tuple:
            params, state = carry
            change, state = optimizer.update(gradient, state, params)
            params = optax.apply_updates(params, change)
            return (params, state), params

        return jax.lax.scan(step, (params, optimizer.init(params)), gradients)[1]

    return np.asarray(run(jnp.asarray(START, jnp.float32), jnp.asarray(GRADIENTS, jnp.float32)))


def test_sgd_adds_a_share_of_the_last_step_to_each_step() -> None:
    params, velocity, expected = START, np.zeros(3), []
    for gradient in GRADIENTS:
        velocity = 0.8 * velocity + gradient
        params = params - 0.1 * velocity
        expected.append(params)
    steps = steps_of(OptimizerConfig(name="sgd", learning_rate=0.1, momentum=0.8))
    np.testing.assert_allclose(steps, expected, rtol=1e-6)


def test_adam_divides_the_mean_gradient_by_the_root_of_the_mean_square() -> None:
    params, mean, square, expected = START, np.zeros(3), np.zeros(3), []
    for number, gradient in enumerate(GRADIENTS, start=1):
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        params = params - 0.1 * (mean / (1 - 0.9**number)) / (np.sqrt(square / (1 - 0.999**number)) + 1e-8)
        expected.append(params)
    np.testing.assert_allclose(steps_of(OptimizerConfig(name="adam", learning_rate=0.1)), expected, rtol=1e-5)


def test_weight_decay_pulls_each_parameter_to_zero_by_a_share_of_the_rate() -> None:
    plain = steps_of(OptimizerConfig(name="sgd", learning_rate=0.1, momentum=0.0))
    decayed = steps_of(OptimizerConfig(name="sgd", learning_rate=0.1, momentum=0.0, weight_decay=0.5))
    before = np.concatenate([START[None], decayed[:-1]])
    moved = np.diff(np.concatenate([START[None], plain]), axis=0)
    np.testing.assert_allclose(decayed, before + moved - 0.1 * 0.5 * before, rtol=1e-6)


def test_a_gradient_above_the_largest_norm_is_scaled_down_and_a_smaller_one_is_not() -> None:
    limit = float(np.linalg.norm(GRADIENTS[2])) + 0.1  # above the last one alone
    steps = steps_of(OptimizerConfig(name="sgd", learning_rate=1.0, momentum=0.0, max_gradient_norm=limit))
    moved = -np.diff(np.concatenate([START[None], steps]), axis=0)
    np.testing.assert_allclose(np.linalg.norm(moved[:2], axis=1), limit, rtol=1e-6)
    np.testing.assert_allclose(moved[0] / limit, GRADIENTS[0] / np.linalg.norm(GRADIENTS[0]), rtol=1e-5)
    np.testing.assert_allclose(moved[2], GRADIENTS[2], atol=1e-6)


def test_a_constant_rate_stays() -> None:
    rate = learning_rate_schedule(OptimizerConfig(learning_rate=0.5), 100)
    assert [float(rate(update)) for update in (0, 1, 99, 1000)] == [0.5] * 4


def test_the_warm_up_rises_from_zero_by_equal_steps_and_then_stays() -> None:
    rate = learning_rate_schedule(OptimizerConfig(learning_rate=0.5, num_warmup_updates=10), 100)
    rates = [float(rate(update)) for update in (0, 1, 5, 10, 11, 500)]
    assert rates == pytest.approx([0, 0.05, 0.25, 0.5, 0.5, 0.5])


def test_the_cosine_falls_from_the_warm_up_to_its_last_share_at_the_last_update() -> None:
    config = OptimizerConfig(learning_rate=0.5, schedule="cosine", num_warmup_updates=10, final_share=0.2)
    rate = learning_rate_schedule(config, 110)
    quarter = 0.5 * (0.2 + 0.8 * (1 + math.cos(math.pi / 4)) / 2)
    rates = [float(rate(update)) for update in (0, 5, 10, 35, 60, 110, 500)]
    assert rates == pytest.approx([0, 0.25, 0.5, quarter, 0.5 * 0.6, 0.1, 0.1], rel=1e-5)


def test_the_schedule_drives_the_steps() -> None:
    config = OptimizerConfig(name="sgd", learning_rate=0.4, momentum=0.0, num_warmup_updates=2)
    steps = steps_of(config)
    moved = -np.diff(np.concatenate([START[None], steps]), axis=0)
    np.testing.assert_allclose(moved, GRADIENTS * np.array([[0.0], [0.2], [0.4]]), atol=1e-6)


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("learning_rate", 0.0, "must be above 0"),
        ("learning_rate", float("nan"), "must be above 0"),
        ("num_warmup_updates", -1, "must be 0 or more"),
        ("weight_decay", -0.1, "must be 0 or more"),
        ("max_gradient_norm", -1.0, "must be 0 or more"),
        ("final_share", 1.5, r"must be in 0\.\.1"),
        ("momentum", -0.1, r"must be in 0\.\.1"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(field: str, value: float, allowed: str) -> None:
    with pytest.raises(ValueError, match=rf"optimizer\.{field} is {value}; it {allowed}"):
        OptimizerConfig(**{field: value})


@pytest.mark.parametrize(("field", "value"), [("name", "adamw"), ("schedule", "step")])
def test_an_unknown_optimizer_or_schedule_is_refused(field: str, value: str) -> None:
    config = OptimizerConfig()
    object.__setattr__(config, field, value)  # as the tests' own type check would not let it through the constructor
    with pytest.raises(ValueError, match=rf"optimizer\.{field} is '{value}'; it must be one of"):
        config.__post_init__()
