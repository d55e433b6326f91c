"""The header of a record: the properties that tell of the whole game, wherever in its beginning they stand.

They belong in the root, but many writers put the handicap into the node behind it; so nodes before the first move are
looked through too, with a warning. What is not told, or told so that nothing can be made of it, comes from the rules.
"""

from collections.abc import Callable
from typing import NamedTuple

from research.go.rules import Rules
from research.interop.sgf import values
from research.interop.sgf.points import Shape
from research.interop.sgf.rulesets import read_rules, rules_told
from research.interop.sgf.tree import LINE_NAMES, NUMBER_NAMES, Node, is_go, main_line

Note = Callable[[int, str], None]  # takes a position in the text, and what is to be said about it

_MAX_NODES = 20  # that are searched for the header
_TIMES = ("TM", "BL", "WL")  # seconds
_SINGLE_NAMES = (LINE_NAMES | NUMBER_NAMES) - {"MN"}  # of which a second value means nothing


class Header(NamedTuple):
    """What is told of the whole game; see Record."""

    is_go: bool
    shape: Shape
    has_size: bool  # whether SZ is there
    komi: float
    handicap: int
    result: str | None
    rules: str | None


def read_header(root: Node, note: Note) -> Header:
    """What the nodes before the first move tell."""
    told = _Told(root, note)
    games = root.properties.get("GM", [])
    size, rules_text = told.value("SZ"), told.value("RU")
    shape, fault = (Shape(values.USUAL_SIZE, values.USUAL_SIZE), None) if size is None else values.read_size(size)
    told.fault("SZ", fault)
    rules = None if rules_text is None else read_rules(rules_text)
    if rules is not None and rules_told(rules) is None:
        told.fault("RU", f"RU[{rules}] is not known")
    handicap, fault = values.read_handicap(told.value("HA") or "")
    told.fault("HA", fault)
    result, fault = values.read_result(told.value("RE") or "")
    told.fault("RE", fault)
    told.check_single_values()
    for name in _TIMES:
        time = told.value(name)
        if time is not None and values.read_number(time) is None:
            told.fault(name, f"{name}[{time}] is no number of seconds")
    komi = _read_komi(told, shape, rules)
    return Header(is_go(games), shape, size is not None, komi, handicap, result, rules)


def usual_komi(rules: str | None) -> float:
    """Komi in points under the rules called `rules`."""
    return (rules_told(rules) or Rules()).komi


class _Told:
    """Finds the values of properties in the nodes before the first move."""

    def __init__(self, root: Node, note: Note):
        self.note = note
        self.nodes: list[Node] = []
        for node, _ in zip(main_line(root), range(_MAX_NODES), strict=False):
            if node is not root and ("B" in node.properties or "W" in node.properties):
                break
            self.nodes.append(node)
        self.places: dict[str, int] = {}

    def value(self, name: str) -> str | None:
        """The first value of the property; None if it is nowhere."""
        for node in self.nodes:
            if node.properties.get(name):
                self.places[name] = node.position
                if node is not self.nodes[0]:
                    self.note(node.position, f"{name} outside of the root")
                return node.properties[name][0]
        return None

    def fault(self, name: str, text: str | None) -> None:
        """Say what is wrong with the value of `name`, if anything is."""
        if text is not None:
            self.note(self.places.get(name, self.nodes[0].position), text)

    def is_fox(self) -> bool:
        """Whether the Fox server wrote the record."""
        return any(values.FOX in value for value in self.nodes[0].properties.get("AP", []))

    def check_single_values(self) -> None:
        """Say which values of the root are one too many."""
        for name, given in self.nodes[0].properties.items():
            if len(given) > 1 and name in _SINGLE_NAMES:
                self.note(self.nodes[0].position, f"{name} has {len(given)} values: the first counts")


def _read_komi(told: _Told, shape: Shape, rules: str | None) -> float:
    """Komi in points; from KO where the Nihon Ki-in and Sina put it."""
    for name in ("KM", "KO"):
        text = told.value(name) if name == "KM" else (told.nodes[0].properties.get(name) or [None])[0]
        if text is None or (name == "KO" and not text.strip()):
            continue
        komi, fault = values.read_komi(text, shape, "chinese" in (rules or ""), told.is_fox())
        told.fault(name, f"{name}{fault[2:]}" if fault else f"KO[{text}] is komi here" if name == "KO" else None)
        if komi is not None:
            return komi
    return usual_komi(rules)
