"""What a network of KataGo's is built of, as data: its layers and blocks, with the names that its file has for them.

The idea: a record a layer, a record a block, and the order of a record's fields is the order in the file. So reading
and writing are one walk each over these fields, and the modules that compute are made from the same records. Weights
are not here: a description is small, frozen and hashable, and jitted functions may close over it.

A field that newer versions added says in its metadata since when it is in the file; before, it has its default.

*Source:* KataGo 1.17.2, cpp/neuralnet/desc.cpp, as facts.
"""

from dataclasses import dataclass, field
from typing import Any

FIRST_VERSION = 8  # older networks read other planes
LAST_VERSION = 17  # newer files are refused
NUM_PLANES = 22
NUM_GLOBALS = 19
ACTIVATIONS = ("identity", "relu", "mish", "silu")

ACTIVATION_VERSION = 11  # from here on a file says which activation it has; before, all are relu
MULTIPLIER_VERSION = 13
FLAG_VERSION = 15
HEAD_NUMBER_VERSION = 17
OLD_MULTIPLIERS = (20.0, 20.0, 20.0, 20.0, 40.0, 0.25, 30.0)  # what they are before files say it
POOLED_NUMBERS = 3  # that pooling makes of each channel
VALUE_OUTPUTS = 3  # win, loss, no result


def _since(version: int, default: Any = None, count: int | None = None) -> Any:
    """A field that the files of this version and later ones have, a list of `count` numbers if that is given."""
    return field(default=default, metadata={"since": version, "count": count})


@dataclass(frozen=True)
class Convolution:
    """Zeros around the board, no bias; weights [rows, columns, in, out]."""

    name: str
    num_rows: int  # points of the kernel
    num_columns: int
    num_inputs: int  # channels
    num_outputs: int
    row_dilation: int = 1  # points from one of the kernel's points to the next
    column_dilation: int = 1

    def __post_init__(self) -> None:
        """Refuse a kernel without a middle."""
        if not self.num_rows % 2 or not self.num_columns % 2:
            raise ValueError(f"{self.name!r} has a kernel of {self.num_rows}x{self.num_columns}; wanted odd numbers")


@dataclass(frozen=True)
class Norm:
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, with fixed statistics; each weight is [channels]."""

    name: str
    num_inputs: int
    epsilon: float = 1e-20
    has_scale: bool = True
    has_bias: bool = True


@dataclass(frozen=True)
class Activation:
    """A function of each number."""

    name: str
    kind: str = _since(ACTIVATION_VERSION, "relu")  # one of ACTIVATIONS

    def __post_init__(self) -> None:
        """Refuse an unknown kind."""
        if self.kind not in ACTIVATIONS:
            raise ValueError(f"{self.name!r} is of kind {self.kind!r}; known are {', '.join(ACTIVATIONS)}")


@dataclass(frozen=True)
class Matrix:
    """Weights [in, out]."""

    name: str
    num_inputs: int
    num_outputs: int


@dataclass(frozen=True)
class Bias:
    """Weights [channels]."""

    name: str
    num_inputs: int


@dataclass(frozen=True)
class OrdinaryBlock:
    """Two convolutions, each behind norm and activation, and a skip around both."""

    name: str
    norm1: Norm
    activation1: Activation
    convolution1: Convolution
    norm2: Norm
    activation2: Activation
    convolution2: Convolution

    def __post_init__(self) -> None:
        """Refuse layers that do not fit together."""
        check_chain(self.norm1, self.convolution1, self.norm2, self.convolution2, self.norm1)


@dataclass(frozen=True)
class PoolingBlock:
    """An ordinary block whose first half also looks at the whole board: what is pooled there is added at each point."""

    name: str
    norm1: Norm
    activation1: Activation
    convolution1: Convolution
    pooled_convolution: Convolution
    pooled_norm: Norm
    pooled_activation: Activation
    pooled_matrix: Matrix
    norm2: Norm
    activation2: Activation
    convolution2: Convolution

    def __post_init__(self) -> None:
        """Refuse layers that do not fit together."""
        check_chain(self.norm1, self.convolution1, self.norm2, self.convolution2, self.norm1)
        check_chain(self.norm1, self.pooled_convolution, self.pooled_norm)
        check_pooled(self.pooled_norm, self.pooled_matrix)
        check_chain(self.pooled_matrix, self.norm2)


@dataclass(frozen=True)
class NestedBlock:
    """Residual blocks between a convolution to fewer channels and one back, and a skip around all."""

    name: str
    num_blocks: int  # inside
    norm_in: Norm
    activation_in: Activation
    convolution_in: Convolution
    blocks: tuple["Block", ...]
    norm_out: Norm
    activation_out: Activation
    convolution_out: Convolution

    def __post_init__(self) -> None:
        """Refuse layers that do not fit together."""
        inner = [first_norm(block) for block in self.blocks]
        check_chain(self.norm_in, self.convolution_in, *inner, self.norm_out, self.convolution_out, self.norm_in)


Block = OrdinaryBlock | PoolingBlock | NestedBlock
BLOCK_KINDS: dict[str, type] = {  # by the word that stands before a block in a file
    "ordinary_block": OrdinaryBlock,
    "gpool_block": PoolingBlock,
    "nested_bottleneck_block": NestedBlock,
}


@dataclass(frozen=True, kw_only=True)
class Trunk:
    """The tower. Of its numbers of channels only the first is looked at; the layers have their own."""

    name: str
    num_blocks: int
    num_channels: int
    num_middle_channels: int
    num_regular_channels: int
    num_dilated_channels: int
    num_pooled_channels: int
    flags: tuple[int, ...] = _since(FLAG_VERSION, (), count=6)  # zeros; 1 first would be another norm
    convolution: Convolution
    global_matrix: Matrix
    blocks: tuple[Block, ...]
    norm: Norm
    activation: Activation

    def __post_init__(self) -> None:
        """Refuse layers that do not fit together."""
        check_zeros(self.name, self.flags)
        check_chain(self.convolution, *[first_norm(block) for block in self.blocks], self.norm)
        check_chain(self.global_matrix, self.norm)


@dataclass(frozen=True, kw_only=True)
class PolicyHead:
    """Logits of each point and of the pass; channel 0 is the policy, 1 (where there is one) the optimistic policy."""

    name: str
    numbers: tuple[int, ...] = _since(HEAD_NUMBER_VERSION, (), count=4)  # of the outputs, then zeros
    convolution: Convolution
    pooled_convolution: Convolution
    pooled_norm: Norm
    pooled_activation: Activation
    pooled_matrix: Matrix
    norm: Norm
    activation: Activation
    output_convolution: Convolution
    pass_matrix: Matrix
    pass_bias: Bias | None = field(default=None, metadata={"since": FLAG_VERSION})
    pass_activation: Activation | None = field(default=None, metadata={"since": FLAG_VERSION})
    pass_output_matrix: Matrix | None = field(default=None, metadata={"since": FLAG_VERSION})

    def __post_init__(self) -> None:
        """Refuse layers that do not fit together."""
        check_zeros(self.name, self.numbers[1:])
        check_chain(self.convolution, self.norm, self.output_convolution)
        check_chain(self.pooled_convolution, self.pooled_norm)
        for matrix in (self.pooled_matrix, self.pass_matrix):
            check_pooled(self.pooled_norm, matrix)
        check_chain(self.pooled_matrix, self.norm)
        of_pass = [part for part in (self.pass_matrix, self.pass_bias, self.pass_output_matrix) if part is not None]
        check_chain(*of_pass)
        told = self.numbers[:1] or (self.num_outputs,)
        if told != (self.num_outputs,) or (self.pass_output_matrix or self.pass_matrix).num_outputs != self.num_outputs:
            raise ValueError(f"{self.name!r} does not have as many outputs for the pass as for a point")

    @property
    def num_outputs(self) -> int:
        """Channels of the policy."""
        return self.output_convolution.num_outputs


@dataclass(frozen=True, kw_only=True)
class ValueHead:
    """Win, loss and no result; the score and how sure all that is; who owns each point."""

    name: str
    zeros: tuple[int, ...] = _since(HEAD_NUMBER_VERSION, (), count=3)
    convolution: Convolution
    norm: Norm
    activation: Activation
    hidden_matrix: Matrix
    hidden_bias: Bias
    hidden_activation: Activation
    value_matrix: Matrix
    value_bias: Bias
    score_matrix: Matrix
    score_bias: Bias
    ownership_convolution: Convolution

    def __post_init__(self) -> None:
        """Refuse layers that do not fit together."""
        check_zeros(self.name, self.zeros)
        check_chain(self.convolution, self.norm, self.ownership_convolution)
        check_pooled(self.norm, self.hidden_matrix)
        check_chain(self.hidden_matrix, self.hidden_bias, self.value_matrix, self.value_bias)
        check_chain(self.hidden_bias, self.score_matrix, self.score_bias)
        for layer, wanted in ((self.value_matrix, VALUE_OUTPUTS), (self.ownership_convolution, 1)):
            if layer.num_outputs != wanted:
                raise ValueError(f"{layer.name!r} has {layer.num_outputs} outputs; wanted {wanted}")


@dataclass(frozen=True, kw_only=True)
class Description:
    """A whole network."""

    name: str
    version: int
    num_planes: int = NUM_PLANES
    num_globals: int = NUM_GLOBALS
    multipliers: tuple[float, ...] = _since(MULTIPLIER_VERSION, OLD_MULTIPLIERS, count=7)  # see outputs.py
    flags: tuple[int, ...] = _since(FLAG_VERSION, (), count=8)  # the second: areas as if suicide were legal
    trunk: Trunk
    policy_head: PolicyHead
    value_head: ValueHead

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        first = (self.trunk.convolution.num_inputs, self.trunk.global_matrix.num_inputs)
        if first != (self.num_planes, self.num_globals):
            raise ValueError(
                f"the first layers read {first} planes and globals, not {self.num_planes, self.num_globals}"
            )
        for layer in (self.policy_head.convolution, self.policy_head.pooled_convolution, self.value_head.convolution):
            check_chain(self.trunk.norm, layer)
        num_scores = self.value_head.score_matrix.num_outputs
        if num_scores != (4 if self.version == FIRST_VERSION else 6):
            raise ValueError(f"there are {num_scores} outputs about the score in a network of version {self.version}")

    @property
    def pass_alive_suicide(self) -> bool | None:
        """The encoder's option of that name: areas as if suicide were legal, or (None) by the rules."""
        return True if self.flags[1:2] == (1,) else None


Layer = Convolution | Norm | Activation | Matrix | Bias


def weight_shapes(layer: Layer) -> dict[str, tuple[int, ...]]:
    """The layer's weights, by name, in the order of the file."""
    if isinstance(layer, Convolution):
        return {"kernel": (layer.num_rows, layer.num_columns, layer.num_inputs, layer.num_outputs)}
    if isinstance(layer, Matrix):
        return {"kernel": (layer.num_inputs, layer.num_outputs)}
    if isinstance(layer, Bias):
        return {"bias": (layer.num_inputs,)}
    if isinstance(layer, Norm):
        present = {"mean": True, "variance": True, "scale": layer.has_scale, "bias": layer.has_bias}
        return {name: (layer.num_inputs,) for name, is_there in present.items() if is_there}
    return {}


def block_name(place: int) -> str:
    """What the weights of the block at that place, from 0, are filed under."""
    return f"block_{place:02}"


def first_norm(block: Block) -> Norm:
    """What a block begins with."""
    return block.norm_in if isinstance(block, NestedBlock) else block.norm1


def check_chain(*layers: Convolution | Norm | Matrix | Bias) -> None:
    """Nothing; *Raises:* ValueError if a layer reads another number of channels than the one before it gives."""
    width = layers[0].num_inputs
    for layer in layers:
        if layer.num_inputs != width:
            raise ValueError(f"{layer.name!r} reads {layer.num_inputs} channels, and {width} come in")
        width = layer.num_outputs if isinstance(layer, Convolution | Matrix) else layer.num_inputs


def check_pooled(norm: Norm, matrix: Matrix) -> None:
    """Nothing; *Raises:* ValueError if `matrix` does not read what pooling makes of the channels of `norm`."""
    if matrix.num_inputs != POOLED_NUMBERS * norm.num_inputs:
        raise ValueError(f"{matrix.name!r} reads {matrix.num_inputs} numbers pooled from {norm.num_inputs} channels")


def check_zeros(name: str, numbers: tuple[int, ...]) -> None:
    """Nothing; *Raises:* ValueError if a number that means nothing yet is not zero."""
    if any(numbers):
        raise ValueError(f"{name!r} asks by the numbers {numbers} for something that is not known here; wanted zeros")
