"""Pictures of boards say what stands on the board: read back from the SVG as XML."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from research.visualise import drawing, svg
from research.visualise.empty_board import column_name, empty_board, star_points
from research.visualise.overlays import SHAPES

SPACE = "{http://www.w3.org/2000/svg}"

POSITION = """
. X O
X . .
. O .
"""


def to_board(text: str) -> np.ndarray:
    """The diagram as the board that `board_svg` draws."""
    points = [".XO".index(point) for point in text.split()]
    size = round(len(points) ** 0.5)
    return np.array(points, np.int8).reshape(size, size)


def elements(picture: str, kind: str, role: str) -> list[ElementTree.Element]:
    """The elements `kind` of that class, in the order in which they are painted."""
    return [found for found in ElementTree.fromstring(picture).iter(SPACE + kind) if found.get("class") == role]


def centre(element: ElementTree.Element) -> tuple[float, float]:
    """(row, column) of the point on which a circle stands."""
    return tuple((float(element.get(axis, "nan")) - drawing.MARGIN) / drawing.CELL for axis in ("cy", "cx"))


def test_each_stone_is_one_circle_of_its_colour_on_its_point() -> None:
    picture = svg.board_svg(to_board(POSITION))
    assert {centre(stone) for stone in elements(picture, "circle", "black")} == {(0, 1), (1, 0)}
    assert {centre(stone) for stone in elements(picture, "circle", "white")} == {(0, 2), (2, 1)}
    assert len(elements(picture, "circle", "shadow")) == 4


def test_an_empty_board_has_lines_star_points_and_no_stone() -> None:
    picture = svg.board_svg(np.zeros((9, 9), np.int8))
    (grid,) = elements(picture, "g", "grid")
    outlines = "".join(line.get("d", "") for line in grid)
    # Seven lines inside and two of the edge each way; the edge is closed instead of drawn down its left side.
    assert (outlines.count("H"), outlines.count("V"), outlines.count("z")) == (9, 8, 1)
    assert [centre(star) for star in elements(picture, "circle", "star")] == [(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)]
    assert not elements(picture, "circle", "black") + elements(picture, "circle", "white")


@pytest.mark.parametrize(("size", "number"), [(2, 0), (3, 0), (5, 1), (6, 0), (7, 5), (8, 4), (9, 5), (13, 5), (19, 9)])
def test_star_points_are_symmetric_and_as_many_as_on_a_printed_board(size: int, number: int) -> None:
    points = set(star_points(size, size))
    assert len(points) == number
    assert points == {(column, row) for row, column in points} == {(size - 1 - row, column) for row, column in points}


def test_coordinates_leave_out_the_letter_i_and_count_from_the_bottom() -> None:
    labels = elements(svg.board_svg(np.zeros((10, 10), np.int8)), "text", "coordinate")
    letters = [label.text for label in labels if label.text and label.text.isalpha()]
    assert "".join(letters[::2]) == "ABCDEFGHJK"
    lowest = max((label for label in labels if label.text == "1"), key=lambda label: float(label.get("y", 0)))
    highest = min((label for label in labels if label.text == "10"), key=lambda label: float(label.get("y", 0)))
    assert float(lowest.get("y", 0)) - float(highest.get("y", 0)) == 9 * drawing.CELL


@pytest.mark.parametrize("size", [2, 3, 18, 19])
def test_every_size_is_drawn_with_its_margins(size: int) -> None:
    picture = svg.board_svg(np.ones((size, size), np.int8))
    width = 2 * drawing.MARGIN + (size - 1) * drawing.CELL
    assert ElementTree.fromstring(picture).get("viewBox") == f"0 0 {width:g} {width:g}"
    stones = [centre(stone) for stone in elements(picture, "circle", "black")]
    assert (len(set(stones)), max(stones)) == (size * size, (size - 1, size - 1))


def test_a_board_need_not_be_square_nor_end_at_z() -> None:
    assert [column_name(column) for column in (0, 7, 8, 24, 25, 26, 50)] == ["A", "H", "J", "Z", "AA", "AB", "BA"]
    parts = "".join(empty_board(5, 7))
    assert [row for row in range(1, 8) if f">{row}<" in parts] == [1, 2, 3, 4, 5]
    assert ">G<" in parts
    assert ">H<" not in parts
    assert star_points(9, 13) == ((2, 3), (2, 9), (4, 6), (6, 3), (6, 9))


def test_the_last_move_has_a_ring_and_a_pass_has_none() -> None:
    board = to_board(POSITION)
    (ring,) = elements(svg.board_svg(board, last_move=7), "circle", "last-move")
    assert centre(ring) == (2, 1)
    assert not elements(svg.board_svg(board, last_move=9), "circle", "last-move")
    assert not elements(svg.board_svg(board), "circle", "last-move")


def test_marks_are_written_on_their_points_in_a_colour_that_can_be_read() -> None:
    picture = svg.board_svg(to_board(POSITION), marks={4: "a", 1: "12", 2: "<"})
    marks = {mark.text: mark.get("fill") for mark in elements(picture, "text", "mark")}
    assert marks == {"12": "#ffffff", "<": "#1a1a1a", "a": "#1a1a1a"}
    assert [centre(patch) for patch in elements(picture, "circle", "clearing")] == [(1, 1)]


def test_each_shape_stands_once_on_its_point_in_a_colour_that_can_be_read() -> None:
    # On a black stone, a white stone and two empty points.
    picture = svg.board_svg(to_board(POSITION), marks=dict(zip((1, 2, 0, 4), SHAPES, strict=True)))
    kinds = {"triangle": "path", "square": "rect", "circle": "circle", "cross": "path"}
    found = {shape: elements(picture, kinds[shape], shape) for shape in SHAPES}
    assert {shape: [one.get("stroke") for one in ones] for shape, ones in found.items()} == {
        "triangle": [drawing.LIGHT],
        "square": [drawing.DARK],
        "circle": [drawing.DARK],
        "cross": [drawing.DARK],
    }
    assert centre(found["circle"][0]) == (0, 0)
    assert found["triangle"][0].get("d", "").startswith("M86 ")  # its top is above B3
    assert [centre(patch) for patch in elements(picture, "circle", "clearing")] == [(0, 0), (1, 1)]


def test_a_label_leaves_room_for_the_ring_and_a_shape_takes_its_place() -> None:
    board = to_board(POSITION)
    radius = [
        [ring.get("r") for ring in elements(svg.board_svg(board, 7, marks), "circle", "last-move")]
        for marks in ({}, {7: "12"}, {7: "triangle"})
    ]
    assert radius == [["9.5"], ["15.2"], []]


def test_ownership_is_dark_for_black_and_light_for_white_and_larger_where_surer() -> None:
    ownership = np.array([[0.25, 1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, -0.25]], np.float32)
    picture = svg.board_svg(to_board(POSITION), ownership=ownership)
    sides = {}
    for role, colour in (("owned-black", drawing.DARK), ("owned-white", drawing.LIGHT)):
        for square in elements(picture, "rect", role):
            assert square.get("fill") == colour
            sides[square.findtext(SPACE + "title")] = float(square.get("width", 0))
    assert sides == {"A3: +0.25": 7.2, "B3: +1.00": 14.4, "C2: -1.00": 14.4, "C1: -0.25": 7.2}
    # Beside a mark, the square keeps out of its way.
    (moved,) = elements(
        svg.board_svg(to_board(POSITION), marks={8: "a"}, ownership=ownership)[:-1], "rect", "owned-white"
    )[1:]
    assert float(moved.get("x", 0)) > drawing.at(2) > float(elements(picture, "rect", "owned-white")[1].get("x", 0))
    negated = svg.board_svg(to_board(POSITION), ownership=-ownership)
    assert len(elements(negated, "rect", "owned-black")) == len(elements(picture, "rect", "owned-white")) == 2


def test_a_caption_stands_below_the_board_on_as_many_lines_as_it_takes() -> None:
    picture = svg.board_svg(to_board(POSITION), caption="1 pass, 12 at A3, 13 at B3, 15 at A3")
    lines = elements(picture, "text", "caption")
    assert " ".join(line.text or "" for line in lines) == "1 pass, 12 at A3, 13 at B3, 15 at A3"
    heights = [float(line.get("y", 0)) for line in lines]
    assert len(heights) > 1
    assert heights == sorted(heights)
    view = ElementTree.fromstring(picture).get("viewBox", "").split()
    assert svg.board_width(3) < heights[0] < heights[-1] < float(view[3])


def test_heat_is_drawn_in_proportion_and_says_its_value() -> None:
    heat = np.zeros((3, 3))
    heat[0, 0], heat[2, 2] = 0.1, 0.4
    weak, strong = elements(svg.board_svg(to_board(POSITION), heat=heat), "rect", "heat")
    assert float(strong.get("fill-opacity", 0)) == pytest.approx(4 * float(weak.get("fill-opacity", 0)), abs=1e-2)
    assert [square.findtext(SPACE + "title") for square in (weak, strong)] == ["A3: 0.1", "C1: 0.4"]


def test_no_heat_anywhere_draws_nothing() -> None:
    assert not elements(svg.board_svg(to_board(POSITION), heat=np.zeros((3, 3))), "rect", "heat")


def test_a_title_is_shown_above_the_board_and_named_for_those_who_cannot_see_it() -> None:
    picture = svg.board_svg(to_board(POSITION), title="White & <Black>")
    (shown,) = elements(picture, "text", "title")
    assert shown.text == "White & <Black>" == ElementTree.fromstring(picture).findtext(SPACE + "title")
    assert float(shown.get("y", 0)) < svg.TITLE_HEIGHT


def test_the_same_position_gives_the_same_bytes() -> None:
    board = to_board(POSITION)
    assert svg.board_svg(board, last_move=1) == svg.board_svg(board.copy(), last_move=1) != svg.board_svg(board)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"last_move": 10}, "last_move is 10"),
        ({"marks": {9: "a"}}, "mark 'a' is on point 9"),
        ({"marks": {0: "1234"}}, "'1234'"),
        ({"marks": {0: ""}}, "must be triangle, square, circle, cross or a label"),
        ({"ownership": np.full((3, 3), -1.5)}, "ownership must be in -1..1; it lies between -1.5 and -1.5"),
        ({"ownership": np.full((3, 3), np.nan)}, "ownership must be"),
        ({"heat": -np.ones((3, 3))}, "heat must be"),
        ({"heat": np.full((3, 3), np.nan)}, "heat must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        svg.board_svg(to_board(POSITION), **arguments)
