"""docs/viewer.md: its picture is what the code draws, and its lines of Python run."""

import re

from docs.pictures import FOLDER, MARKED_PICTURE, marked_picture
from research.visualise.drawing import Svg
from research.visualise.viewer import Html

PAGE = FOLDER / "viewer.md"


def test_the_marked_board_is_current() -> None:
    assert MARKED_PICTURE.read_text() == marked_picture(), "run `make pictures`"
    assert f"]({MARKED_PICTURE.name})" in PAGE.read_text()


def test_each_example_shows_what_it_says() -> None:
    shown = []
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
        *statements, last = code.strip().split("\n")
        variables = {"text": "(;SZ[3];B[bb])"}
        exec("\n".join(statements), variables)
        shown.append(type(eval(last, variables)))
    assert shown == [Svg, Html]
