"""The pictures of the README and of docs/viewer.md, drawn by the library's own code: `make pictures` writes them again.

That of the README shows what the project is named after. Black's stones at the bottom have four empty points in a row;
the two middle ones, a and b, are miai: if White takes one, Black takes the other and has two eyes, so Black need not
play here at all. The other one shows everything that can be said of a position at once.
"""

from pathlib import Path

import numpy as np

from research.visualise.svg import board_svg

FOLDER = Path(__file__).parent
PICTURE = FOLDER / "board.svg"
MARKED_PICTURE = FOLDER / "marked_board.svg"

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

MARKS = {10: "triangle", 20: "square", 34: "circle", 41: "cross", 23: "7", 24: "8"} | MIAI
HEAT = {21: 0.3, 30: 0.2, 11: 0.1, 13: 0.05, 24: 0.1, 33: 0.02, 4: 0.03}  # shares of a made-up policy


def readme_picture() -> str:
    """The text of docs/board.svg."""
    return board_svg(stones(), last_move=LAST_MOVE, marks=MIAI)


def marked_picture() -> str:
    """The text of docs/marked_board.svg."""
    heat = np.zeros(SIZE * SIZE)
    heat[list(HEAT)] = list(HEAT.values())
    rows = np.linspace(1, -1, SIZE)[:, None] * np.ones(SIZE)
    # The upper half is Black's, the lower White's, but for the corner that lives.
    ownership = np.where(np.abs(rows) < 0.3, 0, rows)
    ownership[7:, 1:7] = 1
    return board_svg(
        stones(),
        last_move=LAST_MOVE,
        marks=MARKS,
        heat=heat.reshape(SIZE, SIZE),
        ownership=ownership,
        title="Marks, heat and ownership",
    )


def stones() -> np.ndarray:
    """The position as numbers."""
    return np.array([".XO".index(point) for point in POSITION.split()], np.int8).reshape(SIZE, SIZE)


if __name__ == "__main__":
    PICTURE.write_text(readme_picture())
    MARKED_PICTURE.write_text(marked_picture())
