"""One gradient step, and the one place where BatchNorm's statistics change."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float32, Int32

from research.networks import Network
from research.selfplay.targets import Samples
from research.training.losses import LossConfig, total_loss


class Learner(NamedTuple):
    """What gradient steps change."""

    params: Any  # float32
    batch_stats: Any  # BatchNorm's running mean and variance, float32
    optimizer_state: optax.OptState
    num_updates: Int32[Array, ""]  # gradient steps taken

    @property
    def variables(self) -> dict[str, Any]:
        """What `Network.apply` takes."""
        return {"params": self.params, "batch_stats": self.batch_stats}


Update = Callable[[Learner, Samples], tuple[Learner, dict[str, Array]]]


def start_learner(variables: dict[str, Any], optimizer: optax.GradientTransformation) -> Learner:
    """A learner that has taken no step from `variables`."""
    params = variables["params"]
    return Learner(params, variables["batch_stats"], optimizer.init(params), jnp.int32(0))


def make_update(network: Network, optimizer: optax.GradientTransformation, config: LossConfig) -> Update:
    """A function (learner, samples) -> (learner, metrics) that takes one gradient step on a batch."""

    def loss_of(params: Any, batch_stats: Any, samples: Samples) -> tuple[Array, tuple[Any, dict[str, Array]]]:
        prediction, new_stats = network.apply_train({"params": params, "batch_stats": batch_stats}, samples.planes)
        loss, terms = total_loss(prediction, params, samples, config)
        return loss, (new_stats, terms)

    def update(learner: Learner, samples: Samples) -> tuple[Learner, dict[str, Array]]:
        gradient_of = jax.value_and_grad(loss_of, has_aux=True)
        (loss, (batch_stats, terms)), gradient = gradient_of(learner.params, learner.batch_stats, samples)
        change, optimizer_state = optimizer.update(gradient, learner.optimizer_state, learner.params)
        params = optax.apply_updates(learner.params, change)
        metrics = {"loss": loss, **terms, "gradient_norm": optax.tree.norm(gradient)}
        return Learner(params, batch_stats, optimizer_state, learner.num_updates + 1), metrics

    return update


def make_mode_gap(network: Network, config: LossConfig) -> Callable[[Learner, Samples], dict[str, Float32[Array, ""]]]:
    """A function (learner, samples) -> the loss on one batch with batch statistics and with running statistics.

    Play uses the running statistics. Where the two losses part, BatchNorm's running averages lag behind the
    parameters, and the player is weaker than its training loss promises.
    """

    def mode_gap(learner: Learner, samples: Samples) -> dict[str, Float32[Array, ""]]:
        in_training, _ = network.apply_train(learner.variables, samples.planes)
        in_play = network.apply(learner.variables, samples.planes)
        train_loss, _ = total_loss(in_training, learner.params, samples, config)
        eval_loss, _ = total_loss(in_play, learner.params, samples, config)
        return {"train_mode_loss": train_loss, "eval_mode_loss": eval_loss, "mode_gap": eval_loss - train_loss}

    return mode_gap
