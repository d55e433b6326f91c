"""The two heads: a policy over all actions and a value for the player to move.

The idea: a 1x1 convolution squeezes each point to a few channels; a dense layer over the whole board makes the
logits (so that the pass, which has no point, is an action like any other) or a hidden layer and then the value.

The last layers start at `output_scale`, by default zero: an untrained network then gives every action the same logit
and every position the value 0. Self-play begins as a plain search with no opinion, instead of chasing the chance
preferences of random weights, and the first gradients reach the last layers at once and the rest a step later.
The last layers run in float32: they are small, and logits in bfloat16 would round away the policy's fine differences.

*Source:* Nature 550 (2017), Methods, "Neural network architecture"; the zero start: Goyal et al., "Accurate, Large
Minibatch SGD" (2017), section 5.1, for the same idea in residual blocks.
"""

import jax.numpy as jnp
from flax import linen as nn
from jaxtyping import Array, Float, Float32

from research.networks.blocks import ConvNorm


class PolicyHead(nn.Module):
    """1x1 convolution, then a dense layer over the board."""

    num_channels: int  # channels a point that the dense layer reads
    num_actions: int  # length of the policy
    norm_momentum: float  # see ConvNorm
    output_scale: float  # scale of the first weights of the last layer
    compute_dtype: jnp.dtype  # of the activations

    @nn.compact
    def __call__(
        self, features: Float[Array, "batch rows columns channels"], is_training: bool
    ) -> Float32[Array, "batch num_actions"]:
        """Logits of all actions, illegal ones too."""
        squeezed = _squeeze(self, features, is_training)
        return _last_layer(self.num_actions, self.output_scale, "logits")(squeezed)


class ValueHead(nn.Module):
    """1x1 convolution, a hidden dense layer, one output through tanh."""

    num_channels: int  # channels a point that the hidden layer reads
    num_units: int  # units of the hidden layer
    norm_momentum: float  # see ConvNorm
    output_scale: float  # scale of the first weights of the last layer
    compute_dtype: jnp.dtype  # of the activations

    @nn.compact
    def __call__(
        self, features: Float[Array, "batch rows columns channels"], is_training: bool
    ) -> Float32[Array, " batch"]:
        """The expected outcome in [-1, 1] for the player to move."""
        squeezed = _squeeze(self, features, is_training)
        hidden = nn.Dense(
            features=self.num_units,
            kernel_init=nn.initializers.he_normal(),
            dtype=self.compute_dtype,
            name="hidden",
        )(squeezed)
        return jnp.tanh(_last_layer(1, self.output_scale, "value")(nn.relu(hidden)))[:, 0]


def _squeeze(
    head: PolicyHead | ValueHead, features: Float[Array, "batch rows columns channels"], is_training: bool
) -> Float[Array, "batch features"]:
    """One row of features a position: a few channels a point, by a 1x1 convolution that becomes part of `head`."""
    squeezed = ConvNorm(
        num_channels=head.num_channels,
        kernel_size=1,
        norm_momentum=head.norm_momentum,
        compute_dtype=head.compute_dtype,
        name="squeeze",
    )(features, is_training)
    return nn.relu(squeezed).reshape(features.shape[0], -1)


def _last_layer(num_outputs: int, output_scale: float, name: str) -> nn.Dense:
    """A dense layer in float32 whose weights start at `output_scale` and whose bias starts at zero."""
    return nn.Dense(
        features=num_outputs,
        kernel_init=nn.initializers.variance_scaling(output_scale, "fan_in", "truncated_normal"),
        dtype=jnp.float32,
        name=name,
    )
