"""Optimizers and learning-rate schedules, by optax.

AlphaZero used stochastic gradient descent with momentum 0.9 and a learning rate that falls in steps. Adam reaches a
useful player sooner on a small budget, so it is the default.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import optax

OptimizerName = Literal["adam", "sgd"]
Schedule = Literal["constant", "cosine"]


@dataclass(frozen=True)
class OptimizerConfig:
    """How gradients move the parameters."""

    name: OptimizerName = "adam"
    learning_rate: float = 1e-3  # at the end of the warm-up
    schedule: Schedule = "constant"
    num_warmup_updates: int = 0  # updates over which the rate rises from 0
    final_share: float = 0.1  # cosine: the last rate as a share of learning_rate
    momentum: float = 0.9  # sgd: Nesterov's is not used, as in the papers
    weight_decay: float = 0.0  # decoupled, an update as a share of learning_rate; the L2 term is the loss's
    max_gradient_norm: float = 0.0  # global norm above which gradients are scaled down; 0 never does

    def __post_init__(self) -> None:
        """Raise ValueError naming the field, its value and what is allowed."""
        for field, allowed in (("name", OptimizerName), ("schedule", Schedule)):
            if getattr(self, field) not in get_args(allowed):
                names = ", ".join(get_args(allowed))
                raise ValueError(f"optimizer.{field} is {getattr(self, field)!r}; it must be one of {names}")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(f"optimizer.learning_rate is {self.learning_rate}; it must be above 0, and finite")
        for field in ("num_warmup_updates", "weight_decay", "max_gradient_norm"):
            if not 0 <= getattr(self, field) < math.inf:
                raise ValueError(f"optimizer.{field} is {getattr(self, field)}; it must be 0 or more, and finite")
        for field in ("final_share", "momentum"):
            if not 0 <= getattr(self, field) <= 1:
                raise ValueError(f"optimizer.{field} is {getattr(self, field)}; it must be in 0..1")


def learning_rate_schedule(config: OptimizerConfig, num_updates: int) -> optax.Schedule:
    """Learning rate by update number, for a run of `num_updates` updates."""
    num_after = max(num_updates - config.num_warmup_updates, 1)
    if config.schedule == "cosine":
        after = optax.cosine_decay_schedule(config.learning_rate, num_after, alpha=config.final_share)
    else:
        after = optax.constant_schedule(config.learning_rate)
    if not config.num_warmup_updates:
        return after
    rise = optax.linear_schedule(0.0, config.learning_rate, config.num_warmup_updates)
    return optax.join_schedules([rise, after], [config.num_warmup_updates])


def make_optimizer(config: OptimizerConfig, num_updates: int) -> optax.GradientTransformation:
    """The gradient transformation for a run of `num_updates` updates."""
    rate = learning_rate_schedule(config, num_updates)
    parts = []
    if config.max_gradient_norm:
        parts.append(optax.clip_by_global_norm(config.max_gradient_norm))
    parts.append(optax.scale_by_adam() if config.name == "adam" else optax.trace(decay=config.momentum))
    if config.weight_decay:
        parts.append(optax.add_decayed_weights(config.weight_decay))
    parts.append(optax.scale_by_learning_rate(rate))
    return optax.chain(*parts)
