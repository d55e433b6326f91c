"""The pieces of a residual tower: convolution + BatchNorm + ReLU, and two of them with a skip.

The idea: a convolution has no bias, since the norm after it has one. The skip is added after the second norm and
before the last ReLU, so a block can learn to change nothing. Channels come last, as TPUs want them.

*Source:* Nature 550 (2017), Methods, "Neural network architecture"; Ioffe and Szegedy, "Batch Normalization" (2015).
"""

import jax.numpy as jnp
from flax import linen as nn
from jaxtyping import Array, Float

NORM_EPSILON = 1e-5  # added to the variance


class ConvNorm(nn.Module):
    """A convolution over the board (zeros around it) and a BatchNorm; the ReLU is the caller's."""

    num_channels: int  # channels that come out
    kernel_size: int  # points along a side of the kernel: 1 or 3
    norm_momentum: float  # share of the old running statistics that one training step keeps
    compute_dtype: jnp.dtype  # of the activations

    @nn.compact
    def __call__(
        self, features: Float[Array, "batch rows columns channels_in"], is_training: bool
    ) -> Float[Array, "batch rows columns channels_out"]:
        """The normed convolution of `features`; with `is_training` by the batch's statistics, which are recorded."""
        features = nn.Conv(
            features=self.num_channels,
            kernel_size=(self.kernel_size, self.kernel_size),
            padding="SAME",
            use_bias=False,
            kernel_init=nn.initializers.he_normal(),
            dtype=self.compute_dtype,
            name="conv",
        )(features)
        # Flax keeps the statistics and takes the means in float32, whatever the dtype of the activations.
        return nn.BatchNorm(
            use_running_average=not is_training,
            momentum=self.norm_momentum,
            epsilon=NORM_EPSILON,
            dtype=self.compute_dtype,
            name="norm",
        )(features)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions and a skip around them."""

    num_channels: int  # channels in and out
    norm_momentum: float  # see ConvNorm
    compute_dtype: jnp.dtype  # of the activations

    @nn.compact
    def __call__(
        self, features: Float[Array, "batch rows columns channels"], is_training: bool
    ) -> Float[Array, "batch rows columns channels"]:
        """ReLU of `features` plus what the two convolutions make of them."""
        change = nn.relu(self._conv_norm("first")(features, is_training))
        change = self._conv_norm("second")(change, is_training)
        return nn.relu(features + change)

    def _conv_norm(self, name: str) -> ConvNorm:
        return ConvNorm(
            num_channels=self.num_channels,
            kernel_size=3,
            norm_momentum=self.norm_momentum,
            compute_dtype=self.compute_dtype,
            name=name,
        )
