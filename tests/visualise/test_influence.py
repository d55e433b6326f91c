"""The picture of an influence map: dark squares for Black, light ones for White, none where open."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from research.visualise.influence import influence_svg

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_shows_each_side_with_its_points_and_their_number() -> None:
    board = np.array([[1, 0], [0, 2]], np.int8)
    picture = influence_svg(board, np.array([[0.0, 0.5], [0.25, 1.0]], np.float32), title="After 10 simulations")
    squares = [
        (square.get("class"), square[0].text)
        for square in ElementTree.fromstring(picture).iter(SVG + "rect")
        if square.get("class")
    ]
    assert squares == [("owned-black", "A2: +1.00"), ("owned-black", "A1: +0.50"), ("owned-white", "B1: -1.00")]
    captions = [
        text.text for text in ElementTree.fromstring(picture).iter(SVG + "text") if text.get("class") == "caption"
    ]
    assert " ".join(caption or "" for caption in captions) == "Black 2.2, White 1.8 of 4 points"
    assert "After 10 simulations" in picture


def test_values_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match=r"influence must be in 0..1; it lies between -0.5"):
        influence_svg(np.zeros((2, 2), np.int8), np.full((2, 2), -0.5, np.float32))
