"""Reads KataGo's network files (.bin.gz, .txt.gz): a description and the weights behind it, every byte accounted for.

The idea: the records of description.py say what comes next, so the reader walks over their fields. Each layer is
checked as it is met: its numbers, the channels it reads, its floats. What a file asks for beyond what is known here (a
newer version, transformer blocks, inputs about the players) is refused before any weight is read, with what it is.

*Source:* KataGo 1.17.2, cpp/neuralnet/desc.cpp, as facts.
"""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from flax import traverse_util

from research.networks.katago import description as records
from research.networks.katago.description import Description
from research.networks.katago.tokens import NetworkFileError, TokenStream
from research.networks.network import Variables

STATISTICS = ("mean", "variance")  # of a norm: they are no parameters
MAY_BE_ZERO = ("num_middle_channels", "num_regular_channels", "num_dilated_channels", "num_pooled_channels")
_KIND_PREFIX = "ACTIVATION_"


class KataGoFile(NamedTuple):
    """A network as its file holds it."""

    description: Description
    variables: Variables  # {"params": ..., "batch_stats": ...} of numpy float32


def read_network(path: Path | str) -> KataGoFile:
    """The network in a file; *Raises:* NetworkFileError, with block and byte, for anything that is not one."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise NetworkFileError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_network(data, str(path))


def parse_network(data: bytes, source: str = "network") -> KataGoFile:
    """The network in the bytes of a file; `source` names it in messages. *Raises:* NetworkFileError."""
    reader = _Reader(TokenStream(data, source))
    described = reader.record(Description, ())
    reader.stream.finish()
    flat = {
        ("batch_stats" if path[-1] in STATISTICS else "params", *path): leaf for path, leaf in reader.weights.items()
    }
    return KataGoFile(described, {"params": {}, "batch_stats": {}} | traverse_util.unflatten_dict(flat))


class _Reader:
    """Walks over the fields of records, with the weights met so far."""

    def __init__(self, stream: TokenStream):
        self.stream = stream
        self.version = 0
        self.weights: dict[tuple[str, ...], np.ndarray] = {}  # by path of submodules and weight

    def record(self, kind: type, path: tuple[str, ...]) -> Any:
        """A record of that kind, its layers and their weights."""
        stream, values = self.stream, {}
        for field in fields(kind):
            if self.version < field.metadata.get("since", 0):
                continue
            hint: Any = next((part for part in get_args(field.type) if part is not type(None)), field.type)
            if field.name == "blocks":
                values["blocks"] = self._blocks(values["num_blocks"], path)
            elif field.metadata.get("count"):
                read = stream.number if hint is float else stream.integer
                values[field.name] = tuple(read(f"a number of {field.name}") for _ in range(field.metadata["count"]))
            elif is_dataclass(hint):
                values[field.name] = self.record(hint, (*path, field.name))
            else:
                values[field.name] = self._word(field.name, hint, path)
            if kind is Description:
                self._check_header(field.name, values)
        return self._finished(kind, values, path)

    def _word(self, name: str, hint: type, path: tuple[str, ...]) -> str | int | float | bool:
        """One word as the value of a field; the name of a record becomes the place that errors tell."""
        stream = self.stream
        if name == "kind":
            return stream.word("the kind of an activation").removeprefix(_KIND_PREFIX).lower()
        if name == "name":
            self._at(path, "")
            word = stream.word("a name")
            self._at(path, word)
            return word
        if hint is bool:
            return bool(stream.integer(f"whether the layer {name.replace('_', ' ')}", 0, 1))
        if hint is float:
            return stream.number(name)
        return stream.integer(name.replace("_", " "), 0 if name in MAY_BE_ZERO else 1)

    def _blocks(self, num_blocks: int, path: tuple[str, ...]) -> tuple[Any, ...]:
        blocks = []
        for place in range(num_blocks):
            inner = (*path, records.block_name(place))
            self._at(inner, "")
            kind = self.stream.word("a kind of block")
            if kind not in records.BLOCK_KINDS:
                fault = f"wanted a kind of block ({', '.join(records.BLOCK_KINDS)}), got {kind!r}"
                if kind.startswith("transformer"):
                    fault = f"this is a network with transformer blocks ({kind}), which cannot be read here"
                raise self.stream.fail(fault, self.stream.position - len(kind))
            blocks.append(self.record(records.BLOCK_KINDS[kind], inner))
        return tuple(blocks)

    def _finished(self, kind: type, values: dict[str, Any], path: tuple[str, ...]) -> Any:
        """The record, once its parts fit together, and its weights."""
        if path and "name" in values:
            self._at(path, values["name"])
        try:
            made = kind(**values)
        except ValueError as error:
            raise self.stream.fail(str(error)) from None
        if kind in get_args(records.Layer):
            for weight, shape in records.weight_shapes(made).items():
                self.weights[(*path, weight)] = self.stream.floats(shape, f"the {weight}")
        return made

    def _at(self, path: tuple[str, ...], name: str) -> None:
        self.stream.place = ("/".join(path) or "header") + (f" ({name!r})" if name else "")

    def _check_header(self, field: str, values: dict[str, Any]) -> None:
        """Refuse what the first numbers ask for, as soon as they are read."""
        stream = self.stream
        if field == "version":
            self.version = version = values["version"]
            if version > records.LAST_VERSION:
                raise stream.fail(
                    f"the network is of version {version}, newer than the newest that is known here, "
                    f"{records.LAST_VERSION}; take a network of an older version"
                )
            if version < records.FIRST_VERSION:
                raise stream.fail(
                    f"the network is of version {version}, which reads other planes; wanted {records.FIRST_VERSION} "
                    f"to {records.LAST_VERSION}"
                )
        elif field == "num_globals" and (values["num_planes"], values["num_globals"]) != (
            records.NUM_PLANES,
            records.NUM_GLOBALS,
        ):
            raise stream.fail(
                f"wanted {records.NUM_PLANES} planes and {records.NUM_GLOBALS} globals, got {values['num_planes']} "
                f"and {values['num_globals']}"
            )
        elif field == "flags" and self.version >= records.FLAG_VERSION:
            if values["flags"][0]:
                raise stream.fail("the network reads who is playing (it imitates people), which is not offered here")
            if values["flags"][1] > 1 or any(values["flags"][2:]):
                raise stream.fail(f"the flags {values['flags']} ask for something that is not known here")
