"""The rules of a game over GTP, in the names and the JSON that KataGo gave to clients.

`research.go.rules` says what a rule set is. What is beside it: how much White gets for handicap stones, and that a
friendly pass may end a game with dead stones on the board, which is told and changes nothing here. The button and ko
by Spight are not played.

A controller changes rules without changing the komi.

*Source:* KataGo's documentation of `kata-get-rules` and `kata-set-rules`; kgsGtp's of `kgs-rules`.
"""

import json
from dataclasses import dataclass
from typing import Literal, get_args

from research.go.rules import KoRule, Rules, Tax, rules_named
from research.interop.gtp import GtpError

HandicapBonus = Literal["0", "N", "N-1"]  # points that White gets for N handicap stones

KGS_NAMES = {"japanese": "japanese", "chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new-zealand"}
_FRIENDLY_NAMES = (
    "chinese", "chinese-ogs", "chinese-kgs", "aga", "bga", "french", "new-zealand", "nz", "goe", "ing",
    "stone-scoring", "ancient-area",
)  # fmt: skip
_BONUS: dict[str, HandicapBonus] = {
    "chinese": "N",
    "chinese-ogs": "N",
    "chinese-kgs": "N",
    "aga": "N-1",
    "bga": "N-1",
    "french": "N-1",
}


@dataclass(frozen=True)
class RuleSet:
    """What a game is played by, whatever its size and komi."""

    rules: Rules  # size and komi mean nothing here
    bonus: HandicapBonus = "0"  # points for White by handicap stones
    is_friendly: bool = False  # whether passing with dead stones on the board is taken as agreement

    def sized(self, size: int) -> Rules:
        """The rules on a board of `size`, komi 0: komi and bonus are the score's, see `compensation`."""
        rules = self.rules
        return Rules(size=size, komi=0, ko=rules.ko, suicide=rules.suicide, scoring=rules.scoring, tax=rules.tax)

    def compensation(self, num_handicap: int) -> int:
        """Points that White gets beside the komi."""
        if num_handicap < 2:
            return 0
        return {"0": 0, "N": num_handicap, "N-1": num_handicap - 1}[self.bonus]


def rule_set_named(name: str) -> RuleSet:
    """A rule set by the name that KataGo has for it; *Raises:* GtpError if there is none."""
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    key = {"tromptaylor": "tromp-taylor", "newzealand": "new-zealand"}.get(key, key)
    try:
        rules = rules_named(key)
    except ValueError:
        raise GtpError(f"Unknown rules '{name}'") from None
    return RuleSet(rules, _BONUS.get(key, "0"), key in _FRIENDLY_NAMES)


def kgs_rule_set(name: str) -> RuleSet:
    """A rule set by the name that KGS has for it; *Raises:* GtpError if there is none."""
    if name.lower() not in KGS_NAMES:
        raise GtpError(f"Unknown rules '{name}'")
    return rule_set_named(KGS_NAMES[name.lower()])


def as_json(rule_set: RuleSet) -> str:
    """One line of JSON."""
    rules = rule_set.rules
    fields = {
        "friendlyPassOk": rule_set.is_friendly,
        "hasButton": False,
        "ko": rules.ko.upper(),
        "scoring": "TERRITORY" if rules.scoring == "territory" else "AREA",
        "suicide": rules.suicide,
        "tax": rules.tax.upper(),
        "whiteHandicapBonus": rule_set.bonus,
    }
    return json.dumps(fields, separators=(",", ":"))


def read_rule_set(text: str) -> RuleSet:
    """What `kata-set-rules` says: a name or JSON; what JSON leaves out is as by Tromp and Taylor.

    *Raises:* GtpError for what is unknown or not played here.
    """
    if not text.lstrip().startswith("{"):
        return rule_set_named(text)
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise GtpError("Could not parse rules: no JSON") from None
    known = ("friendlyPassOk", "hasButton", "ko", "scoring", "suicide", "tax", "whiteHandicapBonus", "komi")
    for field in fields:
        if field not in known:
            raise GtpError(f"Could not parse rules: unknown field '{field}'")
    if _switch(fields, "hasButton"):
        raise GtpError("Could not parse rules: the button is not played here")
    scoring = "territory" if _choice(fields, "scoring", ("area", "territory"), "area") == "territory" else "area"
    ko = _choice(fields, "ko", get_args(KoRule), "positional")
    tax = _choice(fields, "tax", get_args(Tax), "seki" if scoring == "territory" else "none")
    bonus = _choice(fields, "whiteHandicapBonus", ("0", "n", "n-1"), "0").upper()
    suicide = _switch(fields, "suicide", True)
    rules = Rules(ko=ko, scoring=scoring, tax=tax, suicide=suicide)  # type: ignore
    return RuleSet(rules, bonus, _switch(fields, "friendlyPassOk"))  # type: ignore


def _choice(fields: dict, field: str, allowed: tuple[str, ...], default: str) -> str:
    """The field's word, in small letters; *Raises:* GtpError unless it is allowed."""
    word = str(fields.get(field, default)).lower()
    if word not in allowed:
        raise GtpError(f"Could not parse rules: {field} is {word.upper()}, allowed is {', '.join(allowed).upper()}")
    return word


def _switch(fields: dict, field: str, default: bool = False) -> bool:
    """The field's truth; *Raises:* GtpError for anything else."""
    value = fields.get(field, default)
    if not isinstance(value, bool):
        raise GtpError(f"Could not parse rules: {field} is {value!r}, allowed is true or false")
    return value
