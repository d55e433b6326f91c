"""Records to SGF bytes, so that reading them gives the same again, and records of games that were played here.

Escaped is what must be, a backslash and a closing bracket, and the colons inside the parts of a composed value; beside,
an opening bracket, if nothing else shows that its writer knew to escape, for a reader that mends a lost bracket. What
reads as nothing is not written: a list of points without a point makes other programs refuse the file. The bytes are
UTF-8; CA says so where there is anything beyond ASCII. A line ends after each node, so that text tools show what
changed.

*Source:* SGF FF[4], "Basic (EBNF) definition", "Property values".
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from research.go import coords
from research.go.rules import Rules
from research.interop.sgf.points import name_of_point
from research.interop.sgf.record import Record, Source, record_of
from research.interop.sgf.rulesets import rules_text
from research.interop.sgf.tree import POINT_NAMES, Composed, Node

CHARSET = "UTF-8"

_NAME = re.compile(r"[A-Z][A-Z0-9]*")
_EMPTY_LISTS = ("DD", "VW")  # of points: empty means that the one before ends
_SPECIAL = re.compile(r"[\\\]]")
_SPECIAL_IN_PART = re.compile(r"[\\\]:]")


def write(games: Record | Node | Iterable[Record | Node]) -> bytes:
    """One SGF text of these games, or trees; *Raises:* ValueError for a property whose name SGF does not allow."""
    listed = [games] if isinstance(games, Record | Node) else games
    roots = [game.root if isinstance(game, Record) else game for game in listed]
    return "\n".join(_tree_text(root) for root in roots).encode(CHARSET, errors="replace")


def from_actions(
    actions: Iterable[int | np.integer],
    rules: Rules,
    result: str | float | int | None = None,
    setup: Sequence[tuple[str, tuple[int, int]]] = (),
    to_play: str = "black",
    properties: Mapping[str, str] | None = None,
    comments: Sequence[str] = (),
) -> Record:
    """The record of a game that was played by `rules`, players in turn from `to_play` on.

    `actions` end at the first negative number, as the arena's do. `result` is SGF's text, or by how many points Black
    is ahead. `properties` go into the root (PB, PW, DT, ...); comment t belongs to the position before move t, so there
    may be one more than moves. *Raises:* ValueError for an action or a colour that is none.
    """
    root = Node({"FF": ["4"], "GM": ["1"], "CA": [CHARSET], "SZ": [str(rules.size)], "KM": [f"{rules.komi:g}"]})
    root.properties["RU"] = [rules_text(rules)]
    if result is not None:
        root.properties["RE"] = [result if isinstance(result, str) else result_text(result)]
    root.properties |= {name: [value] for name, value in (properties or {}).items()}
    colours = [colour for colour, _ in setup]
    if len(colours) > 1 and set(colours) == {"black"} and to_play == "white":
        root.properties["HA"] = [str(len(colours))]
    for colour, point in setup:
        root.properties.setdefault(_letter("A", colour), []).append(name_of_point(point))
    if setup or to_play != "black":
        root.properties["PL"] = [_letter("", to_play)]
    node, colour = root, to_play
    for action in actions:
        if action < 0:
            break
        child = Node({_letter("", colour): [name_of_point(coords.point_from_action(int(action), rules.size))]})
        node.children.append(child)
        node, colour = child, "white" if colour == "black" else "black"
    node = root
    for comment in comments:
        if comment:
            node.properties["C"] = [comment]
        if not node.children:
            break
        node = node.children[0]
    return record_of(root, [], "utf-8", Source("", "", 1))


def result_text(lead: float | int) -> str:
    """SGF's text of a result: by how many points Black is ahead."""
    return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


def _letter(before: str, colour: str) -> str:
    """`before` and the letter of a colour."""
    if colour not in ("black", "white"):
        raise ValueError(f"colour {colour!r}: allowed is 'black' or 'white'")
    return before + colour[0].upper()


def _tree_text(root: Node) -> str:
    """The text of a tree; a stack keeps what is still to be written."""
    pieces: list[str] = []
    waiting: list[Node | str] = [")", root, "("]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        pieces.append(_node_text(item, item is root))
        if len(item.children) == 1:
            waiting += [item.children[0], "\n"]
        else:
            for child in reversed(item.children):
                waiting += [")", child, "\n("]
    text = "".join(pieces) + "\n"
    if text.isascii() or root.properties.get("CA") == [CHARSET]:
        return text
    head = {"CA": [CHARSET]} | {name: values for name, values in root.properties.items() if name != "CA"}
    return f"({_node_text(Node(head), True)}{text[1 + len(pieces[1]) :]}"


def _node_text(node: Node, is_root: bool) -> str:
    """The text of one node; only a root can declare a charset, and a wrong one elsewhere would mislead."""
    shown = {name: values for name, values in node.properties.items() if is_root or name != "CA"}
    return ";" + "".join(_property_text(name, values) for name, values in shown.items())


def _property_text(name: str, values: list[str]) -> str:
    """The text of a property, nothing if it says nothing."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"property {name!r}: allowed are capital letters, and digits behind the first")
    if name in POINT_NAMES and name not in ("B", "W", *_EMPTY_LISTS):
        values = [value for value in values if value.strip()]
    return name + "".join(f"[{_escaped(value)}]" for value in values) if values else ""


def _escaped(value: str) -> str:
    """A value as it stands between brackets."""
    special, parts = (_SPECIAL_IN_PART, value.parts) if isinstance(value, Composed) else (_SPECIAL, (value,))
    text = ":".join(special.sub(r"\\\g<0>", part) for part in parts)
    return text if "\\" in text else text.replace("[", "\\[")
