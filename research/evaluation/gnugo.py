"""GNU Go as an opponent: where it is, and the options that make it play by the same rules as we do.

Its rules are command-line options. By area it must take dead stones off before it passes (`--capture-all-dead`), since
every stone that stands counts as alive here. Its chance has a seed that is reset at every move, so one process repeats
itself from game to game unless it is told another seed (`set_random_seed`).

*Source:* GNU Go 3.8's own help text; docs/rules.md, "Beside other rules".
"""

import shutil
from pathlib import Path

from research.go.rules import Rules

PLACES = ("gnugo", "/usr/games/gnugo", "/opt/homebrew/bin/gnugo")  # Debian keeps games off the usual path
MIN_LEVEL, MAX_LEVEL, DEFAULT_LEVEL = 0, 10, 10
KO_OPTIONS = {"simple": "--simple-ko", "positional": "--positional-superko", "situational": "--situational-superko"}
SUICIDE_OPTIONS = {False: "--forbid-suicide", True: "--allow-suicide"}


def gnugo_path() -> str | None:
    """Where GNU Go is installed; None if it is not."""
    return next((found for place in PLACES if (found := shutil.which(place))), None)


def gnugo_command(rules: Rules, level: int = DEFAULT_LEVEL, seed: int = 1) -> tuple[str, ...]:
    """The command line of GNU Go by `rules`; *Raises:* ValueError if it is not installed or has no such level."""
    if not MIN_LEVEL <= level <= MAX_LEVEL:
        raise ValueError(f"GNU Go's level is {level}; allowed: {MIN_LEVEL} to {MAX_LEVEL}")
    path = gnugo_path()
    if path is None:
        raise ValueError("GNU Go is not installed (Debian: apt install gnugo; macOS: brew install gnu-go)")
    options = [KO_OPTIONS[rules.ko], SUICIDE_OPTIONS[rules.suicide]]
    options += ["--japanese-rules"] if rules.scoring == "territory" else ["--chinese-rules", "--capture-all-dead"]
    return (str(Path(path)), "--mode", "gtp", "--level", str(level), "--seed", str(seed), *options)
