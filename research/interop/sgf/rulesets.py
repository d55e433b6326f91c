"""The rules of a record: the names that RU has for them, and a sentence that tells those of ours exactly.

*Source:* SGF FF[4], property RU; KataGo's notation (`koPOSITIONALscoreAREAtaxNONEsui1`) as its own records have it.
"""

import re
import unicodedata

from research.go.rules import Rules, rules_named

RULE_SPELLINGS = (  # name of research.go.rules, and what is found in RU, letters and digits alone
    ("chinese-ogs", ("chineseogs",)),
    ("chinese-kgs", ("chinesekgs",)),
    ("stone-scoring", ("stonescoring",)),
    ("ancient-area", ("ancientarea",)),
    ("ancient-territory", ("ancientterritory",)),
    ("tromp-taylor", ("tromptaylor", "tt", "logical")),
    ("new-zealand", ("newzealand", "nz")),
    ("japanese", ("japan", "japanese", "jp", "nihonkiin", "日本")),
    ("korean", ("korea", "korean", "kr", "韩国", "韓国", "韓國", "한국")),
    ("chinese", ("china", "chinese", "cn", "中国", "中國", "중국")),
    ("aga", ("aga", "american")),
    ("bga", ("bga",)),
    ("french", ("french", "ffg")),
    ("goe", ("goe", "ing", "sst", "应氏", "應氏", "应昌期", "應昌期")),
)
RULE_NAMES = frozenset(name for name, _ in RULE_SPELLINGS)

_OWN_RULES = re.compile(r"ko (\w+), scoring ([\w-]+), tax (\w+), suicide (yes|no)")
_KATAGO_RULES = re.compile(r"ko(SIMPLE|POSITIONAL|SITUATIONAL)score(AREA|TERRITORY)tax(NONE|SEKI|ALL)sui([01])")


def read_rules(text: str) -> str | None:
    """A name that research.go.rules_named knows, the text itself if it is none of those, None if it is empty."""
    key = "".join(letter for letter in unicodedata.normalize("NFKC", text).lower() if letter.isalnum())
    if not key:
        return None
    for name, spellings in RULE_SPELLINGS:
        if key in spellings or key.removesuffix("s") in spellings:
            return name
    for name, spellings in RULE_SPELLINGS:
        if any(len(spelling) > 3 or not spelling.isascii() for spelling in spellings if spelling in key):
            return name
    return text.strip()


def rules_told(text: str | None) -> Rules | None:
    """The rules (on some board) that RU tells, by name, as `writing` writes them, or as KataGo does; None if none."""
    if text is None:
        return None
    if text in RULE_NAMES:
        return rules_named(text)
    found = _OWN_RULES.search(text) or _KATAGO_RULES.search(text)
    if found is None:
        return None
    ko, scoring, tax, suicide = (part.lower() for part in found.groups())
    try:
        return Rules(ko=ko, scoring=scoring, tax=tax, suicide=suicide in ("1", "yes"))  # type: ignore
    except ValueError:
        return None


def rules_text(rules: Rules) -> str:
    """What RU says of rules, such that `rules_of` finds them again."""
    return f"ko {rules.ko}, scoring {rules.scoring}, tax {rules.tax}, suicide {'yes' if rules.suicide else 'no'}"
