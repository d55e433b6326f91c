"""Influence maps as ARFF, the text format of Weka: a numeric attribute a point, A1 to T19, then what else is known.

    @relation influence
    @attribute A1 numeric
    ...
    @attribute T19 numeric
    @attribute game string
    @data
    0.5,0.25,...,'first game'

The points go row by row from the bottom, so that attribute 0 is A1 (`research.go.coords`, influence index). Meta
attributes follow them: numeric where all values are numbers, else string; None is a missing value, "?".

What is read: dense data with numeric, integer, real, string and nominal attributes, quoted in either way; comments; key
words in any case. What is damaged is refused with its line.

*Source:* Weka's documentation, "Attribute-Relation File Format (ARFF)", stable version.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float

from research.go import coords
from research.interop.influence_text import from_vector, to_vector

Value = float | int | str | None

_PLAIN = re.compile(r"[A-Za-z0-9_.+\-]+")
_TOKEN = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s,'"{}%]+))\s*""", re.DOTALL)
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NUMERIC = ("numeric", "real", "integer")


class ArffError(ValueError):
    """What cannot be read as ARFF."""


class Table(NamedTuple):
    """An ARFF file."""

    relation: str
    attributes: list[tuple[str, str]]  # (name, type), types as they stand: "numeric", "string", "{a,b}"
    rows: list[list[Value]]  # numbers, texts, None where a value is missing

    def column(self, name: str) -> list[Value]:
        """One attribute's values; *Raises:* ValueError if there is no such attribute."""
        names = [attribute for attribute, _ in self.attributes]
        if name not in names:
            raise ValueError(f"there is no attribute {name!r}; there are {', '.join(names)}")
        return [row[names.index(name)] for row in self.rows]

    def maps(self) -> Float[np.ndarray, "rows size size"]:
        """The maps of all rows, row 0 of the board on top.

        *Raises:* ValueError if the attributes do not begin with a board's points in order, or a point has no value.
        """
        names = [name for name, _ in self.attributes]
        sizes = [size for size in range(19, 1, -1) if names[: size * size] == point_names(size)]
        if not sizes:
            raise ValueError("the attributes do not begin with a board's points in order: A1, B1, ...")
        points = [row[: sizes[0] ** 2] for row in self.rows]
        if any(not isinstance(value, float) for row in points for value in row):
            raise ValueError("a map has a point without a number")
        return np.array([from_vector(np.array(row, np.float64)) for row in points])


def point_names(size: int) -> list[str]:
    """The points' attributes in order."""
    return [coords.gtp_from_point(coords.point_from_influence(index, size), size) for index in range(size * size)]


def write(
    maps: Float[np.ndarray | Array, "rows size size"],
    meta: Mapping[str, Sequence[Value]] | None = None,
    relation: str = "influence",
    comment: str = "",
) -> str:
    """The ARFF text of maps; `meta` has a value a map under each name.

    *Raises:* ValueError if there are not as many, or a name is a point's.
    """
    values, meta = np.asarray(maps), dict(meta or {})
    names = point_names(values.shape[1])
    for name, column in meta.items():
        if len(column) != len(values):
            raise ValueError(f"meta {name!r} has {len(column)} values; there are {len(values)} maps")
        if name in names:
            raise ValueError(f"meta {name!r} has the name of a point")
    lines = [f"% {line}" for line in comment.splitlines()]
    lines += [f"@relation {quoted(relation)}", ""]
    lines += [f"@attribute {name} numeric" for name in names]
    lines += [f"@attribute {quoted(name)} {_type_of(column)}" for name, column in meta.items()]
    lines += ["", "@data"]
    for number, influence in enumerate(values):
        points = [_text_of(value) for value in to_vector(influence)]
        lines.append(",".join([*points, *(_text_of(column[number], _type_of(column)) for column in meta.values())]))
    return "\n".join(lines) + "\n"


def parse(text: str) -> Table:
    """The table of an ARFF text; *Raises:* ArffError with the line of what is wrong."""
    relation, attributes, rows = "", list[tuple[str, str]](), list[list[Value]]()
    is_data = False
    number = 0
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        keyword, rest = [*stripped.split(None, 1), ""][:2]
        if is_data:
            rows.append(_row(stripped, attributes, number))
        elif keyword.lower() == "@relation":
            relation = _tokens(rest, number)[0]
        elif keyword.lower() == "@attribute":
            attributes.append(_attribute(rest, number))
        elif keyword.lower() == "@data":
            is_data = True
        else:
            raise ArffError(f"line {number}: {stripped[:40]!r} is neither @relation, @attribute nor @data")
    if not is_data:
        raise ArffError(f"line {number}: the text ends without @data")
    if not attributes:
        raise ArffError("there is no @attribute before @data")
    return Table(relation, attributes, rows)


def quoted(text: str) -> str:
    """A name or text as it stands in the file: in quotes unless it is one plain word."""
    if _PLAIN.fullmatch(text):
        return text
    return "'" + "".join(_ESCAPES.get(sign, sign) for sign in text) + "'"


def _type_of(column: Iterable[Value]) -> str:
    is_numeric = all(value is None or isinstance(value, int | float) for value in column)
    return "numeric" if is_numeric else "string"


def _text_of(value: Value | np.floating, kind: str = "numeric") -> str:
    if value is None or (isinstance(value, float | np.floating) and not math.isfinite(value)):
        return "?"
    if kind == "numeric" and not isinstance(value, str):
        return np.format_float_positional(value, trim="-")  # the shortest that reads back, in the value's precision
    # In quotes even where it is a plain word: what is no name, such as "?", is then read as it was.
    return "'" + "".join(_ESCAPES.get(sign, sign) for sign in str(value)) + "'"


def _attribute(text: str, number: int) -> tuple[str, str]:
    found = _TOKEN.match(text)
    if not found:
        raise ArffError(f"line {number}: @attribute without a name")
    name, kind = _unquoted(found), text[found.end() :].strip()
    if kind.lower() in (*_NUMERIC, "string"):
        return name, kind.lower()
    if kind.startswith("{") and kind.endswith("}"):
        return name, "{" + ",".join(_tokens(kind[1:-1], number)) + "}"
    raise ArffError(f"line {number}: attribute {name!r} has the type {kind!r}; wanted is numeric, string or {{...}}")


def _row(text: str, attributes: list[tuple[str, str]], number: int) -> list[Value]:
    if text.startswith("{"):
        raise ArffError(f"line {number}: sparse data, which is not read; wanted are all values, separated by commas")
    found = list(_split(text, number))
    if len(found) != len(attributes):
        raise ArffError(f"line {number}: {len(found)} values for {len(attributes)} attributes")
    row: list[Value] = []
    for (value, is_quoted), (name, kind) in zip(found, attributes, strict=True):
        if value == "?" and not is_quoted:
            row.append(None)
        elif kind in _NUMERIC:
            row.append(_number(value, name, number))
        elif kind.startswith("{") and value not in kind[1:-1].split(","):
            raise ArffError(f"line {number}: {value!r} is no value of {name}: {kind}")
        else:
            row.append(value)
    return row


def _number(text: str, name: str, number: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArffError(f"line {number}: {text!r} is no number, as {name} wants") from None


def _tokens(text: str, number: int) -> list[str]:
    tokens = [token for token, _ in _split(text, number)]
    if not tokens:
        raise ArffError(f"line {number}: a name is missing")
    return tokens


def _split(text: str, number: int) -> Iterator[tuple[str, bool]]:
    """The values of a line, and whether each was in quotes."""
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise ArffError(f"line {number}: no value at {text[position : position + 20]!r}")
        yield _unquoted(found), found[3] is None
        position = found.end()
        if position < len(text) and text[position] != "%":
            if text[position] != ",":
                raise ArffError(f"line {number}: a comma is missing before {text[position : position + 20]!r}")
            position += 1
            if position == len(text):
                raise ArffError(f"line {number}: no value behind the last comma")
        else:
            return


def _unquoted(found: re.Match[str]) -> str:
    if found[3] is not None:
        return found[3]
    back = {"n": "\n", "r": "\r", "t": "\t"}
    return re.sub(
        r"\\(.)",
        lambda escape: back.get(escape[1], escape[1]),
        found[1] if found[1] is not None else found[2],
        flags=re.DOTALL,
    )
