"""A search tree as a picture and as text: its first levels with boards, moves, N, Q and P, and a node's heat maps.

The idea: what a search did is a few numbers a node, best read where the node stands. So `tree_svg` draws the most
visited children of the root and of theirs, the line to a child as wide as its share of visits; `heat_svg` lays one
node's prior, visits, Q and improved policy over its board, side by side. How much is shown is bounded, however large
the tree. Values are for the player who moved into a node; a heat map's are for the player to move.

The tree comes from `research.search.inspect`; here it is known by its fields alone.

*Source:* own drawing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from research.visualise import overlays, svg
from research.visualise.drawing import CELL, MARGIN, Svg, document, moved, number, text_at
from research.visualise.empty_board import board_width, empty_board

MAX_BOXES = 200  # nodes in a picture
BOX_WIDTH = 150.0  # user units, as all below
BOARD_WIDTH = 120.0
LINE_HEIGHT = 17.0  # of a line of a node's text
LEVEL_GAP = 46.0  # between two levels
MAP_WIDTH = 300.0  # of a heat map
MAP_CAPTION = 44.0  # above and below it

_EDGE_COLOUR, _TEXT_COLOUR = "#6f7f8f", "#777777"
_GOOD, _BAD = "#1d7a3c", "#b3261e"  # for the player to move


@runtime_checkable
class Node(Protocol):
    """What is read of a node; `research.search.NodeView` says what each field is."""

    @property
    def move(self) -> str: ...
    @property
    def action(self) -> int: ...
    @property
    def visits(self) -> int: ...
    @property
    def value(self) -> float: ...
    @property
    def prior(self) -> float: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def children(self) -> tuple[int, ...]: ...
    @property
    def board(self) -> np.ndarray | None: ...
    @property
    def action_priors(self) -> np.ndarray: ...
    @property
    def action_visits(self) -> np.ndarray: ...
    @property
    def action_values(self) -> np.ndarray: ...
    @property
    def improved_policy(self) -> np.ndarray: ...


@runtime_checkable
class Tree(Protocol):
    """What is read of a tree."""

    @property
    def nodes(self) -> Mapping[int, Node]: ...


class _Box(NamedTuple):
    """A node in its place."""

    node: Node
    level: int
    x: float  # of its middle
    parent: int  # its parent's number among the boxes, -1 for the first
    num_hidden: int  # its children that are not drawn


def tree_svg(
    tree: Tree, num_children: Sequence[int] = (4, 2), slot: int = 0, with_boards: bool = True, title: str = ""
) -> Svg:
    """The first levels below `slot`: of each node on level k its `num_children[k]` most visited children.

    *Raises:* ValueError if there is no such node, or that would be more than MAX_BOXES nodes.
    """
    boxes = _lay_out(tree, slot, num_children)
    with_boards = with_boards and all(box.node.board is not None for box in boxes)
    box_height = 4.2 * LINE_HEIGHT + (BOARD_WIDTH if with_boards else 0.0)
    top = svg.TITLE_HEIGHT if title else 0.0
    tops = [top + level * (box_height + LEVEL_GAP) for level in range(len(num_children) + 1)]
    parts = _definitions(boxes[0].node) if with_boards else []
    for box in boxes[1:]:
        parent = boxes[box.parent]
        share = box.node.visits / max(parent.node.visits, 1)
        parts.append(
            f'<path d="M{number(parent.x)} {number(tops[parent.level] + box_height)}L{number(box.x)} '
            f'{number(tops[box.level])}" stroke="{_EDGE_COLOUR}" stroke-width="{number(1 + 9 * share)}" '
            'stroke-linecap="round" class="edge"/>'
        )
    for box in boxes:
        parts += moved(_node_parts(box, with_boards), box.x - BOX_WIDTH / 2, tops[box.level])
    width = max(box.x for box in boxes) + BOX_WIDTH / 2
    if title:
        parts.append(text_at(width / 2, 0.6 * svg.TITLE_HEIGHT, title, 17, "title"))
    return document(title or "Search tree", width, tops[max(box.level for box in boxes)] + box_height + 4, parts)


def heat_svg(tree: Tree, slot: int = 0, title: str = "") -> Svg:
    """A node's prior, visits, Q and improved policy over its board; a pass is told below each map.

    *Raises:* ValueError if there is no such node, or its actions are not the points of a board.
    """
    node = _node(tree, slot)
    stones = _stones(node)
    visits = node.action_visits
    maps = (
        ("Prior P", node.action_priors, "{:.1%}", False),
        ("Visits N", visits.astype(np.float32), "{:.0f}", False),
        ("Q for the player to move", node.action_values, "{:+.2f}", True),
        ("Improved policy", node.improved_policy, "{:.1%}", False),
    )
    top = svg.TITLE_HEIGHT if title else 0.0
    scale = 0.95 * MAP_WIDTH / board_width(len(stones))
    parts = _definitions(node)
    for place, (name, values, form, is_signed) in enumerate(maps):
        points = values[: stones.size].reshape(stones.shape)
        is_known = visits[: stones.size].reshape(stones.shape) > 0
        squares = value_squares(points, is_known) if is_signed else overlays.heat_squares(points)
        board = ['<use href="#empty-board"/>', *squares, *svg.stone_parts(stones)]
        board += overlays.last_move_ring(stones, node.action if node.action >= 0 else None, {})
        left = place * MAP_WIDTH
        parts += moved(board, left + 0.025 * MAP_WIDTH, top + MAP_CAPTION / 2, scale)
        parts.append(text_at(left + MAP_WIDTH / 2, top + MAP_CAPTION / 4, name, 15, "caption"))
        best = "" if is_signed else f"most: {form.format(float(values.max()))}"
        with_pass = f"pass: {form.format(float(values[-1]))}" if len(values) > stones.size else ""
        below = ", ".join(text for text in (best, with_pass) if text)
        parts.append(text_at(left + MAP_WIDTH / 2, top + MAP_WIDTH + 0.6 * MAP_CAPTION, below, 14, "below"))
    if title:
        parts.append(text_at(2 * MAP_WIDTH, 0.6 * svg.TITLE_HEIGHT, title, 17, "title"))
    return document(title or f"Search at {node.move}", 4 * MAP_WIDTH, top + MAP_WIDTH + MAP_CAPTION, parts)


def tree_text(tree: Tree, num_children: Sequence[int] = (8, 3, 2), slot: int = 0) -> str:
    """The first levels as lines of text, a child two columns further in than its parent."""
    lines: list[str] = []

    def write(node: Node, level: int) -> None:
        indent = "  " * level
        end = "  end of the game" if node.is_over else ""
        lines.append(
            f"{indent}{node.move:<{max(1, 14 - len(indent))}} N {node.visits:>5}  Q {node.value:+.3f}  "
            f"P {node.prior:.3f}{end}"
        )
        if level < len(num_children):
            for child in node.children[: num_children[level]]:
                write(tree.nodes[child], level + 1)

    write(_node(tree, slot), 0)
    return "\n".join(lines) + "\n"


def value_squares(values: np.ndarray, is_known: np.ndarray) -> Iterator[str]:
    """A square a known point, green for good and red for bad, the stronger the nearer to 1 or -1."""
    for row, column in np.argwhere(is_known).tolist():
        value = float(values[row, column])
        colour, role = (_GOOD, "good") if value >= 0 else (_BAD, "bad")
        yield (
            f'<rect x="{number(MARGIN + (column - 0.5) * CELL)}" y="{number(MARGIN + (row - 0.5) * CELL)}" '
            f'width="{number(CELL)}" height="{number(CELL)}" fill="{colour}" '
            f'fill-opacity="{number(0.15 + 0.7 * min(abs(value), 1.0))}" class="{role}">'
            f"<title>{value:+.3f}</title></rect>"
        )


def _node(tree: Tree, slot: int) -> Node:
    if slot not in tree.nodes:
        raise ValueError(f"slot {slot} holds no node of this view; it has {len(tree.nodes)} nodes")
    return tree.nodes[slot]


def _stones(node: Node) -> np.ndarray:
    """The node's board; an empty one if it has none."""
    if node.board is not None:
        return np.asarray(node.board)
    num_actions = len(node.action_priors)
    size = int(np.sqrt(num_actions))
    if size < 2 or size * size not in (num_actions, num_actions - 1):
        raise ValueError(f"a node with {num_actions} actions and no board has no map; inspect with draw_board")
    return np.zeros((size, size), np.int8)


def _definitions(node: Node) -> list[str]:
    """The empty board, drawn once and repeated by reference: the wood is most of a board's text."""
    num_rows, num_columns = _stones(node).shape
    return ["<defs>", '<g id="empty-board">', *empty_board(num_rows, num_columns), "</g>", "</defs>"]


def _lay_out(tree: Tree, slot: int, num_children: Sequence[int]) -> list[_Box]:
    """The nodes to draw, each above the middle of its children, parents first."""
    boxes: list[_Box] = []
    next_x = BOX_WIDTH / 2

    def place(node: Node, level: int, parent: int) -> float:
        nonlocal next_x
        shown = node.children[: num_children[level]] if level < len(num_children) else ()
        own = len(boxes)
        if own == MAX_BOXES:
            raise ValueError(
                f"num_children is {tuple(num_children)}: more than {MAX_BOXES} nodes to draw; ask for fewer"
            )
        boxes.append(_Box(node, level, 0.0, parent, len(node.children) - len(shown)))
        places = [place(tree.nodes[child], level + 1, own) for child in shown]
        if places:
            x = (places[0] + places[-1]) / 2
        else:
            x, next_x = next_x, next_x + BOX_WIDTH
        boxes[own] = boxes[own]._replace(x=x)
        return x

    place(_node(tree, slot), 0, -1)
    return boxes


def _node_parts(box: _Box, with_boards: bool) -> list[str]:
    """One node: its board if wanted, the move, and its numbers."""
    node, parts, y = box.node, list[str](), 0.0
    if with_boards:
        stones = _stones(node)
        board = ['<use href="#empty-board"/>', *svg.stone_parts(stones)]
        board += overlays.last_move_ring(stones, node.action if node.action >= 0 else None, {})
        scale = BOARD_WIDTH / board_width(stones.shape[1])
        parts += moved(board, (BOX_WIDTH - BOARD_WIDTH) / 2, 0.0, scale)
        y = BOARD_WIDTH
    lines = [
        (f"{node.move}, end of the game" if node.is_over else node.move, "move", 14),
        (f"N {node.visits}, P {node.prior:.1%}", "numbers", 12),
        (f"Q {node.value:+.3f}", "numbers", 12),
    ]
    if box.num_hidden:
        lines.append((f"{box.num_hidden} more below", "hidden", 11))
    for place, (text, role, height) in enumerate(lines):
        middle = y + (place + 0.6) * LINE_HEIGHT
        parts.append(text_at(BOX_WIDTH / 2, middle, text, height, role, _TEXT_COLOUR, bold=role == "move"))
    return parts
