"""The layers of KataGo's networks in Flax, each made from its record in description.py, and pooling.

The idea: points beyond the board are zeroed after each activation, and only there. A convolution then sees the same
zeros as beyond an edge, and a pool counts the board's points alone. So a board in the corner of a larger array gives
the numbers that it gives when it fills its array, and one compiled program serves all sizes.

Parameters and statistics are float32, as is pooling; `compute_dtype` is that of the features in between. In float32 a
product is one of float32 on every device: a TPU's usual product of float32 numbers has the precision of bfloat16.

*Source:* Wu, "Accelerating Self-Play Learning in Go" (2019), section 3.3 and appendix A, for pooling.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import linen as nn
from jax import lax
from jaxtyping import Array, Float, Float32, Shaped

from research.networks.katago import description as records

Features = Float[Array, "batch rows columns channels"]
NewFeatures = Float[Array, "batch rows columns channels_out"]
Vector = Float[Array, "batch channels"]
NewVector = Float[Array, "batch channels_out"]

USUAL_SIDE = 14.0  # points: the side of a board at which pooling's size term is zero
SIDE_UNIT = 10.0  # points of side that this term counts as one
USUAL_SPREAD = 0.1  # mean of the squared size term over the sizes that KataGo trains on

_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda numbers: numbers,
    "relu": jax.nn.relu,
    "mish": jax.nn.mish,
    "silu": jax.nn.silu,
}


class Boards(NamedTuple):
    """Where in its array each board of a batch is."""

    mask: Float[Array, "batch rows columns 1"]  # 1 on the board, 0 beyond it
    num_points: Float32[Array, "batch 1"]  # of the board
    size_term: Float32[Array, "batch 1"]  # of its side, the root of its points: 0 at USUAL_SIDE, 0.5 at 19


def boards_of(planes: Shaped[Array, "batch rows columns num_planes"], compute_dtype: jnp.dtype) -> Boards:
    """What the first plane says: it is 1 on the board."""
    mask = planes[..., :1].astype(jnp.float32)
    num_points = mask.sum((1, 2))
    return Boards(mask.astype(compute_dtype), num_points, (jnp.sqrt(num_points) - USUAL_SIDE) / SIDE_UNIT)


class Convolution(nn.Module):
    """A convolution with zeros around the array."""

    layer: records.Convolution
    compute_dtype: jnp.dtype

    @nn.compact
    def __call__(self, features: Features) -> NewFeatures:
        """The convolved features."""
        kernel = self.param("kernel", nn.initializers.he_normal(), records.weight_shapes(self.layer)["kernel"])
        return lax.conv_general_dilated(
            features,
            kernel.astype(self.compute_dtype),
            window_strides=(1, 1),
            padding="SAME",
            rhs_dilation=(self.layer.row_dilation, self.layer.column_dilation),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
            precision=_precision(self.compute_dtype),
        )


class Norm(nn.Module):
    """A scale and a shift of each channel: a norm whose statistics are fixed."""

    layer: records.Norm
    compute_dtype: jnp.dtype

    @nn.compact
    def __call__(self, features: Features) -> Features:
        """The normed features."""
        layer, shape = self.layer, (self.layer.num_inputs,)
        mean = self.variable("batch_stats", "mean", jnp.zeros, shape).value
        variance = self.variable("batch_stats", "variance", jnp.ones, shape).value
        scale = 1.0 / jnp.sqrt(variance + layer.epsilon)
        if layer.has_scale:
            scale = scale * self.param("scale", nn.initializers.ones, shape)
        shift = -mean * scale
        if layer.has_bias:
            shift = shift + self.param("bias", nn.initializers.zeros, shape)
        return features * scale.astype(self.compute_dtype) + shift.astype(self.compute_dtype)


class Matrix(nn.Module):
    """A linear map of a vector; float32, as vectors are small."""

    layer: records.Matrix

    @nn.compact
    def __call__(self, vector: Vector) -> NewVector:
        """The mapped vector."""
        kernel = self.param("kernel", nn.initializers.lecun_normal(), records.weight_shapes(self.layer)["kernel"])
        return jnp.matmul(vector, kernel, precision=lax.Precision.HIGHEST)


class Bias(nn.Module):
    """Something added to a vector."""

    layer: records.Bias

    @nn.compact
    def __call__(self, vector: Vector) -> Vector:
        """The sum."""
        return vector + self.param("bias", nn.initializers.zeros, (self.layer.num_inputs,))


def activate(layer: records.Activation, numbers: Float[Array, "..."]) -> Float[Array, "..."]:
    """The layer's function of each number."""
    return _ACTIVATIONS[layer.kind](numbers)


def pool(features: Features, boards: Boards) -> Float32[Array, "batch channels_by_three"]:
    """Of each channel the mean, the mean times the size term, and the largest number, over the board's points."""
    mean = _mean(features, boards)
    beyond = jnp.finfo(jnp.float32).min
    largest = jnp.where(boards.mask > 0, features.astype(jnp.float32), beyond).max((1, 2))
    return jnp.concatenate([mean, mean * boards.size_term, largest], axis=-1)


def pool_for_value(features: Features, boards: Boards) -> Float32[Array, "batch channels_by_three"]:
    """Of each channel the mean, and the mean times the size term and its square, over the board's points."""
    mean = _mean(features, boards)
    squared = boards.size_term**2 - USUAL_SPREAD
    return jnp.concatenate([mean, mean * boards.size_term, mean * squared], axis=-1)


def _mean(features: Features, boards: Boards) -> Float32[Array, "batch channels"]:
    """The mean over the board's points of features that are zero elsewhere."""
    return features.astype(jnp.float32).sum((1, 2)) / boards.num_points


def _precision(compute_dtype: jnp.dtype) -> lax.Precision:
    return lax.Precision.HIGHEST if compute_dtype == jnp.float32 else lax.Precision.DEFAULT
