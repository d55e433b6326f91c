"""KataGo's networks in Flax: the blocks, the trunk and the two heads, made from their records in description.py.

The idea: a norm and its activation come before a convolution, so a block adds to a stream that is never cut off. What
concerns the whole board (komi and the rules at the first layer, pooled features in some blocks and in the policy) is a
vector that is added at each point.

Submodules are named as the records' fields, so that weights are filed under the same names as the reader's.

*Source:* Wu, "Accelerating Self-Play Learning in Go" (2019), appendix A; KataGo 1.17.2, cpp/neuralnet/desc.cpp and
docs/KataGoMethods.md ("nested bottleneck residual nets"), as facts; He et al., "Identity Mappings in Deep Residual
Networks" (2016), for the order of norm and convolution.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
from flax import linen as nn
from jaxtyping import Array, Float, Float32, Shaped

from research.networks.katago import description as records
from research.networks.katago.layers import (
    Bias,
    Boards,
    Convolution,
    Features,
    Matrix,
    NewFeatures,
    Norm,
    activate,
    boards_of,
    pool,
    pool_for_value,
)


class RawOutputs(NamedTuple):
    """What comes out of the last layers, for the player to move; outputs.py says what it means."""

    policy: Float32[Array, "batch rows columns policies"]  # logits; beyond the board they mean nothing
    policy_pass: Float32[Array, "batch policies"]  # logits
    value: Float32[Array, "batch 3"]  # logits of win, loss, no result
    score: Float32[Array, "batch scores"]  # four numbers about the score, from version 9 on six
    ownership: Float32[Array, "batch rows columns"]  # before its tanh


class KataGoModule(nn.Module):
    """Planes and globals in, raw outputs out."""

    description: records.Description
    compute_dtype: jnp.dtype = jnp.dtype("float32")  # of the features

    @nn.compact
    def __call__(
        self,
        planes: Shaped[Array, "batch rows columns num_planes"],
        global_inputs: Float32[Array, "batch num_globals"],
    ) -> RawOutputs:
        """The raw outputs; the first plane says where the boards are."""
        boards = boards_of(planes, self.compute_dtype)
        parts, dtype = self.description, self.compute_dtype
        features = Trunk(parts.trunk, dtype, name="trunk")(planes.astype(dtype), global_inputs, boards)
        policy, policy_pass = PolicyHead(parts.policy_head, dtype, name="policy_head")(features, boards)
        value, score, ownership = ValueHead(parts.value_head, dtype, name="value_head")(features, boards)
        return RawOutputs(policy, policy_pass, value, score, ownership)


class _Part(nn.Module):
    """A record's layers as submodules of a module of its own, by the names of the record's fields."""

    record: Any  # a block, the trunk or a head
    compute_dtype: jnp.dtype

    def convolve(self, field: str, features: Features) -> NewFeatures:
        return Convolution(getattr(self.record, field), self.compute_dtype, name=field)(features)

    def norm_and_activate(self, norm: str, activation: str, features: Features, boards: Boards) -> Features:
        """Normed and activated features, zero beyond the board."""
        normed = Norm(getattr(self.record, norm), self.compute_dtype, name=norm)(features)
        return activate(getattr(self.record, activation), normed) * boards.mask

    def multiply(self, field: str, vector: Float[Array, "batch channels"]) -> Float32[Array, "batch outputs"]:
        return Matrix(getattr(self.record, field), name=field)(vector)

    def add_bias(self, field: str, vector: Float[Array, "batch channels"]) -> Float32[Array, "batch channels"]:
        return Bias(getattr(self.record, field), name=field)(vector)

    def run_blocks(self, features: Features, boards: Boards) -> Features:
        """What the record's blocks make of the features, one after the other."""
        for place, block in enumerate(self.record.blocks):
            kind = _BLOCK_MODULES[type(block)]
            features = kind(block, self.compute_dtype, name=records.block_name(place))(features, boards)
        return features

    def everywhere(self, vector: Float32[Array, "batch channels"]) -> Float[Array, "batch 1 1 channels"]:
        return vector[:, None, None, :].astype(self.compute_dtype)


class OrdinaryBlock(_Part):
    """Two convolutions and a skip around them."""

    @nn.compact
    def __call__(self, features: Features, boards: Boards) -> Features:
        """The features, and what the block adds to them."""
        change = self.convolve("convolution1", self.norm_and_activate("norm1", "activation1", features, boards))
        change = self.convolve("convolution2", self.norm_and_activate("norm2", "activation2", change, boards))
        return features + change


class PoolingBlock(_Part):
    """Two convolutions with what a third one finds on the whole board between them, and a skip around all."""

    @nn.compact
    def __call__(self, features: Features, boards: Boards) -> Features:
        """The features, and what the block adds to them."""
        start = self.norm_and_activate("norm1", "activation1", features, boards)
        change = self.convolve("convolution1", start)
        looked_at = self.convolve("pooled_convolution", start)
        looked_at = self.norm_and_activate("pooled_norm", "pooled_activation", looked_at, boards)
        change = change + self.everywhere(self.multiply("pooled_matrix", pool(looked_at, boards)))
        change = self.convolve("convolution2", self.norm_and_activate("norm2", "activation2", change, boards))
        return features + change


class NestedBlock(_Part):
    """Blocks on fewer channels, and a skip around all."""

    @nn.compact
    def __call__(self, features: Features, boards: Boards) -> Features:
        """The features, and what the block adds to them."""
        change = self.convolve("convolution_in", self.norm_and_activate("norm_in", "activation_in", features, boards))
        change = self.run_blocks(change, boards)
        change = self.convolve("convolution_out", self.norm_and_activate("norm_out", "activation_out", change, boards))
        return features + change


class Trunk(_Part):
    """The tower."""

    @nn.compact
    def __call__(
        self, planes: Features, global_inputs: Float32[Array, "batch num_globals"], boards: Boards
    ) -> NewFeatures:
        """The features that the heads read."""
        features = self.convolve("convolution", planes)
        features = features + self.everywhere(self.multiply("global_matrix", global_inputs))
        return self.norm_and_activate("norm", "activation", self.run_blocks(features, boards), boards)


class PolicyHead(_Part):
    """A logit of each point and of the pass, for each policy that the network has."""

    @nn.compact
    def __call__(
        self, features: Features, boards: Boards
    ) -> tuple[Float32[Array, "batch rows columns policies"], Float32[Array, "batch policies"]]:
        """(logits of the points, logits of the pass)."""
        looked_at = self.convolve("pooled_convolution", features)
        pooled = pool(self.norm_and_activate("pooled_norm", "pooled_activation", looked_at, boards), boards)
        points = self.convolve("convolution", features) + self.everywhere(self.multiply("pooled_matrix", pooled))
        points = self.convolve("output_convolution", self.norm_and_activate("norm", "activation", points, boards))
        of_pass = self.multiply("pass_matrix", pooled)
        if self.record.pass_output_matrix is not None:
            of_pass = activate(self.record.pass_activation, self.add_bias("pass_bias", of_pass))
            of_pass = self.multiply("pass_output_matrix", of_pass)
        return points.astype(jnp.float32), of_pass


class ValueHead(_Part):
    """Who wins, by how much, and who owns each point."""

    @nn.compact
    def __call__(
        self, features: Features, boards: Boards
    ) -> tuple[Float32[Array, "batch 3"], Float32[Array, "batch scores"], Float32[Array, "batch rows columns"]]:
        """(logits of the result, numbers about the score, ownership before its tanh)."""
        points = self.norm_and_activate("norm", "activation", self.convolve("convolution", features), boards)
        hidden = self.add_bias("hidden_bias", self.multiply("hidden_matrix", pool_for_value(points, boards)))
        hidden = activate(self.record.hidden_activation, hidden)
        value = self.add_bias("value_bias", self.multiply("value_matrix", hidden))
        score = self.add_bias("score_bias", self.multiply("score_matrix", hidden))
        return value, score, self.convolve("ownership_convolution", points)[..., 0].astype(jnp.float32)


_BLOCK_MODULES: dict[type, type[_Part]] = {
    records.OrdinaryBlock: OrdinaryBlock,
    records.PoolingBlock: PoolingBlock,
    records.NestedBlock: NestedBlock,
}
