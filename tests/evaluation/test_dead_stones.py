"""Dead stones at the end of games: alone in territory, a chain with one eye; and living chains with two.

*Source:* positions of the kinds that Go primers show.
"""

import numpy as np
import pytest

from research.evaluation.dead_stones import dead_stones
from research.go.text import plain_text, stones_from_text

# What is dead is drawn by a small letter: x black, o white.
POSITIONS = {
    "a stone in territory": """
        ..X.OO.
        .oXXO..
        ..X.O..
        ..XXOOO
        ..X.O..
        ..XXO.x
        ..X.O..""",
    "a chain with one eye": """
        ..oX.X.
        oooXXXX
        XXXX...
        ....X..
        ...XX..
        .......
        .......""",
    "nothing dead": """
        .X.XO.O
        XXXXOOO
        XXX.OOO
        .XX.OO.
        XXX.OOO
        XX.XO.O
        .XXXOOO""",
}


@pytest.mark.parametrize("name", POSITIONS)
def test_dead_stones_are_those_drawn(name: str) -> None:
    drawing = "\n".join(POSITIONS[name].split())
    stones = stones_from_text(drawing.upper(), 7)
    wanted = np.array([[cell.islower() for cell in line] for line in drawing.split()])
    np.testing.assert_array_equal(dead_stones(stones, False), wanted, err_msg=plain_text(stones))
    swapped = np.where(stones > 0, 3 - stones, 0).astype(np.int8)
    np.testing.assert_array_equal(dead_stones(swapped, False), wanted)
