"""What a game of Go is played by: board size, komi, ko rule, suicide, scoring, group tax, length.

`Rules` is data: a frozen, hashable description that can be written into a config and closed over by jitted code. It
accepts every combination that the library knows a meaning for; `research.go.Go` then says which of them it can play
on the device.

Named rule sets (the button, handicap bonuses and friendly passes of some of them are not part of `Rules`):

| name | ko | scoring | tax | suicide | komi |
|---|---|---|---|---|---|
| tromp-taylor | positional | area | none | yes | 7.5 |
| chinese | simple | area | none | no | 7.5 |
| chinese-ogs, chinese-kgs | positional | area | none | no | 7.5 |
| aga, bga, french | situational | area | none | no | 7.5 |
| new-zealand, nz | situational | area | none | yes | 7.0 |
| goe, ing | positional | area | none | yes | 7.5 |
| stone-scoring, ancient-area | simple | area | all | no | 7.5 |
| japanese, korean | simple | territory | seki | no | 6.5 |
| ancient-territory | simple | territory | all | no | 6.5 |

*Source:* Tromp-Taylor rules (tromp.github.io/go.html); the rule names and their options as KataGo documents them.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

KoRule = Literal["simple", "positional", "situational"]
Scoring = Literal["area", "area-pass-dead", "territory"]
Tax = Literal["none", "seki", "all"]

MIN_SIZE = 2
MAX_SIZE = 19
KOMI_MARGIN = 20  # points that komi may exceed the board's area by
MAX_MAX_MOVES = 1_000_000  # the superko history has a column for each


@dataclass(frozen=True)
class Rules:
    """The rules of one game; two games with equal rules differ only in data (positions, komi)."""

    size: int = 19  # points a side, 2..19
    komi: float | int = 7.5  # points White gets, a multiple of 0.5
    ko: KoRule = "positional"  # which repetitions are banned, beside the simple ko that always is
    suicide: bool = False  # whether a chain of two stones or more may take its own last liberty
    scoring: Scoring = "area"  # "area": every stone alive; "area-pass-dead": stones in pass-alive areas off
    tax: Tax = "none"  # "seki": only stones count in seki; "all": beside, 2 points off for each living group
    max_moves: int | None = None  # plies after which the game is over; None: 2 * size * size

    def __post_init__(self):
        """Refuse what has no meaning; *Raises:* ValueError that names field, value and what is allowed."""
        for field in ("size", "max_moves", "komi", "suicide"):  # numpy's scalars are taken as Python's
            if isinstance(getattr(self, field), np.generic):
                object.__setattr__(self, field, getattr(self, field).item())
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"size={self.size!r}: allowed is a whole number from {MIN_SIZE} to {MAX_SIZE}")
        check_komi(self.komi, self.size)
        for field, allowed in (("ko", KoRule), ("scoring", Scoring), ("tax", Tax)):
            value = getattr(self, field)
            if value not in get_args(allowed):
                raise ValueError(f"{field}={value!r}: allowed is one of {', '.join(get_args(allowed))}")
        if not isinstance(self.suicide, bool):
            raise ValueError(f"suicide={self.suicide!r}: allowed is True or False")
        is_count = isinstance(self.max_moves, int) and not isinstance(self.max_moves, bool)
        if self.max_moves is not None and not (is_count and 1 <= self.max_moves <= MAX_MAX_MOVES):
            raise ValueError(
                f"max_moves={self.max_moves!r}: allowed is a whole number from 1 to {MAX_MAX_MOVES}, or None"
            )

    @property
    def num_moves_allowed(self) -> int:
        """Plies after which the game is over whatever stands on the board."""
        return 2 * self.size * self.size if self.max_moves is None else self.max_moves


def check_komi(komi: float | int, size: int) -> None:
    """Nothing; *Raises:* ValueError unless `komi` is a multiple of 0.5 within size * size + 20 points."""
    limit = size * size + KOMI_MARGIN
    komi = komi.item() if isinstance(komi, np.generic) else komi
    is_number = isinstance(komi, int | float) and not isinstance(komi, bool) and -limit <= komi <= limit
    if not is_number or (2 * komi) % 1:
        raise ValueError(f"komi={komi!r}: allowed is a multiple of 0.5 from {-limit} to {limit} at size {size}")


def rules_named(name: str, size: int = 19, komi: float | int | None = None) -> Rules:
    """The rule set called `name` in the table above; `komi` None takes the table's.

    *Raises:* ValueError for an unknown name; it lists the known ones.
    """
    if name not in _NAMED:
        raise ValueError(f"rules {name!r} are unknown; known are {', '.join(sorted(_NAMED))}")
    ko, scoring, tax, suicide, usual_komi = _NAMED[name]
    return Rules(size=size, komi=usual_komi if komi is None else komi, ko=ko, suicide=suicide, scoring=scoring, tax=tax)


_NAMED: dict[str, tuple[KoRule, Scoring, Tax, bool, float]] = {
    "tromp-taylor": ("positional", "area", "none", True, 7.5),
    "chinese": ("simple", "area", "none", False, 7.5),
    "chinese-ogs": ("positional", "area", "none", False, 7.5),
    "chinese-kgs": ("positional", "area", "none", False, 7.5),
    "aga": ("situational", "area", "none", False, 7.5),
    "bga": ("situational", "area", "none", False, 7.5),
    "french": ("situational", "area", "none", False, 7.5),
    "new-zealand": ("situational", "area", "none", True, 7.0),
    "nz": ("situational", "area", "none", True, 7.0),
    "goe": ("positional", "area", "none", True, 7.5),
    "ing": ("positional", "area", "none", True, 7.5),
    "stone-scoring": ("simple", "area", "all", False, 7.5),
    "ancient-area": ("simple", "area", "all", False, 7.5),
    "japanese": ("simple", "territory", "seki", False, 6.5),
    "korean": ("simple", "territory", "seki", False, 6.5),
    "ancient-territory": ("simple", "territory", "all", False, 6.5),
}
