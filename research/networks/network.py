"""A network as the rest of the house sees it: three pure functions around one tree of variables.

The idea: `init(key)` makes the variables, `apply(variables, planes)` predicts with fixed statistics (search,
evaluation), `apply_train` predicts with the batch's own statistics and gives the new running ones back. Who calls
`apply_train` decides what to do with them, so statistics change in one place only, the training update.

Parameters, statistics and predictions are float32; `compute_dtype` says what happens in between. bfloat16 halves the
memory traffic of the activations and is a TPU's native input; its errors stay below what self-play notices.

*Source:* Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), Methods, "Neural
network architecture".
"""

import math
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import jax.numpy as jnp
from flax import linen as nn
from jaxtyping import Array, Float32, Key, Shaped

from research.networks.resnet import ResNet

Variables = dict[str, Any]  # {"params": ..., "batch_stats": ...}, plain nested dicts of float32 arrays


class Prediction(NamedTuple):
    """What a network says of each position; the value speaks for the player to move."""

    policy_logits: Float32[Array, "*batch num_actions"]  # nats up to a constant; illegal actions are not masked
    value: Float32[Array, "*batch"]  # expected outcome in [-1, 1], for the player to move
    # Of a network with such a head: 1 where the point will be the player's to move, -1 where the opponent's.
    ownership: Float32[Array, "*batch rows columns"] | None = None


@dataclass(frozen=True)
class NetworkConfig:
    """The size of a residual tower with a policy and a value head."""

    num_blocks: int = 6  # residual blocks of two convolutions each; 0 leaves the first convolution alone
    num_channels: int = 96  # channels of the tower
    num_policy_channels: int = 2  # channels a point that the policy's dense layer reads
    num_value_channels: int = 1  # channels a point that the value's hidden layer reads
    num_value_units: int = 256  # units of the value's hidden layer
    norm_momentum: float = 0.95  # share of the old running statistics that one training step keeps
    output_scale: float = 0.0  # scale of the first weights of both last layers; 0: no opinion before training
    compute_dtype: Literal["float32", "bfloat16"] = "float32"  # of the activations; all else is float32

    def __post_init__(self) -> None:
        for spec in fields(self):
            least = 0 if spec.name == "num_blocks" else 1
            if spec.name.startswith("num_") and getattr(self, spec.name) < least:
                raise ValueError(f"{spec.name} is {getattr(self, spec.name)}; it must be {least} or more")
        if not 0.0 <= self.norm_momentum < 1.0:
            raise ValueError(f"norm_momentum is {self.norm_momentum}; it must be at least 0 and below 1")
        if not 0.0 <= self.output_scale < math.inf:
            raise ValueError(f"output_scale is {self.output_scale}; it must be 0 or more, and finite")
        if self.compute_dtype not in ("float32", "bfloat16"):
            raise ValueError(f"compute_dtype is {self.compute_dtype!r}; it must be 'float32' or 'bfloat16'")


@dataclass(frozen=True)
class Network:
    """Pure functions over variables; frozen and hashable, so jitted functions may close over it."""

    module: nn.Module  # planes, is_training -> (policy logits, value)
    board_shape: tuple[int, int]  # (rows, columns) of the planes
    num_planes: int  # channels of the planes
    num_actions: int  # length of the policy

    def init(self, key: Key[Array, ""]) -> Variables:
        """New variables: {"params": ..., "batch_stats": ...}. `key` is consumed."""
        variables = self.module.init(key, jnp.zeros((1, *self._planes_shape), jnp.bool_), is_training=False)
        return {"params": variables["params"], "batch_stats": variables.get("batch_stats", {})}

    def apply(self, variables: Variables, planes: Shaped[Array, "batch rows columns num_planes"]) -> Prediction:
        """The prediction for each position with the running statistics: no position influences another."""
        self._check_planes(planes)
        outputs: Any = self.module.apply(variables, planes, is_training=False)
        return Prediction(*outputs)

    def apply_train(
        self, variables: Variables, planes: Shaped[Array, "batch rows columns num_planes"]
    ) -> tuple[Prediction, Any]:
        """(prediction with the batch's own statistics, the new running statistics); all positions count alike."""
        self._check_planes(planes)
        outputs: Any = self.module.apply(variables, planes, is_training=True, mutable=["batch_stats"])
        prediction, changed = outputs
        return Prediction(*prediction), changed.get("batch_stats", {})

    @property
    def _planes_shape(self) -> tuple[int, int, int]:
        return (*self.board_shape, self.num_planes)

    def _check_planes(self, planes: Array) -> None:
        if planes.shape[1:] != self._planes_shape:
            raise ValueError(
                f"planes have the shape {planes.shape}; this network reads [batch, {self.board_shape[0]}, "
                f"{self.board_shape[1]}, {self.num_planes}] (rows, columns, planes)"
            )


def make_network(config: NetworkConfig, board_shape: tuple[int, int], num_planes: int, num_actions: int) -> Network:
    """The network of `config` for boards of `board_shape` with `num_planes` planes and a policy of `num_actions`."""
    module = ResNet(
        num_blocks=config.num_blocks,
        num_channels=config.num_channels,
        num_policy_channels=config.num_policy_channels,
        num_value_channels=config.num_value_channels,
        num_value_units=config.num_value_units,
        num_actions=num_actions,
        norm_momentum=config.norm_momentum,
        output_scale=config.output_scale,
        compute_dtype=jnp.dtype(config.compute_dtype),
    )
    return Network(module=module, board_shape=board_shape, num_planes=num_planes, num_actions=num_actions)
