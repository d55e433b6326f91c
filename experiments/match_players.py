"""Who plays in a match, from a short text: a run of ours, chance, GNU Go, a KataGo network, or any command line.

| text | who |
| --- | --- |
| `random` | every legal move alike |
| `runs/smoke5` | a run's newest checkpoint with the run's search |
| `runs/smoke5@30` | the checkpoint of an iteration |
| `runs/smoke5:policy`, `runs/smoke5:64` | its network alone, or so many simulations a move |
| `net.bin.gz` | a KataGo network's file, with `:policy` or `:64` as above |
| `gnugo`, `gnugo:1` | GNU Go at level 10, at another level |
| anything else | a command line |

`NAME=` before it gives it another name, by which tables and ratings know it. Without one the text is the name, of a
network's file what it is called without folder and ending.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from research.evaluation.engines import Engine
from research.evaluation.gnugo import DEFAULT_LEVEL, gnugo_command
from research.go.rules import Rules

OURS = (sys.executable, "-m", "experiments.gtp")
ROOT = Path(__file__).parents[1]
NETWORK_SUFFIXES = (".bin.gz", ".txt.gz", ".bin", ".txt")
_NAMED = re.compile(r"([^\s=/]+)=(.+)", re.DOTALL)


class Player(NamedTuple):
    """Somebody who plays over GTP."""

    name: str
    text: str  # that it was made from, without the name
    command: tuple[str, ...]

    def engine(self) -> Engine:
        """A process of it, which starts when it is asked."""
        return Engine(self.name, self.command)


def read_player(text: str, rules: Rules, seed: int = 0) -> Player:
    """The player that a text of the table above means; *Raises:* ValueError if it means none."""
    found = _NAMED.fullmatch(text.strip())
    name, text = found.groups() if found else (_short_name(text.strip()), text.strip())
    return Player(name, text, _command(text, rules, seed))


def _short_name(text: str) -> str:
    """What a player is called that was given no name."""
    head, colon, tail = text.partition(":")
    for suffix in NETWORK_SUFFIXES:
        if head.endswith(suffix) and Path(head).is_file():
            return f"{Path(head).name.removesuffix(suffix)}{colon}{tail}"
    return text


def _command(text: str, rules: Rules, seed: int) -> tuple[str, ...]:
    if text == "random":
        return (*OURS, "--player", "random", "--size", str(rules.size), "--seed", str(seed))
    head, _, tail = text.partition(":")
    if head == "gnugo" and " " not in text:
        if tail and not tail.isdecimal():
            raise ValueError(f"{text}: wanted a level behind gnugo:, such as gnugo:1; got {tail!r}")
        return gnugo_command(rules, int(tail or DEFAULT_LEVEL), seed + 1)
    folder, _, iteration = head.partition("@")
    if (Path(folder) / "config.json").is_file():
        chosen = ("--iteration", _number(text, iteration)) if iteration else ()
        return (*OURS, "--checkpoint", folder, *chosen, *_way_to_play(text, tail), "--seed", str(seed))
    if head.endswith(NETWORK_SUFFIXES) and Path(head).is_file():
        return (*OURS, "--katago", head, *_way_to_play(text, tail), "--seed", str(seed))
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{text}: no command line: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise ValueError(
            f"{text or 'an empty player'}: wanted random, a run's folder, gnugo, a KataGo network's file or a command "
            "line whose program can be found"
        )
    return tuple(words)


def _way_to_play(text: str, tail: str) -> tuple[str, ...]:
    """The options for what stands behind the colon."""
    if tail == "policy":
        return ("--player", "policy")
    return ("--num-simulations", _number(text, tail)) if tail else ()


def _number(text: str, digits: str) -> str:
    """The digits; *Raises:* ValueError if they are none."""
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"{text}: wanted a number or policy, got {digits!r}")
    return digits
