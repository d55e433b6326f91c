"""A KataGo network as pure functions over its variables, and the precision in which it computes.

The idea: as with the house's own networks a frozen, hashable object holds what is static, and weights are an argument.
What is different is what goes in (planes and globals, on arrays of any size: the first plane says where the board is)
and how much comes out.

*Source:* own design.
"""

from dataclasses import dataclass
from typing import Any, Literal

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float32, Key, Shaped

from research.networks.katago.description import Description
from research.networks.katago.modules import KataGoModule, RawOutputs
from research.networks.network import Variables


@dataclass(frozen=True)
class KataGoNetwork:
    """Planes and globals in, raw outputs out."""

    description: Description
    compute_dtype: Literal["float32", "bfloat16"] = "float32"  # of the features; all else is float32

    def __post_init__(self) -> None:
        """Refuse another type; *Raises:* ValueError that names it and what is allowed."""
        if self.compute_dtype not in ("float32", "bfloat16"):
            raise ValueError(f"compute_dtype is {self.compute_dtype!r}; it must be 'float32' or 'bfloat16'")

    @property
    def module(self) -> KataGoModule:
        """The Flax module."""
        return KataGoModule(self.description, jnp.dtype(self.compute_dtype))

    def init(self, key: Key[Array, ""]) -> Variables:
        """New variables: {"params": ..., "batch_stats": ...}. `key` is consumed."""
        planes = jnp.ones((1, 5, 5, self.description.num_planes), jnp.float32)
        return dict(jax.jit(self.module.init)(key, planes, jnp.zeros((1, self.description.num_globals))))

    def apply(
        self,
        variables: Variables,
        planes: Shaped[Array, "batch rows columns num_planes"],
        global_inputs: Float32[Array, "batch num_globals"],
    ) -> RawOutputs:
        """The raw outputs for each position; no position influences another.

        *Raises:* ValueError, when traced, for another number of planes or globals.
        """
        wanted = (self.description.num_planes, self.description.num_globals)
        if (planes.shape[-1], global_inputs.shape[-1]) != wanted:
            raise ValueError(
                f"got {planes.shape[-1]} planes and {global_inputs.shape[-1]} globals; this network reads {wanted[0]} "
                f"planes and {wanted[1]} globals, those of the encoder katago22"
            )
        outputs: Any = self.module.apply(variables, planes, global_inputs)
        return outputs
