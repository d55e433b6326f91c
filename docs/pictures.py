"""The picture of the README, drawn by the library's own code: `make pictures` writes docs/board.svg again.

It shows what the project is named after. Black's stones at the bottom have four empty points in a row; the two middle
ones, a and b, are miai: if White takes one, Black takes the other and has two eyes, so Black need not play here at all.
"""

from pathlib import Path

import numpy as np

from research.visualise.svg import board_svg

PICTURE = Path(__file__).parent / "board.svg"

POSITION = """
. . . . . . . . .
. . . X . . . . .
. . X . . X . X X
X X X . X X X O X
O O O X X O O O O
. . . O O . . . .
. O O O O O O O .
O X X X X X X O .
. X . . . . X O .
"""
SIZE = 9
LAST_MOVE = 8 * SIZE + 7  # White at H1
MIAI = {8 * SIZE + 3: "a", 8 * SIZE + 4: "b"}


def readme_picture() -> str:
    """The text of docs/board.svg."""
    stones = [".XO".index(point) for point in POSITION.split()]
    return board_svg(np.array(stones, np.int8).reshape(SIZE, SIZE), last_move=LAST_MOVE, marks=MIAI)


if __name__ == "__main__":
    PICTURE.write_text(readme_picture())
