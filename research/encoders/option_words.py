"""Options of an encoder as words, `ladder_max_nodes=400`: one form for presets, command lines and config.json.

An encoder's options are the keyword arguments of the function that makes it, so which there are and what they may be
is known there alone; here a word becomes a name and a Python value.
"""

import ast
from collections.abc import Sequence
from typing import Any

from research import encoders
from research.encoders import Encoder


def encoder_with(name: str, words: Sequence[str] = ()) -> Encoder:
    """The encoder of that name with the options that `words` say.

    *Raises:* ValueError for an encoder, an option or a value that does not exist, or an option said twice.
    """
    encoders.maker_of(name)  # a wrong name is the first thing to say
    options: dict[str, Any] = {}
    for word in words:
        option, value = read_option(word)
        if option in options:
            raise ValueError(f"the encoder's option {option} is there twice, the second time as {word!r}; wanted once")
        options[option] = value
    try:
        return encoders.get(name, **options)
    except ValueError as error:
        raise ValueError(f"the encoder's options {' '.join(words)!r}: {error}") from None


def read_option(word: str) -> tuple[str, Any]:
    """("ladders", False) of "ladders=False"; what is no Python value is a string.

    *Raises:* ValueError if there is no equals sign.
    """
    name, equals, value = word.partition("=")
    if not equals or not name:
        raise ValueError(f"the encoder's option {word!r}: wanted NAME=VALUE, as in ladder_max_nodes=400")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all that literal_eval says "no" by
        return name, {"true": True, "false": False}.get(value.lower(), value)
