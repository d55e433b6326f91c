"""The stream of words and numbers that a network file is, with the place of whatever is wrong in it.

The idea: the file is unpacked as far as that goes, and read word by word; whoever reads says what it is reading, so a
fault is one line with the block, the layer and the byte. A damaged gzip stream is no fault by itself until the words
run out or all are read: what its words say is the better message.

*Source:* KataGo 1.17.2, cpp/neuralnet/desc.cpp, as facts; RFC 1952 for gzip.
"""

import math
import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float32

BINARY_MARK = b"@BIN@"  # after it stand little-endian floats, as many as the layer has
GZIP_MARK = b"\x1f\x8b"
GZIP_WINDOW = 31  # zlib's number for a gzip header and its largest window
PIECE_BYTES = 1 << 16  # that are unpacked at once
SPACES = b" \t\r\n"
LONGEST_WORD = 1024  # bytes
_SPACES = re.compile(rb"[ \t\r\n]*")
_WORD = re.compile(rb"[^ \t\r\n]{1,%d}" % LONGEST_WORD)
MAX_COUNT = 1 << 20  # of channels, blocks, points: more is no network


class NetworkFileError(ValueError):
    """A file that is no network, or not one that can be read here; the message says where and what is wrong."""


class TokenStream:
    """What is left to read of a file."""

    def __init__(self, data: bytes, source: str):
        """The start of a file's bytes, packed by gzip or not; `source` names it in messages."""
        self.source = source
        self.place = ""  # block and layer that are being read
        self.position = 0  # bytes of the unpacked file
        self._data, self._damage = unpack(data) if data.startswith(GZIP_MARK) else (data, "")

    def fail(self, fault: str, position: int | None = None) -> NetworkFileError:
        """The error to raise: `fault` with the place."""
        position = self.position if position is None else position
        place = f"{self.place}, " if self.place else ""
        return NetworkFileError(f"{self.source}: {place}at byte {position} of the unpacked file: {fault}")

    def word(self, wanted: str) -> str:
        """The next word; `wanted` says what it should be."""
        data = self._data
        self.position = start = self._after_spaces()
        found = _WORD.match(data, start)
        end = found.end() if found else start
        if start == len(data) or (end == len(data) and self._damage):
            raise self._at_end(wanted)
        try:
            word = data[start:end].decode("ascii")
        except UnicodeDecodeError:
            word = ""
        if not word.isprintable() or not word or len(word) == LONGEST_WORD:
            raise self.fail(f"wanted {wanted}, got {data[start : start + 12]!r}")
        self.position = end
        return word

    def integer(self, wanted: str, low: int = 0, high: int = MAX_COUNT) -> int:
        """The next word as a whole number from `low` to `high`."""
        word = self.word(wanted)
        if not word.isdecimal() or not low <= int(word) <= high:
            raise self.fail(
                f"wanted {wanted}, a whole number from {low} to {high}, got {word!r}", self.position - len(word)
            )
        return int(word)

    def number(self, wanted: str) -> float:
        """The next word as a finite number."""
        word = self.word(wanted)
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.fail(f"wanted {wanted}, a number, got {word!r}", self.position - len(word))
        return value

    def floats(self, shape: tuple[int, ...], wanted: str) -> Float32[np.ndarray, "..."]:
        """The next block of floats, binary or as text."""
        count = math.prod(shape)
        self.position = start = self._after_spaces()
        if self._data.startswith(BINARY_MARK, start):
            values = self._binary_floats(start + len(BINARY_MARK), count, wanted)
        else:
            values = self._text_floats(count, wanted)
        if not np.isfinite(values).all():
            raise self.fail(f"{wanted} holds {values[~np.isfinite(values)][0]}; the file is damaged", start)
        return values.reshape(shape)

    def finish(self) -> None:
        """Nothing; *Raises:* NetworkFileError if something follows what was read, or the packing is damaged."""
        self.place = "after the last layer"
        rest = self._data[self.position :].strip(SPACES)
        if rest:
            raise self.fail(f"{len(rest)} bytes more than the network has, beginning {rest[:12]!r}")
        if self._damage:
            raise self.fail(f"{self._damage}; get the file again")

    def _after_spaces(self) -> int:
        """Where the next word begins."""
        found = _SPACES.match(self._data, self.position)
        return found.end() if found else self.position

    def _binary_floats(self, start: int, count: int, wanted: str) -> Float32[np.ndarray, " count"]:
        end = start + 4 * count
        if end > len(self._data):
            raise self._at_end(f"{wanted}, {count} floats")
        values = np.frombuffer(self._data, "<f4", count, start).astype(np.float32)
        if self._data[end : end + 1] not in (b"", b"\n", b" "):
            raise self.fail(f"{wanted} is longer than its {count} floats")
        self.position = end
        return values

    def _text_floats(self, count: int, wanted: str) -> Float32[np.ndarray, " count"]:
        if 2 * count > len(self._data) - self.position + 1:  # a digit and a space each, before anything is split
            raise self._at_end(f"{wanted}, {count} numbers")
        return np.array([self.number(f"{wanted}, number {place + 1} of {count}") for place in range(count)], np.float32)

    def _at_end(self, wanted: str) -> NetworkFileError:
        damage = f" ({self._damage})" if self._damage else ""
        return self.fail(f"the file ends where {wanted} is wanted{damage}; get the file again")


def unpack(data: bytes) -> tuple[bytes, str]:
    """(what a gzip file holds, as far as that can be read; what is wrong with it, or "")."""
    parts: list[bytes] = []
    while data:
        member = zlib.decompressobj(wbits=GZIP_WINDOW)
        for start in range(0, len(data), PIECE_BYTES):
            piece, before = data[start : start + PIECE_BYTES], member.copy()
            try:
                parts.append(member.decompress(piece))
            except zlib.error as error:
                parts += _salvaged(before, piece)
                return b"".join(parts), f"its gzip stream is damaged: {error}"
            if member.eof:
                break
        if not member.eof:
            return b"".join(parts), "it is cut short"
        data = member.unused_data + data[start + PIECE_BYTES :]
        if data and not data.startswith(GZIP_MARK):
            return b"".join(parts), "something else follows the gzip stream" if data.strip(b"\0") else ""
    return b"".join(parts), ""


def _salvaged(member: Any, piece: bytes) -> Iterator[bytes]:
    """What comes before the fault in a piece of which zlib gives nothing as a whole."""
    for place in range(len(piece)):
        try:
            yield member.decompress(piece[place : place + 1])
        except zlib.error:
            return
