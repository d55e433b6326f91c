"""Influence maps as pictures: a square a point over the board, dark for Black and light for White.

*Source:* own drawing.
"""

import numpy as np
from jaxtyping import Array, Float, Int8

from research.visualise.drawing import Svg
from research.visualise.svg import board_svg


def influence_svg(
    board: Int8[Array | np.ndarray, "size size"],
    influence: Float[Array | np.ndarray, "size size"],
    title: str | None = None,
    last_move: int | None = None,
) -> Svg:
    """The picture of `board` (0 empty, 1 black, 2 white) under its map (0 Black's, 1 White's, 0.5 open).

    The surer a point the larger its square; what stands below says how much each side would have.
    *Raises:* ValueError if a value is not in 0..1.
    """
    values = np.asarray(influence, np.float32)
    if not ((values >= 0) & (values <= 1)).all():  # false for what is not finite too
        raise ValueError(f"influence must be in 0..1; it lies between {values.min()} and {values.max()}")
    white = float(values.sum())
    caption = f"Black {values.size - white:.1f}, White {white:.1f} of {values.size} points"
    return board_svg(board, last_move=last_move, ownership=1 - 2 * values, title=title, caption=caption)
