"""The gradient step: it learns a fixed batch, and statistics change there and nowhere else."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from research.networks import Network, NetworkConfig, make_network
from research.selfplay.targets import Samples
from research.training.losses import LossConfig, l2_penalty
from research.training.optimizers import OptimizerConfig, make_optimizer
from research.training.update import Learner, make_mode_gap, make_update, start_learner

BATCH = 16
NETWORK = make_network(NetworkConfig(num_blocks=1, num_channels=8, num_value_units=8, norm_momentum=0.9), (3, 3), 3, 9)


class Bench(NamedTuple):
    """A network, its compiled functions and a batch."""

    network: Network
    update: Any  # (learner, samples) -> (learner, metrics)
    mode_gap: Any  # (learner, samples) -> metrics
    learner: Learner  # before the first step
    samples: Samples


@pytest.fixture(scope="module")
def bench() -> Bench:
    """Plain gradient descent without momentum, so that a step is the gradient; a strong L2, so that it shows."""
    config = LossConfig(l2=1e-2)
    optimizer = make_optimizer(OptimizerConfig(name="sgd", learning_rate=0.05, momentum=0.0), 100)
    keys = jax.random.split(jax.random.key(0), 4)
    samples = Samples(
        planes=jax.random.bernoulli(keys[0], shape=(BATCH, 3, 3, 3)),
        policy=jax.nn.softmax(2 * jax.random.normal(keys[1], (BATCH, 9))),
        value=jnp.sign(jax.random.normal(keys[2], (BATCH,))),
        value_weight=jnp.ones(BATCH).at[0].set(0),
    )
    learner = jax.jit(lambda key: start_learner(NETWORK.init(key), optimizer))(keys[3])
    update = jax.jit(make_update(NETWORK, optimizer, config))
    return Bench(NETWORK, update, jax.jit(make_mode_gap(NETWORK, config)), learner, samples)


def test_steps_on_one_batch_lower_its_loss_every_time_and_by_a_lot(bench: Bench) -> None:
    learner, losses = bench.learner, []
    for _ in range(30):
        learner, metrics = bench.update(learner, bench.samples)
        losses.append(float(metrics["loss"]))
    assert losses[1] < losses[0] - 1e-3
    assert losses[-1] < losses[0] - 0.3
    assert int(learner.num_updates) == 30


def test_a_step_goes_against_the_reported_gradient_whose_l2_part_is_twice_the_parameters(bench: Bench) -> None:
    after, metrics = bench.update(bench.learner, bench.samples)
    gradient = jax.tree.map(lambda old, new: (old - new) / 0.05, bench.learner.params, after.params)
    assert float(optax.tree.norm(gradient)) == pytest.approx(float(metrics["gradient_norm"]), rel=1e-3)
    # The hidden bias of the value head's last layer: with first weights of zero nothing flows back to the hidden
    # layer, so its gradient is the penalty's alone.
    kernel = bench.learner.params["value_head"]["hidden"]["kernel"]
    np.testing.assert_allclose(gradient["value_head"]["hidden"]["kernel"], 2e-2 * kernel, atol=1e-5)
    assert float(metrics["l2_penalty"]) == pytest.approx(float(l2_penalty(bench.learner.params)), rel=1e-6)


def test_a_step_moves_the_running_statistics_by_the_networks_momentum(bench: Bench) -> None:
    after, _ = bench.update(bench.learner, bench.samples)
    before = jax.tree.leaves(bench.learner.batch_stats)
    moved = jax.tree.leaves(after.batch_stats)
    assert all((np.asarray(old) != np.asarray(new)).any() for old, new in zip(before, moved, strict=True))
    _, expected = NETWORK.apply_train(bench.learner.variables, bench.samples.planes)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), after.batch_stats, expected)


def test_with_fixed_parameters_the_running_statistics_come_to_agree_with_the_batch_and_the_gap_closes(
    bench: Bench,
) -> None:
    learner = bench.learner
    for _ in range(3):
        learner, _ = bench.update(learner, bench.samples)
    gaps = []
    for _ in range(80):
        gaps.append({name: float(value) for name, value in bench.mode_gap(learner, bench.samples).items()})
        after, _ = bench.update(learner, bench.samples)
        learner = learner._replace(batch_stats=after.batch_stats)
    for gap in gaps:
        assert gap["mode_gap"] == pytest.approx(gap["eval_mode_loss"] - gap["train_mode_loss"], abs=1e-6)
    assert abs(gaps[0]["mode_gap"]) > 1e-3
    assert abs(gaps[-1]["mode_gap"]) < 0.02 * abs(gaps[0]["mode_gap"])


def test_the_train_mode_loss_is_the_loss_that_the_next_step_reports(bench: Bench) -> None:
    learner, _ = bench.update(bench.learner, bench.samples)
    gap = bench.mode_gap(learner, bench.samples)
    _, metrics = bench.update(learner, bench.samples)
    assert float(gap["train_mode_loss"]) == pytest.approx(float(metrics["loss"]), rel=1e-5)


def test_a_sample_of_unknown_result_trains_the_policy_alone(bench: Bench) -> None:
    samples = bench.samples._replace(value_weight=jnp.zeros(BATCH))
    after, metrics = bench.update(bench.learner, samples)
    flipped, _ = bench.update(bench.learner, samples._replace(value=-samples.value))
    jax.tree.map(np.testing.assert_array_equal, after.params, flipped.params)
    assert metrics["value_loss"] == 0
    old, new = bench.learner.params["policy_head"], after.params["policy_head"]
    assert (np.asarray(old["logits"]["bias"]) != np.asarray(new["logits"]["bias"])).any()


def test_every_array_keeps_its_dtype_and_shape_over_a_step(bench: Bench) -> None:
    after, metrics = bench.update(bench.learner, bench.samples)
    assert jax.tree.map(jax.typeof, after) == jax.tree.map(jax.typeof, bench.learner)
    assert {value.dtype for value in metrics.values()} == {jnp.dtype("float32")}
