"""The quickstart runs from end to end as a script, and its notebook is what the script generates."""

import json
from pathlib import Path

import pytest
from notebook_cells import run_cells

from colab.generate import SOURCES, notebook_text
from research.visualise.plots import Png
from research.visualise.svg import Svg

FOLDER = Path(__file__).parents[2] / "colab"


def test_the_quickstart_plays_shows_searches_and_trains(capsys: pytest.CaptureFixture[str]) -> None:
    variables, shown = run_cells(FOLDER / "quickstart.py", {"NUM_ITERATIONS = 20 ": "NUM_ITERATIONS = 2 "})
    printed = capsys.readouterr().out
    assert "to play: White" in printed
    assert "75 with the pass; E4 among them: False" in printed
    assert "own stones, 0 plies ago" in printed
    assert [record["iteration"] for record in variables["summary"].metrics] == [1, 2]
    kinds = [type(value) for value in shown if isinstance(value, Svg | Png)]
    assert kinds == [Svg, Png, Svg, Png, Svg], "board, planes, policy, learning curves, game"


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_notebook_is_current_and_has_no_outputs(source: Path) -> None:
    notebook = source.with_suffix(".ipynb").read_text()
    assert notebook == notebook_text(source), "run `make notebooks`"
    code = [cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
