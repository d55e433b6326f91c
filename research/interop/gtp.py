"""The text of the Go Text Protocol: request lines in, replies out, and the words between, without any game.

A controller sends lines, `[id] command arguments`; each is answered by `=[id] text` or `?[id] text` and one empty
line. Nothing here knows what a command does, so the same words serve an engine and who talks to one.

*Source:* GTP version 2 draft 2, sections 2.3 to 2.11, 3.1, 3.2; the error texts are GNU Go 3.8's, which other programs
look for.
"""

import math
from typing import NamedTuple

from research.go.coords import Point, gtp_from_point, point_from_gtp

PROTOCOL_VERSION = "2"
INTERRUPT = "# interrupt"  # GoGui's comment that asks a running command to stop

UNKNOWN_COMMAND = "unknown command"
SYNTAX_ERROR = "syntax error"
INVALID_COLOR = "invalid color"
INVALID_COORDINATE = "invalid coordinate"
INVALID_MOVE = "invalid color or coordinate"
ILLEGAL_MOVE = "illegal move"
UNACCEPTABLE_SIZE = "unacceptable size"
NO_SIZE = "boardsize not an integer"
NO_KOMI = "komi not a float"
UNACCEPTABLE_KOMI = "unacceptable komi"
CANNOT_UNDO = "cannot undo"
NO_HANDICAP = "handicap not an integer"
INVALID_HANDICAP = "invalid handicap"
REPEATED_VERTEX = "repeated vertex"
BOARD_NOT_EMPTY = "board not empty"
NO_FILE_NAME = "missing filename"
NO_STATUS = "missing status"
INVALID_STATUS = "invalid status"
NO_TIME_SETTINGS = "not three integers"
NO_TIME_LEFT = "time and stones not two integers"

_COLOURS = {"b": "black", "black": "black", "w": "white", "white": "white"}
_MAX_DIGITS = 18  # of a number: more is no size, move or time, and int() refuses thousands


class GtpError(Exception):
    """A request that cannot be fulfilled; its text is what stands behind the question mark."""


class Request(NamedTuple):
    """One line of a controller."""

    number: str  # the id that the reply repeats, "" for none
    command: str
    arguments: tuple[str, ...]


def read_request(line: str) -> Request | None:
    """What a line asks for, None if it is empty or a comment.

    Control characters go, tabs are blanks, a comment is cut off, words may stand any number of blanks apart.
    """
    kept = "".join(" " if letter == "\t" else letter for letter in line if letter == "\t" or _is_printed(letter))
    words = kept.partition("#")[0].split(" ")
    words = [word for word in words if word]
    number = ""
    if words and words[0].isascii() and words[0].isdecimal():
        number = words.pop(0)
    if not words:
        return None
    return Request(number, words[0], tuple(words[1:]))


def is_interrupt(line: str) -> bool:
    """Whether a line is the comment that stops a running command."""
    return line.strip() == INTERRUPT


def reply_head(number: str, is_error: bool = False) -> str:
    """How a reply begins, up to its text."""
    return f"{'?' if is_error else '='}{number}"


def reply(number: str, text: str, is_error: bool = False) -> str:
    """A whole reply: empty lines inside are left out, since the first one ends it."""
    lines = [line.rstrip() for line in text.splitlines()]
    shown = "\n".join(line for line in lines if line)
    return f"{reply_head(number, is_error)}{' ' if shown else ''}{shown}\n\n"


def read_colour(text: str) -> str:
    """The colour that `text` names, "black" or "white"; *Raises:* GtpError."""
    colour = _COLOURS.get(text.lower())
    if colour is None:
        raise GtpError(INVALID_COLOR)
    return colour


def is_colour(text: str) -> bool:
    """Whether `text` names a colour."""
    return text.lower() in _COLOURS


def only_colour(arguments: tuple[str, ...]) -> str:
    """The colour that the arguments begin with; *Raises:* GtpError."""
    return read_colour(arguments[0] if arguments else "")


def read_vertex(text: str, size: int) -> Point:
    """The point of a vertex, None for a pass; *Raises:* GtpError."""
    try:
        return point_from_gtp(text, size)
    except ValueError:
        raise GtpError(INVALID_COORDINATE) from None


def read_move(arguments: tuple[str, ...], size: int) -> tuple[str, Point]:
    """(Colour, point) of the first two arguments; *Raises:* GtpError."""
    try:
        colour, vertex = arguments[:2]
        return read_colour(colour), read_vertex(vertex, size)
    except (ValueError, GtpError):
        raise GtpError(INVALID_MOVE) from None


def vertices(points: list[tuple[int, int]], size: int) -> str:
    """Points with blanks between them, from the top left on."""
    return " ".join(gtp_from_point(point, size) for point in sorted(points))


def read_integer(arguments: tuple[str, ...], place: int, fault: str) -> int:
    """The whole number at `place` of the arguments; *Raises:* GtpError that says `fault`."""
    text = arguments[place] if place < len(arguments) else ""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS):
        raise GtpError(fault)
    return int(text)


def read_float(arguments: tuple[str, ...], place: int, fault: str) -> float:
    """The finite number at `place` of the arguments; *Raises:* GtpError that says `fault`."""
    try:
        number = float(arguments[place].replace("_", "?"))
    except (IndexError, ValueError):
        raise GtpError(fault) from None
    if not math.isfinite(number):
        raise GtpError(fault)
    return number


def read_switch(text: str) -> bool:
    """What "true" or "false" says; *Raises:* GtpError."""
    switch = {"true": True, "false": False, "1": True, "0": False}.get(text.lower())
    if switch is None:
        raise GtpError(SYNTAX_ERROR)
    return switch


def _is_printed(letter: str) -> bool:
    """Whether a letter is no control character."""
    return ord(letter) >= 32 and ord(letter) != 127
