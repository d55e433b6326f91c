"""The notebook on rules and planes runs from end to end, and what it says of its positions is so."""

from pathlib import Path

import pytest
from notebook_cells import run_cells

from colab.generate import FOLDER
from research.visualise.drawing import Svg
from research.visualise.viewer import Html

SAID = """3 white stones before, 0 after
White may take back at once: False
after a move elsewhere and its answer: True
White may play into Black's eye at A7: False
rules by name: {'tromp-taylor': 'positional', 'chinese': 'simple', 'aga': 'situational'}
over: True  Black's points minus White's, komi included: 4.5
15 moves, komi 9.0, result B+R
these start a ladder that works: ['C4']
white stones left: 0
ladders that work: 0
"""


def test_the_notebook_says_and_shows_what_the_rules_are(capsys: pytest.CaptureFixture[str]) -> None:
    _, shown = run_cells(Path(FOLDER) / "rules_and_planes.py", {})
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line in SAID.splitlines()] == SAID.splitlines()
    kinds = [type(value) for value in shown if value is not None]
    assert kinds == [Svg] * 4 + [Html] + [Svg] * 5, "positions, the record, planes, ladders"
