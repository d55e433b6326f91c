"""The encoders, by name: `get("agz17")` is the encoder, `names()` lists them all.

The idea: one visible table. An entry is a function that makes the encoder; the keyword arguments of that function are
the encoder's options, so an option exists exactly where it is written, and an unknown one is an error that names the
near ones. Adding an encoder is one file and one line here.
"""

import difflib
import inspect
from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from research.encoders.absolute17 import make_absolute17
from research.encoders.agz17 import make_agz17
from research.encoders.alphago48 import make_alphago48, make_alphago48_roc
from research.encoders.bandit import make_bandit
from research.encoders.encoder import Encoder
from research.encoders.history48 import make_history48
from research.encoders.katago22 import make_katago22
from research.encoders.liberty48 import make_liberty48
from research.encoders.rules22 import make_rules22
from research.encoders.tictactoe import make_tictactoe

__all__ = ["Encoder", "get", "maker_of", "names"]

_MAKERS: dict[str, Callable[..., Encoder]] = {
    "absolute17": make_absolute17,
    "agz17": make_agz17,
    "alphago48": make_alphago48,
    "alphago48_roc": make_alphago48_roc,
    "bandit": make_bandit,
    "history48": make_history48,
    "katago22": make_katago22,
    "liberty48": make_liberty48,
    "rules22": make_rules22,
    "tictactoe": make_tictactoe,
}


def names() -> tuple[str, ...]:
    """The names of all encoders, in alphabetical order."""
    return tuple(sorted(_MAKERS))


def maker_of(name: str) -> Callable[..., Encoder]:
    """The function that makes the encoder; its parameters are the options, and its docstring says what they do.

    *Raises:* ValueError for a name that does not exist; it names the near ones and lists them all.
    """
    if not isinstance(name, str) or name not in _MAKERS:
        near = _near(f"{name}", names())
        raise ValueError(f"there is no encoder {name!r}{near}; encoders: {', '.join(names())}")
    return _MAKERS[name]


def get(name: str, /, **options: Any) -> Encoder:
    """The encoder of that name, made with `options`.

    *Raises:* ValueError for a name or an option that does not exist; it names the near ones and lists them all. What
    an option may be is checked by the function that makes the encoder.
    """
    allowed = tuple(inspect.signature(maker_of(name)).parameters)
    for option, value in options.items():
        if option not in allowed:
            listing = f"options: {', '.join(allowed)}" if allowed else "it has no options"
            raise ValueError(f"the encoder {name!r} has no option {option!r}{_near(option, allowed)}; {listing}")
        if not isinstance(value, Hashable):
            raise ValueError(f"{option}={value!r} of the encoder {name!r}: allowed is a plain value")
        options[option] = value.item() if isinstance(value, np.generic) else value
    return _make(name, **options)


@lru_cache(maxsize=None, typed=True)  # one encoder for one choice, so that what is compiled for it is found again
def _make(name: str, /, **options: Any) -> Encoder:
    """The encoder of a name and options that exist."""
    return _MAKERS[name](**options)


def _near(word: str, known: Iterable[str]) -> str:
    """The words " (did you mean X?)" with those of `known` that are close to `word`, or nothing."""
    close = difflib.get_close_matches(word.lower(), list(known), n=3, cutoff=0.5)
    return f" (did you mean {' or '.join(close)}?)" if close else ""
