"""Describes new networks of KataGo's kind from a few numbers: to train, to measure, and to write for KataGo.

The idea: KataGo's networks differ in width, depth, which blocks pool, and whether blocks are nested; all else is the
same. `DESIGNS` has those that this project speaks of, by the names that KataGo gives them: b15c192 has 15 blocks of 192
channels, and nbt stands for nested bottlenecks.

*Source:* the networks' own files; KataGo's docs/KataGoMethods.md for nested bottlenecks.
"""

from dataclasses import dataclass
from typing import Literal

from research.networks.katago.description import (
    FIRST_VERSION,
    FLAG_VERSION,
    HEAD_NUMBER_VERSION,
    LAST_VERSION,
    NUM_GLOBALS,
    NUM_PLANES,
    POOLED_NUMBERS,
    VALUE_OUTPUTS,
    Activation,
    Bias,
    Block,
    Convolution,
    Description,
    Matrix,
    NestedBlock,
    Norm,
    OrdinaryBlock,
    PolicyHead,
    PoolingBlock,
    Trunk,
    ValueHead,
)

Kind = Literal["identity", "relu", "mish", "silu"]
OPTIMISTIC_VERSION = 12  # from here on KataGo's own networks have a second policy
FOUR_POLICIES_VERSION = 16


@dataclass(frozen=True)
class KataGoConfig:
    """The size of a network of KataGo's kind."""

    num_blocks: int = 6  # blocks of the trunk
    num_channels: int = 96  # of the trunk
    num_inner_channels: int = 0  # of the blocks inside nested blocks; 0: blocks are not nested
    num_regular_channels: int = 64  # of a pooling block, between its convolutions
    num_pooled_channels: int = 32  # of a pooling block, that are pooled
    num_head_channels: int = 32  # of both heads
    num_value_units: int = 64  # of the value's hidden layer
    pooling_blocks: tuple[int, ...] = (2, 4)  # places, from 0, of the blocks that pool
    first_kernel: int = 5  # points a side of the first convolution
    activation: Kind = "relu"  # before version 11 nothing else can be written
    version: int = FIRST_VERSION  # of the file and of what the outputs mean

    def __post_init__(self) -> None:
        """Refuse what has no meaning; *Raises:* ValueError that names field, value and what is allowed."""
        if not FIRST_VERSION <= self.version <= LAST_VERSION:
            raise ValueError(f"version is {self.version}; allowed: {FIRST_VERSION} to {LAST_VERSION}")
        for place in self.pooling_blocks:
            if not 0 <= place < self.num_blocks:
                raise ValueError(f"pooling_blocks has {place}; allowed: 0 to {self.num_blocks - 1}")


DESIGNS = {
    "b6c96": KataGoConfig(),
    "b15c192": KataGoConfig(15, 192, 0, 128, 64, 32, 96, (6, 11)),
    "b18c384nbt": KataGoConfig(18, 384, 192, 128, 64, 48, 128, (2, 5, 8, 11, 14), 3, "mish", 14),
}


def describe(config: KataGoConfig, name: str = "miai") -> Description:
    """The description of a network of that size."""
    return Description(
        name=name,
        version=config.version,
        flags=(0,) * 8 if config.version >= FLAG_VERSION else (),
        trunk=_trunk(config),
        policy_head=_policy_head(config),
        value_head=_value_head(config),
    )


def _trunk(config: KataGoConfig) -> Trunk:
    width = config.num_channels
    return Trunk(
        name="trunk",
        num_blocks=config.num_blocks,
        num_channels=width,
        num_middle_channels=config.num_inner_channels or width,
        num_regular_channels=config.num_regular_channels,
        num_dilated_channels=config.num_pooled_channels,
        num_pooled_channels=config.num_pooled_channels,
        flags=(0,) * 6 if config.version >= FLAG_VERSION else (),
        convolution=_convolution("conv1", config.first_kernel, NUM_PLANES, width),
        global_matrix=Matrix("ginputw", NUM_GLOBALS, width),
        blocks=tuple(_block(config, place) for place in range(config.num_blocks)),
        norm=Norm("trunk/norm", width),
        activation=Activation("trunk/actv", config.activation),
    )


def _block(config: KataGoConfig, place: int) -> Block:
    """The block at that place, from 0."""
    name, pools = f"block{place}", place in config.pooling_blocks
    outer, inner = config.num_channels, config.num_inner_channels
    if not inner:
        return _plain_block(config, name, outer, pools)
    return NestedBlock(
        name=name,
        num_blocks=2,
        norm_in=Norm(f"{name}/normin", outer),
        activation_in=Activation(f"{name}/actvin", config.activation),
        convolution_in=_convolution(f"{name}/convin", 1, outer, inner),
        blocks=(
            _plain_block(config, f"{name}/inner0", inner, pools),
            _plain_block(config, f"{name}/inner1", inner, False),
        ),
        norm_out=Norm(f"{name}/normout", inner),
        activation_out=Activation(f"{name}/actvout", config.activation),
        convolution_out=_convolution(f"{name}/convout", 1, inner, outer),
    )


def _plain_block(config: KataGoConfig, name: str, width: int, pools: bool) -> OrdinaryBlock | PoolingBlock:
    """A block of two convolutions, with pooling between them or without."""
    between = config.num_regular_channels if pools else width
    layers = {
        "norm1": Norm(f"{name}/norm1", width),
        "activation1": Activation(f"{name}/actv1", config.activation),
        "convolution1": _convolution(f"{name}/w1", 3, width, between),
        "norm2": Norm(f"{name}/norm2", between),
        "activation2": Activation(f"{name}/actv2", config.activation),
        "convolution2": _convolution(f"{name}/w2", 3, between, width),
    }
    if not pools:
        return OrdinaryBlock(name=name, **layers)
    pooled = config.num_pooled_channels
    return PoolingBlock(
        name=name,
        pooled_convolution=_convolution(f"{name}/w1g", 3, width, pooled),
        pooled_norm=Norm(f"{name}/norm1g", pooled),
        pooled_activation=Activation(f"{name}/actv1g", config.activation),
        pooled_matrix=Matrix(f"{name}/w1r", POOLED_NUMBERS * pooled, between),
        **layers,
    )


def _policy_head(config: KataGoConfig) -> PolicyHead:
    width, pooled = config.num_head_channels, POOLED_NUMBERS * config.num_head_channels
    is_newer = config.version >= FLAG_VERSION
    num_policies = 1 if config.version < OPTIMISTIC_VERSION else 2 if config.version < FOUR_POLICIES_VERSION else 4
    return PolicyHead(
        name="policyhead",
        numbers=(num_policies, 0, 0, 0) if config.version >= HEAD_NUMBER_VERSION else (),
        convolution=_convolution("p1/w", 1, config.num_channels, width),
        pooled_convolution=_convolution("g1/w", 1, config.num_channels, width),
        pooled_norm=Norm("g1/norm", width, has_scale=False),
        pooled_activation=Activation("g1/actv", config.activation),
        pooled_matrix=Matrix("g1/matmul", pooled, width),
        norm=Norm("p1/norm", width, has_scale=False),
        activation=Activation("p1/actv", config.activation),
        output_convolution=_convolution("p2/w", 1, width, num_policies),
        pass_matrix=Matrix("pass1", pooled, width if is_newer else num_policies),
        pass_bias=Bias("pass1/b", width) if is_newer else None,
        pass_activation=Activation("pass1/actv", config.activation) if is_newer else None,
        pass_output_matrix=Matrix("pass2", width, num_policies) if is_newer else None,
    )


def _value_head(config: KataGoConfig) -> ValueHead:
    width, units = config.num_head_channels, config.num_value_units
    num_scores = 4 if config.version == FIRST_VERSION else 6
    return ValueHead(
        name="valuehead",
        zeros=(0, 0, 0) if config.version >= HEAD_NUMBER_VERSION else (),
        convolution=_convolution("v1/w", 1, config.num_channels, width),
        norm=Norm("v1/norm", width, has_scale=False),
        activation=Activation("v1/actv", config.activation),
        hidden_matrix=Matrix("v2/w", POOLED_NUMBERS * width, units),
        hidden_bias=Bias("v2/b", units),
        hidden_activation=Activation("v2/actv", config.activation),
        value_matrix=Matrix("v3/w", units, VALUE_OUTPUTS),
        value_bias=Bias("v3/b", VALUE_OUTPUTS),
        score_matrix=Matrix("sv3/w", units, num_scores),
        score_bias=Bias("sv3/b", num_scores),
        ownership_convolution=_convolution("vown/w", 1, width, 1),
    )


def _convolution(name: str, side: int, num_inputs: int, num_outputs: int) -> Convolution:
    return Convolution(name, side, side, num_inputs, num_outputs)
