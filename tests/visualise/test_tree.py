"""The pictures of a search tree, read as XML: the nodes' moves, numbers and boards, and no more than was asked."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from research.search import NodeView, TreeView
from research.search.tree import NONE
from research.visualise.tree import MAX_BOXES, heat_svg, tree_svg, tree_text

SVG = "{http://www.w3.org/2000/svg}"
SIZE = 3
NUM_ACTIONS = SIZE * SIZE + 1


def node(slot: int, parent: int, action: int, visits: int, value: float, children: tuple[int, ...] = ()) -> NodeView:
    """A node whose board has a stone on its action; its own actions have simple numbers."""
    board = np.zeros((SIZE, SIZE), np.int8)
    if 0 <= action < board.size:
        board.flat[action] = 1
    action_visits = np.arange(NUM_ACTIONS, dtype=np.int32)
    action_values = np.linspace(-1, 1, NUM_ACTIONS).astype(np.float32)
    return NodeView(
        slot=slot,
        parent=parent,
        depth=0,
        action=action,
        move="root" if parent == NONE else f"m{action}",
        visits=visits,
        value_sum=value * visits,
        value=value,
        prior=0.125,
        raw_value=0.0,
        is_over=slot == 3,
        to_play=0,
        children=children,
        board=board,
        action_priors=np.full(NUM_ACTIONS, 0.1, np.float32),
        action_visits=action_visits,
        action_values=action_values,
        improved_policy=np.eye(NUM_ACTIONS, dtype=np.float32)[4],
    )


@pytest.fixture(scope="module")
def view() -> TreeView:
    """A root with three children, the first of which has two."""
    nodes = [
        node(0, NONE, NONE, 10, 0.25, (1, 2, 3)),
        node(1, 0, 4, 6, 0.5, (4, 5)),
        node(2, 0, 9, 2, -0.25),
        node(3, 0, 0, 1, 1.0),
        node(4, 1, 1, 3, 0.0),
        node(5, 1, 2, 2, -1.0),
    ]
    return TreeView({each.slot: each for each in nodes}, 0)


def texts(picture: str, role: str) -> list[str]:
    """The texts of one kind, in order."""
    found = ElementTree.fromstring(picture).iter(SVG + "text")
    return [text.text or "" for text in found if text.get("class") == role]


def roles(picture: str, tag: str) -> list[str | None]:
    """The classes of all elements of a kind."""
    return [element.get("class") for element in ElementTree.fromstring(picture).iter(SVG + tag)]


def test_the_first_levels_are_drawn_with_their_numbers(view: TreeView) -> None:
    picture = tree_svg(view, (2, 1), title="After the first move")
    assert texts(picture, "move") == ["root", "m4", "m1", "m9"]
    assert texts(picture, "numbers") == [
        *("N 10, P 12.5%", "Q +0.250"),
        *("N 6, P 12.5%", "Q +0.500"),
        *("N 3, P 12.5%", "Q +0.000"),
        *("N 2, P 12.5%", "Q -0.250"),
    ]
    assert texts(picture, "hidden") == ["1 more below", "1 more below"], "of the root, and of m4"
    assert texts(picture, "title") == ["After the first move"]
    assert roles(picture, "use") == [None] * 4
    assert roles(picture, "circle").count("black") == 2
    assert roles(picture, "path").count("edge") == 3


def test_a_line_is_as_wide_as_the_share_of_visits(view: TreeView) -> None:
    paths = ElementTree.fromstring(tree_svg(view, (3,))).iter(SVG + "path")
    widths = [float(path.get("stroke-width", 0)) for path in paths if path.get("class") == "edge"]
    np.testing.assert_allclose(widths, [1 + 9 * 0.6, 1 + 9 * 0.2, 1 + 9 * 0.1], rtol=1e-3)


def test_parents_stand_above_the_middle_of_their_children_and_nothing_overlaps(view: TreeView) -> None:
    found = ElementTree.fromstring(tree_svg(view, (3, 2))).iter(SVG + "g")
    places = [group.get("transform", "") for group in found if group.get("transform", "").endswith(")")]
    corners = [tuple(map(float, place[10:-1].split())) for place in places if "scale" not in place]
    by_level: dict[float, list[float]] = {}
    for x, y in corners:
        by_level.setdefault(y, []).append(x)
    levels = [by_level[y] for y in sorted(by_level)]
    assert [len(level) for level in levels] == [1, 3, 2]
    assert levels[1][0] == sum(levels[2]) / 2
    assert levels[0][0] == (levels[1][0] + levels[1][-1]) / 2
    assert all(np.diff(sorted(level)).min() >= 150 for level in levels[1:])


def test_without_boards_there_are_moves_alone(view: TreeView) -> None:
    bare = TreeView({slot: each._replace(board=None) for slot, each in view.nodes.items()}, 0)
    for picture in (tree_svg(view, with_boards=False), tree_svg(bare)):
        assert texts(picture, "move") == ["root", "m4", "m1", "m2", "m9", "m0, end of the game"]
        assert roles(picture, "use") == []


def test_a_notebook_shows_the_picture_and_the_same_tree_gives_the_same_bytes(view: TreeView) -> None:
    assert tree_svg(view)._repr_svg_() == tree_svg(view)
    assert heat_svg(view)._repr_svg_() == heat_svg(view)


def test_a_picture_never_has_more_than_so_many_nodes() -> None:
    many = MAX_BOXES + 5
    nodes = {0: node(0, NONE, NONE, 10, 0.0, tuple(range(1, many)))}
    nodes |= {slot: node(slot, 0, 1, 1, 0.0) for slot in range(1, many)}
    wide = TreeView(nodes, 0)
    assert len(texts(tree_svg(wide), "move")) == 5
    with pytest.raises(ValueError, match=f"num_children is .* more than {MAX_BOXES} nodes"):
        tree_svg(wide, (many,))


def test_heat_maps_show_prior_visits_values_and_improved_policy(view: TreeView) -> None:
    picture = heat_svg(view, 1)
    assert texts(picture, "caption") == ["Prior P", "Visits N", "Q for the player to move", "Improved policy"]
    assert texts(picture, "below") == [
        "most: 10.0%, pass: 10.0%",
        "most: 9, pass: 9",
        "pass: +1.00",
        "most: 100.0%, pass: 0.0%",
    ]
    squares = [
        (square.get("class"), square[0].text)
        for square in ElementTree.fromstring(picture).iter(SVG + "rect")
        if square.get("class")
    ]
    heat = [text for role, text in squares if role == "heat"]
    assert heat[:9] == [f"{column}{row}: 0.1" for row in (3, 2, 1) for column in "ABC"]
    assert heat[9:17] == ["B3: 1", "C3: 2", "A2: 3", "B2: 4", "C2: 5", "A1: 6", "B1: 7", "C1: 8"]
    assert heat[17:] == ["B2: 1"]
    signed = [(role, text) for role, text in squares if role in ("good", "bad")]
    assert [role for role, _ in signed] == ["bad"] * 4 + ["good"] * 4, "the action without visits is left out"
    assert signed[0][1] == f"{-7 / 9:+.3f}"
    assert roles(picture, "circle").count("last-move") == 4


def test_a_tree_as_text(view: TreeView) -> None:
    assert tree_text(view, (2, 1)) == (
        "root           N    10  Q +0.250  P 0.125\n"
        "  m4           N     6  Q +0.500  P 0.125\n"
        "    m1         N     3  Q +0.000  P 0.125\n"
        "  m9           N     2  Q -0.250  P 0.125\n"
    )
    assert tree_text(view, slot=3).endswith("end of the game\n")


def test_a_slot_without_a_node_and_actions_without_a_board_are_refused(view: TreeView) -> None:
    with pytest.raises(ValueError, match="slot 77 holds no node of this view; it has 6 nodes"):
        tree_svg(view, slot=77)
    odd = node(0, NONE, NONE, 1, 0.0)._replace(board=None, action_priors=np.ones(7, np.float32))
    with pytest.raises(ValueError, match="7 actions and no board"):
        heat_svg(TreeView({0: odd}, 0))
