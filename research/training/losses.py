"""The AlphaZero loss: cross-entropy to the search's policy, squared error to the result, L2 on the parameters.

Everything is float32 whatever the network computes in. The L2 term stands in the loss, as in the papers (sum of
squares of all parameters, no half); decoupled weight decay is the optimizer's and is off by default.

*Source:* AlphaGo Zero (Silver et al. 2017), equation 1; AlphaZero (Silver et al. 2018), Methods.
"""

import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32

from research.networks import Prediction
from research.selfplay.targets import Samples


@dataclass(frozen=True)
class LossConfig:
    """Weights of the terms."""

    value_weight: float = 1.0  # of the squared error against the cross-entropy
    l2: float = 1e-4  # of the sum of squared parameters

    def __post_init__(self) -> None:
        """Raise ValueError for a negative weight."""
        for field in ("value_weight", "l2"):
            if not 0 <= getattr(self, field) < math.inf:
                raise ValueError(f"loss.{field} is {getattr(self, field)}; it must be 0 or more, and finite")


def policy_loss(logits: Float32[Array, "batch actions"], target: Float32[Array, "batch actions"]) -> Float32[Array, ""]:
    """Mean cross-entropy in nats of the network's policy to the target probabilities."""
    log_policy = jax.nn.log_softmax(logits.astype(jnp.float32))
    return -jnp.mean(jnp.sum(target * log_policy, axis=-1))


def value_loss(
    value: Float32[Array, " batch"], target: Float32[Array, " batch"], weight: Float32[Array, " batch"]
) -> Float32[Array, ""]:
    """Mean squared error over the samples of weight 1; 0 if there are none."""
    error = jnp.square(value.astype(jnp.float32) - target)
    return jnp.sum(weight * error) / jnp.maximum(jnp.sum(weight), 1.0)


def l2_penalty(params: Any) -> Float32[Array, ""]:
    """Sum of squares of all parameters."""
    return sum((jnp.sum(jnp.square(leaf.astype(jnp.float32))) for leaf in jax.tree.leaves(params)), jnp.float32(0))


def total_loss(
    prediction: Prediction, params: Any, samples: Samples, config: LossConfig
) -> tuple[Float32[Array, ""], dict[str, Array]]:
    """(the loss, its terms by name before weighting)."""
    terms = {
        "policy_loss_nats": policy_loss(prediction.policy_logits, samples.policy),
        "value_loss": value_loss(prediction.value, samples.value, samples.value_weight),
        "l2_penalty": l2_penalty(params),
    }
    loss = terms["policy_loss_nats"] + config.value_weight * terms["value_loss"] + config.l2 * terms["l2_penalty"]
    return loss, terms
