"""Influence maps as text: the symbols and their boundaries, SGF that reads back, what GoGui wants."""

import numpy as np
import pytest

from research.interop import sgf
from research.interop.influence_text import (
    checked,
    from_vector,
    gogui_board,
    gogui_graphics,
    influence_text,
    mark_node,
    position_sgf,
    symbol,
    to_vector,
)

MAP = np.array([[0.0, 0.3, 0.5], [0.5, 0.7, 1.0], [0.1, 0.5, 0.9]], np.float32)


def test_boundaries_count_as_the_nearer_to_open_also_in_single_precision() -> None:
    values = [1.0, 0.81, 0.8, 0.61, 0.6, 0.5, 0.4, 0.39, 0.2, 0.19, 0.0]
    assert "".join(symbol(value) for value in values) == "OOoo...xxXX"
    assert "".join(symbol(value) for value in np.float32(values)) == "OOoo...xxXX"


def test_the_text_has_the_board_with_its_coordinates() -> None:
    assert influence_text(MAP) == "   A B C\n 3 X x . 3\n 2 . o O 2\n 1 X . O 1\n   A B C\n"


def test_the_vector_begins_at_a1_and_goes_upwards() -> None:
    np.testing.assert_allclose(to_vector(MAP), [0.1, 0.5, 0.9, 0.5, 0.7, 1.0, 0.0, 0.3, 0.5], rtol=1e-6)
    np.testing.assert_array_equal(from_vector(to_vector(MAP)), MAP)
    with pytest.raises(ValueError, match="8 values is no board"):
        from_vector(np.zeros(8))


def test_sgf_tells_the_map_as_comment_and_as_marks() -> None:
    board = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 2]], np.int8)
    (record,) = sgf.parse(position_sgf(board, MAP))
    node = record.root
    assert node.properties["C"] == [influence_text(MAP)]
    assert sorted(node.properties["TB"]) == ["aa", "ac"]
    assert sorted(node.properties["TW"]) == ["cb", "cc"]
    assert [str(label) for label in node.properties["LB"]] == ["ba:x", "bb:o"]
    assert (node.properties["AB"], node.properties["AW"]) == (["aa"], ["bb", "cc"])


def test_a_comment_that_was_there_stays_and_marks_of_an_older_map_go() -> None:
    node = sgf.Node({"C": ["White resigned here."], "TB": ["bb"]})
    mark_node(node, np.full((3, 3), 0.5))
    assert node.properties["C"][0].startswith("White resigned here.\n   A B C")
    assert "TB" not in node.properties


def test_gogui_gets_black_as_plus_one() -> None:
    assert gogui_board(MAP).splitlines() == ["1.000 0.400 0.000", "0.000 -0.400 -1.000", "0.800 0.000 -0.800"]
    assert gogui_graphics(MAP) == "INFLUENCE A3 1.000 B3 0.400 B2 -0.400 C2 -1.000 A1 0.800 C1 -0.800"
    assert gogui_graphics(np.full((3, 3), 0.5)) == "INFLUENCE"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((2, 3)), r"shape \(2, 3\); wanted is a square"),
        (np.full((3, 3), 1.5), "in 0..1; these lie between 1.5"),
        (np.full((3, 3), np.nan), "in 0..1"),
    ],
)
def test_what_is_no_map_is_refused(values: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked(values)
