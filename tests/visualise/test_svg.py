"""Pictures of boards say what stands on the board: read back from the SVG as XML."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from research.visualise import svg

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
    return tuple((float(element.get(axis, "nan")) - svg.MARGIN) / svg.CELL for axis in ("cy", "cx"))


def test_each_stone_is_one_circle_of_its_colour_on_its_point() -> None:
    picture = svg.board_svg(to_board(POSITION))
    assert {centre(stone) for stone in elements(picture, "circle", "black")} == {(0, 1), (1, 0)}
    assert {centre(stone) for stone in elements(picture, "circle", "white")} == {(0, 2), (2, 1)}
    assert len(elements(picture, "circle", "shadow")) == 4


def test_an_empty_board_has_lines_star_points_and_no_stone() -> None:
    picture = svg.board_svg(np.zeros((9, 9), np.int8))
    (grid,) = elements(picture, "g", "grid")
    assert len(list(grid)) == 9
    assert [centre(star) for star in elements(picture, "circle", "star")] == [(2, 2), (2, 6), (4, 4), (6, 2), (6, 6)]
    assert not elements(picture, "circle", "black") + elements(picture, "circle", "white")


@pytest.mark.parametrize(("size", "number"), [(2, 0), (3, 0), (5, 1), (6, 0), (7, 5), (8, 4), (9, 5), (13, 5), (19, 9)])
def test_star_points_are_symmetric_and_as_many_as_on_a_printed_board(size: int, number: int) -> None:
    points = set(svg.star_points(size))
    assert len(points) == number
    assert points == {(column, row) for row, column in points} == {(size - 1 - row, column) for row, column in points}


def test_coordinates_leave_out_the_letter_i_and_count_from_the_bottom() -> None:
    labels = elements(svg.board_svg(np.zeros((10, 10), np.int8)), "text", "coordinate")
    letters = [label.text for label in labels if label.text and label.text.isalpha()]
    assert "".join(letters[::2]) == "ABCDEFGHJK"
    lowest = max((label for label in labels if label.text == "1"), key=lambda label: float(label.get("y", 0)))
    highest = min((label for label in labels if label.text == "10"), key=lambda label: float(label.get("y", 0)))
    assert float(lowest.get("y", 0)) - float(highest.get("y", 0)) == 9 * svg.CELL


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
        ({"heat": -np.ones((3, 3))}, "heat must be"),
        ({"heat": np.full((3, 3), np.nan)}, "heat must be"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        svg.board_svg(to_board(POSITION), **arguments)
