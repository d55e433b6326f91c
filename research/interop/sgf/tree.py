"""Game trees out of SGF text, however damaged: nodes with properties, and a note of everything that was repaired.

One pass with one regular expression a token, an explicit stack instead of recursion, and possessive quantifiers, so
time is linear in the text and depth has no limit. What the grammar does not allow is repaired where a person would see
what was meant, and noted with its position:

- text before, between and after games, and stray characters inside one, are skipped;
- "(" without ";" opens a node; a missing ")" is supplied at the end, or where the next game's root begins; a ")" too
  much is dropped, and moves after it still belong to the game;
- a value without its "]" ends where its property cannot go on: `B[nc ;W[rd]` is two moves. A comment may hold
  anything, so there it ends only before a whole move, and never if the comment shows that its writer knew to escape.

Property names of FF[1] to FF[3] lose their lower-case letters: `GaMe` is `GM`.

*Source:* SGF FF[4], "Basic (EBNF) definition" and "Property values" (https://www.red-bean.com/sgf).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class SgfError(ValueError):
    """What cannot be read as a game record, or not be played."""


class Composed(str):
    """A composed value that holds an escaped colon: as text the whole value, `parts` what the bare colon separates."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> "Composed":
        """The value made of `parts`."""
        value = super().__new__(cls, ":".join(parts))
        value.parts = parts
        return value


class Node:
    """One node of a game tree."""

    __slots__ = ("children", "position", "properties")

    def __init__(self, properties: dict[str, list[str]] | None = None, position: int = 0):
        """A node without children; `position` counts characters from the beginning of the text."""
        self.properties = {} if properties is None else properties  # name -> values, without their escapes
        self.children: list[Node] = []  # the first goes on with the main line
        self.position = position

    def __repr__(self) -> str:
        """This node alone: a tree may be thousands of nodes deep."""
        return f"Node({self.properties!r}, {len(self.children)} children)"


class Repair(NamedTuple):
    """Something that was not as it should be, and what was made of it."""

    position: int  # characters from the beginning of the text
    text: str


class Tree(NamedTuple):
    """One game tree as it was read."""

    root: Node
    repairs: list[Repair]


TEXT_NAMES = frozenset(["C", "GC"])  # whose lines stay lines; those of LINE_NAMES become one
LINE_NAMES = frozenset(re.findall(r"\w+", "AN AP BR BT CA CP DT EV GN N ON OT PB PC PW RE RO RU SO US WR WT"))
POINT_NAMES = frozenset(re.findall(r"\w+", "B W AB AW AE AR CR DD DM LN MA SL SQ TB TR TW VW"))
NUMBER_NAMES = frozenset(re.findall(r"\w+", "BL BM DO FF GM HA HO IT KM KO MN OB OW PL PM SZ ST TE TM UC V WL"))
_NARROW_NAMES = POINT_NAMES | NUMBER_NAMES  # values that hold no bracket, parenthesis or semicolon

_VALUE = r"[^\]\\]*+(?:\\.[^\]\\]*+)*+"
_TOKEN = re.compile(rf"\s*+(?:([A-Za-z][A-Za-z0-9]*+)?\s*+\[({_VALUE})\]|([();]))", re.DOTALL)
_PLAIN_MOVE = re.compile(r"\s*+(;)\s*+([BW])\[([a-z]{0,2})\]")
_DAMAGED = re.compile(r"\s*+(?:([A-Za-z][A-Za-z0-9]*+)?\s*+\[((?:(?![A-Z]{1,2}\s*\[)[^\[\]();])*+)\]?|([();]))")
_OPEN_VALUE = re.compile(r"\s*+([A-Za-z][A-Za-z0-9]*+)?\s*+\[")
_RESUME = re.compile(r"[\[\]();]|(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*+\s*+\[")
_HEADER = "AP|BR|CA|DT|EV|FF|GM|GN|HA|KM|KO|LC|LT|OT|PB|PC|PW|RD|RE|RU|SZ|TE|TM|WR"
_SWALLOWED_HEADER = re.compile(rf"\s*\b(?:{_HEADER})\s*\[|\s*;\s*[BW]\s*\[")
_NO_POINTS = re.compile(r"[();]")
_SWALLOWED_MOVE = re.compile(r"\s*;\s*[BW]\s*\[[a-zA-Z]{0,2}$")
_START = re.compile(rf"\(\s*+(?:;|(?:{_HEADER})\s*+\[)")
_START_UNOPENED = re.compile(r";\s*+[A-Z][A-Za-z]*+\s*+\[")
_NEW_GAME = re.compile(r"\(\s*+;\s*+(?:FF|GM|CA|SZ|GaMe|SiZe)\s*+\[")
_GOES_ON = re.compile(r"[\s)]*+;\s*+[BW][a-z]*+\s*+\[")
_ESCAPE = re.compile(r"\\(\r\n|\n\r|.)|\r\n|\n\r|\r|\n", re.DOTALL)
_COLON = re.compile(r"([^:\\]*+(?:\\.[^:\\]*+)*+):", re.DOTALL)
_BLANKS = " \t\r\n\f\v\0\x1a\ufeff"
_MAX_RESCANNED = 1000  # characters; a longer value that has swallowed others is not searched for its end again
_MAX_REPAIRS = 50  # noted a tree; the text of a damaged file may be junk from end to end


def read_trees(text: str) -> Iterator[Tree]:
    """The game trees in `text`, one by one."""
    position, num_trees, waiting = 0, 0, []
    while True:
        start = _START.search(text, position)
        if start is None and num_trees == 0 and position == 0:
            start = _START_UNOPENED.search(text)
        between = text[position : start.start() if start else len(text)]
        if between.strip(_BLANKS):
            waiting.append(Repair(position, f"text outside of a game left out: {_shown(between)}"))
        if start is None:
            return
        repairs: list[Repair] = waiting
        is_opened = text[start.start()] == "("
        if not is_opened:
            repairs.append(Repair(start.start(), "the '(' before the game is missing"))
        reader = _Reader(text, start.start() + is_opened, repairs)
        reader.read()
        root, position = reader.root, reader.position
        if root is None or (repairs and not root.properties and not root.children):
            waiting = repairs  # nothing but junk behind something that looked like a beginning
            continue
        num_trees += 1
        following = _START.search(text, position)
        waiting = []
        if following is None and text[position:].strip(_BLANKS):
            repairs.append(Repair(position, f"text after the game left out: {_shown(text[position:])}"))
            position = len(text)
        if len(repairs) > _MAX_REPAIRS:
            repairs[_MAX_REPAIRS:] = [Repair(repairs[_MAX_REPAIRS].position, "more of the kind; not listed")]
        yield Tree(root, repairs)


def value_parts(value: str) -> tuple[str, ...]:
    """What the first colon separates: ("aa", "cc") of "aa:cc"; an escaped colon does not."""
    return value.parts if isinstance(value, Composed) else tuple(value.split(":", 1))


def main_line(root: Node) -> Iterator[Node]:
    """`root`, its first child, that one's first child, and so on."""
    node = root
    while True:
        yield node
        if not node.children:
            return
        node = node.children[0]


class _Reader:
    """Reads one tree; `position` goes on token by token."""

    __slots__ = (
        "branches",
        "damaged_until",
        "is_go",
        "is_opening",
        "name",
        "node",
        "position",
        "repairs",
        "root",
        "text",
        "values",
    )

    def __init__(self, text: str, position: int, repairs: list[Repair]):
        """Begin behind the tree's "("; what has to be repaired is added to `repairs`."""
        self.text, self.position, self.repairs = text, position, repairs
        self.root: Node | None = None
        self.node: Node | None = None  # takes the properties, and the next node as its child
        self.branches: list[Node | None] = [None]  # the node before each open "("
        self.is_opening = True  # a "(" has come, and its ";" not yet
        self.name = ""  # of the last property
        self.values: list[str] | None = None  # of the last property: a value without a name is one more
        self.is_go = True  # in other games a move may be any text
        self.damaged_until = 0  # up to here values have lost their "]"

    def read(self) -> None:
        """Read up to the end of the tree, of the text, or to the beginning of the next game."""
        is_open = True
        while is_open:
            self._read_plain_moves()
            pattern = _DAMAGED if self.position < self.damaged_until else _TOKEN
            token = pattern.match(self.text, self.position)
            if token is None:
                is_open = self._skip()
            elif (mark := token[3]) is None:
                self._add_property(token)
            elif mark == ";":
                self._begin_node(token.start(3))
                self.position = token.end()
            else:
                is_open = self._open(token) if mark == "(" else self._close(token)

    def _read_plain_moves(self) -> None:
        """Read nodes with one proper move each, which is what most of any file is, by a short way."""
        text, node = self.text, self.node
        if node is None or self.position < self.damaged_until:
            return
        move = _PLAIN_MOVE.match(text, self.position)
        while move is not None:
            self.name, self.values = move[2], [move[3]]
            child = Node({self.name: self.values}, move.start(1))
            node.children.append(child)
            node, self.is_opening, self.position = child, False, move.end()
            move = _PLAIN_MOVE.match(text, self.position)
        self.node = node

    def _note(self, position: int, text: str) -> None:
        self.repairs.append(Repair(position, text))

    def _open(self, token: re.Match[str]) -> bool:
        """Begin a variation; False if the next game begins here instead."""
        start = token.start(3)
        if self.node is not None and _NEW_GAME.match(self.text, start):
            self._note(start, f"{len(self.branches)} ')' missing before the next game")
            self.position = start
            return False
        self.branches.append(self.node)
        self.is_opening, self.values, self.position = True, None, token.end()
        return True

    def _close(self, token: re.Match[str]) -> bool:
        """Go back to where the variation began; False if that was the game itself."""
        last = self.node
        self.node = self.branches.pop()
        self.is_opening, self.values, self.position = False, None, token.end()
        if self.branches:
            return True
        if last is None or not _GOES_ON.match(self.text, self.position):
            return False
        self._note(token.start(3), "a ')' too much: moves follow it")
        self.position = self.text.index(";", self.position)
        self.node = last
        self.branches.append(None)
        return True

    def _begin_node(self, position: int) -> None:
        node = Node(position=position)
        if self.node is not None:
            self.node.children.append(node)
        elif self.root is None:
            self.root = node
        self.node, self.is_opening, self.values = node, False, None

    def _add_property(self, token: re.Match[str]) -> None:
        """Take the value, and the name if it has one, into the node."""
        written, value, _ = token.groups()
        if self.is_opening:
            self._note(token.start(2), "';' missing before the first property")
            self._begin_node(token.start(2))
        if written is None and self.values is None:
            self._note(token.start(2), f"a value without a property left out: {_shown(value)}")
            self.position = token.end()
            return
        if written is not None:
            self.name = written if written.isupper() else _short_name(written)
            assert self.node is not None  # a node has begun above
            self.values = self.node.properties.setdefault(self.name, [])
        assert self.values is not None
        if self.is_go and len(value) > 2 and self._is_swallowing(token, value):
            return
        if "\\" in value or "\n" in value or "\r" in value:
            value = unescape(self.name, value)
        self.values.append(value)
        self.position = token.end()
        if self.name == "GM" and self.node is self.root:
            self.is_go = is_go(self.values)

    def _is_swallowing(self, token: re.Match[str], value: str) -> bool:
        """Whether the value has lost its "]" and holds what comes after it; that is then read again."""
        start = token.start(2)
        if self.position < self.damaged_until or self.name not in _NARROW_NAMES:
            if "[" not in value or "\\" in value:
                return False
            pattern = _SWALLOWED_HEADER if self.name in LINE_NAMES else _SWALLOWED_MOVE
            found = pattern.search(value)
            if found is None or self.values is None:
                return False
            self.values.append(unescape(self.name, value[: found.start()]))
            self.position, self.values = start + found.start(), None
            if len(value) > _MAX_RESCANNED:
                self.damaged_until = token.end()
        elif "[" not in value and (self.name in NUMBER_NAMES or not _NO_POINTS.search(value)):
            return False
        else:
            self.damaged_until = token.end()
            if token[1] is not None and self.values == []:
                assert self.node is not None
                del self.node.properties[self.name]  # it comes again
        self._note(start, f"']' of {self.name} missing: {_shown(value)}")
        return True

    def _skip(self) -> bool:
        """Go past what is no token, to what may be one; False at the end of the text."""
        text, position = self.text, self.position
        opened = _OPEN_VALUE.match(text, position)
        if opened is not None and position >= self.damaged_until:
            name = self.name if opened[1] is None else _short_name(opened[1])
            self._note(opened.end(), f"']' of {name or 'a value'} missing up to the end of the text")
            self.damaged_until = len(text)
            if name in _NARROW_NAMES or self.is_opening or (opened[1] is None and self.values is None):
                return True
            value = text[opened.end() :]
            next_name = _SWALLOWED_HEADER.search(value) if name in LINE_NAMES and "\\" not in value else None
            value = value if next_name is None else value[: next_name.start()]
            if self.node is not None:
                self.node.properties.setdefault(name, []).append(unescape(name, value))
            self.position = opened.end() + len(value)
            return True
        found = _RESUME.search(text, position)
        end = len(text) if found is None else found.end() if found[0] == "]" else found.start()
        end += end == position  # a bracket of a value that is damaged beyond reading
        if text[position:end].strip(_BLANKS):
            self._note(position, f"left out: {_shown(text[position:end])}")
        self.position = end
        if end < len(text):
            return True
        self._note(end, f"{len(self.branches)} ')' missing at the end")
        return False


def unescape(name: str, value: str) -> str:
    """The text that `value` of the property `name` stands for."""
    meaning = _meaning_in_line if name in LINE_NAMES else _meaning_in_text
    if "\\:" in value and name not in TEXT_NAMES and (name == "AP" or name not in LINE_NAMES):
        colon = _COLON.match(value)
        parts = (value,) if colon is None else (colon[1], value[colon.end() :])
        return Composed(*(_ESCAPE.sub(meaning, part) for part in parts))
    return _ESCAPE.sub(meaning, value)


def _meaning_in_text(found: re.Match[str]) -> str:
    """What an escaped character or a line end stands for, where lines stay lines."""
    return "\n" if found[1] is None else "" if found[1][0] in "\r\n" else found[1]


def _meaning_in_line(found: re.Match[str]) -> str:
    """The same where there is one line."""
    return " " if found[1] is None else _meaning_in_text(found)


def is_go(games: list[str]) -> bool:
    """Whether the values of GM name Go: number 1, or no number at all."""
    number = games[0].strip() if games else ""
    return not number.lstrip("-").isdecimal() or number.lstrip("0") == "1"


def _short_name(name: str) -> str:
    """A property's name in capitals: without its lower-case letters, or raised if it has no others."""
    short = "".join(letter for letter in name if not letter.islower())
    return short if short[:1].isalpha() else name.upper()


def _shown(text: str) -> str:
    """The beginning of `text` for a message."""
    text = " ".join(text[:200].split())
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
