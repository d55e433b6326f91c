"""AlphaGo Zero's network: one convolution, a tower of residual blocks, a policy head and a value head.

The idea: every part has a name of its own, so the path of a parameter (`block_03/second/conv/kernel`) does not
depend on the order in which the code makes the parts: checkpoints outlive changes of the code.

*Source:* Nature 550 (2017), Methods, "Neural network architecture".
"""

import jax.numpy as jnp
from flax import linen as nn
from jaxtyping import Array, Float32, Shaped

from research.networks.blocks import ConvNorm, ResidualBlock
from research.networks.heads import PolicyHead, ValueHead


class ResNet(nn.Module):
    """Planes in, (policy logits, value) out; the fields are those of NetworkConfig."""

    num_blocks: int  # residual blocks
    num_channels: int  # channels of the tower
    num_policy_channels: int  # channels a point that the policy's dense layer reads
    num_value_channels: int  # channels a point that the value's hidden layer reads
    num_value_units: int  # units of the value's hidden layer
    num_actions: int  # length of the policy
    norm_momentum: float  # see ConvNorm
    output_scale: float  # see heads.py
    compute_dtype: jnp.dtype  # of the activations

    @nn.compact
    def __call__(
        self, planes: Shaped[Array, "batch rows columns num_planes"], is_training: bool
    ) -> tuple[Float32[Array, "batch num_actions"], Float32[Array, " batch"]]:
        """(policy logits, value for the player to move); planes may be bool and are cast here."""
        shared = {"norm_momentum": self.norm_momentum, "compute_dtype": self.compute_dtype}
        features = planes.astype(self.compute_dtype)
        features = nn.relu(ConvNorm(self.num_channels, kernel_size=3, name="stem", **shared)(features, is_training))
        for index in range(self.num_blocks):
            features = ResidualBlock(self.num_channels, name=f"block_{index:02}", **shared)(features, is_training)
        policy_head = PolicyHead(
            num_channels=self.num_policy_channels,
            num_actions=self.num_actions,
            output_scale=self.output_scale,
            name="policy_head",
            **shared,
        )
        value_head = ValueHead(
            num_channels=self.num_value_channels,
            num_units=self.num_value_units,
            output_scale=self.output_scale,
            name="value_head",
            **shared,
        )
        return policy_head(features, is_training), value_head(features, is_training)
