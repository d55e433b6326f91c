"""`absolute17`: the golden games, both orders, and that it is `agz17` without a point of view.

*Source:* tests/data/encoders (see the README there).
"""

import jax
import numpy as np
import pytest
from encoder_batches import encode_many, wrong_golden_planes
from encoder_cases import golden_cases, position_of

from research.encoders.absolute17 import draw_oldest_first

SIZES = (5, 7, 9)  # the planes of 19x19 come by the same few operations
CASES = [case for case in golden_cases("absolute17") if case.position["size"] in SIZES]


def test_golden_games() -> None:
    assert not wrong_golden_planes("absolute17", sizes=SIZES)


@pytest.mark.parametrize("case", golden_cases("absolute17_oldest_first")[:4], ids=lambda case: case.id)
def test_golden_games_read_to_the_letter(case) -> None:
    planes = np.asarray(draw_oldest_first(*position_of(case)))
    for number, plane in case.planes.items():
        np.testing.assert_array_equal(planes[..., number], plane, err_msg=f"plane {number}")


def test_it_is_agz17_with_the_planes_of_black_first() -> None:
    for case in CASES:
        game, state = position_of(case)
        state = jax.tree.map(np.asarray, state)
        absolute, relative = (encode_many(name, game, [state])[0] for name in ("absolute17", "agz17"))
        black, white = (0, 1) if state.to_play == 0 else (1, 0)
        np.testing.assert_array_equal(absolute[..., :8], relative[..., black:16:2])
        np.testing.assert_array_equal(absolute[..., 8:16], relative[..., white:16:2])
        np.testing.assert_array_equal(absolute[..., 16], relative[..., 16])
