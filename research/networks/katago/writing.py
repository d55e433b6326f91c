"""Writes networks of KataGo's kind to its files, for KataGo and for whoever reads them: reading.py's walk backwards.

*Source:* KataGo 1.17.2, cpp/neuralnet/desc.cpp, as facts.
"""

import gzip
import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from flax import traverse_util

from research.networks.katago import description as records
from research.networks.katago.reading import STATISTICS, KataGoFile
from research.networks.katago.tokens import BINARY_MARK

_KIND_WORDS = {kind: word for word, kind in records.BLOCK_KINDS.items()}
FLOATS_A_LINE = 64


def write_network(network: KataGoFile, path: Path | str) -> None:
    """Write a file, .bin.gz or .txt.gz by its name; it is there whole or not at all.

    *Raises:* ValueError for another name, and for weights that are not those of the description.
    """
    path = Path(path)
    if not path.name.endswith((".bin.gz", ".txt.gz")):
        raise ValueError(f"{path}: wanted a name that ends in .bin.gz or .txt.gz")
    data = network_bytes(network, is_binary=path.name.endswith(".bin.gz"))
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(gzip.compress(data, mtime=0))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def network_bytes(network: KataGoFile, is_binary: bool = True) -> bytes:
    """The file before it is packed; *Raises:* ValueError for weights that are not those of the description."""
    writer = _Writer(network, is_binary)
    writer.record(network.description, ())
    if writer.weights:
        raise ValueError(f"the description has no place for the weights {'/'.join(sorted(writer.weights)[0])}")
    return b"".join(writer.parts)


class _Writer:
    """Walks over the fields of records; `weights` are those not yet written."""

    def __init__(self, network: KataGoFile, is_binary: bool):
        self.version = network.description.version
        self.is_binary = is_binary
        self.parts: list[bytes] = []
        flat = traverse_util.flatten_dict(network.variables)
        self.weights: dict[tuple[str, ...], Any] = {tuple(path): leaf for path, leaf in flat.items()}

    def record(self, record: Any, path: tuple[str, ...]) -> None:
        """Everything in a record, in its order."""
        for field in fields(record):
            value = getattr(record, field.name)
            since, count = field.metadata.get("since", 0), field.metadata.get("count")
            if self.version < since:
                if value != field.default:
                    raise ValueError(
                        f"{field.name} of {record.name!r} is {value}; files say so from version {since} on"
                    )
                continue
            if count and len(value) != count:
                raise ValueError(f"{field.name} of {record.name!r} has {len(value)} numbers; wanted {count}")
            if field.name == "blocks":
                for place, block in enumerate(value):
                    self._line(_KIND_WORDS[type(block)])
                    self.record(block, (*path, records.block_name(place)))
            elif is_dataclass(value):
                self.record(value, (*path, field.name))
            elif field.name == "kind":
                self._line(f"ACTIVATION_{value.upper()}")
            else:
                for number in value if isinstance(value, tuple) else (value,):
                    self._line(int(number) if isinstance(number, bool) else number)
        if isinstance(record, get_args(records.Layer)):
            for weight, shape in records.weight_shapes(record).items():
                self._floats((("batch_stats" if weight in STATISTICS else "params"), *path, weight), shape)

    def _line(self, word: object) -> None:
        text = str(word)
        if not text.isascii() or not text.isprintable() or len(text.split()) != 1:
            raise ValueError(f"{text!r} cannot be written; wanted one word of ASCII letters")
        self.parts.append(f"{text}\n".encode())

    def _floats(self, path: tuple[str, ...], shape: tuple[int, ...]) -> None:
        if path not in self.weights:
            raise ValueError(f"the weights {'/'.join(path)} are missing")
        values = np.asarray(self.weights.pop(path), np.float32)
        if values.shape != shape or not np.isfinite(values).all():
            raise ValueError(f"the weights {'/'.join(path)} are {values.shape}; wanted {shape}, all finite")
        if self.is_binary:
            self.parts += [BINARY_MARK, values.astype("<f4").tobytes(), b"\n"]
        else:
            words = [str(value) for value in values.ravel()]
            lines = [" ".join(words[start : start + FLOATS_A_LINE]) for start in range(0, len(words), FLOATS_A_LINE)]
            self.parts.append("".join(f"{line}\n" for line in lines).encode())
