"""The picture of all planes: each is there, under its name, with its own numbers."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from research.visualise.plane_svg import planes_svg

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("stones", "a very long name that has to go on for more than one line", "komi", "empty")


def make_planes() -> np.ndarray:
    """A 2x3 board: stones, fractions of both signs, a constant, and nothing."""
    planes = np.zeros((2, 3, 4), np.float32)
    planes[..., 0] = [[1, 1, 0], [0, 1, 1]]
    planes[..., 1] = [[0.25, 0, -0.5], [0, 0, 0.25]]
    planes[..., 2] = -0.375
    return planes


@pytest.fixture(scope="module")
def groups() -> list[ElementTree.Element]:
    """The drawing of each plane."""
    root = ElementTree.fromstring(planes_svg(make_planes(), NAMES, "a position"))
    return [group for group in root.findall(f"{SVG}g") if group.get("transform")]


def marks(group: ElementTree.Element) -> list[tuple[str | None, str | None, str | None]]:
    """(bars, colour, opacity) of each path of a plane."""
    return [(path.get("d"), path.get("fill"), path.get("fill-opacity")) for path in group.findall(f"{SVG}path")]


def test_ones_are_dark_bars_a_bar_a_run(groups: list[ElementTree.Element]) -> None:
    assert marks(groups[0]) == [("M0 0h2v1H0zM1 1h2v1H1z", "#1d1d1f", None)]


def test_fractions_are_lighter_and_negative_numbers_red(groups: list[ElementTree.Element]) -> None:
    assert marks(groups[1]) == [
        ("M2 0h1v1H2z", "#b3261e", "0.5"),
        ("M0 0h1v1H0zM2 1h1v1H2z", "#1d1d1f", "0.25"),
    ]


def test_a_constant_plane_says_its_number_and_an_empty_one_nothing(groups: list[ElementTree.Element]) -> None:
    assert [text.text for text in groups[2].findall(f"{SVG}text")] == ["-0.375"]
    assert groups[2].find(f"{SVG}rect") is not None
    assert len(groups[3]) == 1  # the empty board


def test_names_stand_above_the_planes_on_as_many_lines_as_they_need() -> None:
    root = ElementTree.fromstring(planes_svg(make_planes(), NAMES, "a position"))
    titles = [group.find(f"{SVG}title") for group in root.findall(f"{SVG}g")]
    assert [title.text for title in titles if title is not None] == [f"{i} {name}" for i, name in enumerate(NAMES)]
    lines = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert lines[:2] == ["a position", "0 stones"]
    assert " ".join(lines[2:5]) == f"1 {NAMES[1]}"


def test_there_must_be_one_name_a_plane() -> None:
    with pytest.raises(ValueError, match="got 4 planes and 2 names"):
        planes_svg(make_planes(), NAMES[:2], "a position")
