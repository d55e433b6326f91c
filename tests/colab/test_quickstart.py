"""The quickstart runs from end to end as a script, and its notebook is what the script generates."""

import ast
import json
import re
from pathlib import Path

import pytest

from colab.generate import SOURCES, notebook_text
from research.visualise.plots import Png
from research.visualise.svg import Svg

FOLDER = Path(__file__).parents[2] / "colab"


def run_cells(source: Path, replacements: dict[str, str]) -> tuple[dict, list]:
    """The variables that a percent-format script leaves, and what its cells would show in a notebook."""
    text = source.read_text()
    for old, new in replacements.items():
        assert text.count(old) == 1, f"{source.name} no longer has the line {old!r}"
        text = text.replace(old, new)
    variables: dict = {"__name__": "__main__"}
    shown = []
    for cell in re.split(r"^# %%.*\n", text, flags=re.MULTILINE):
        statements = ast.parse(cell).body
        # As in a notebook, a cell shows what its last line gives.
        last = statements.pop() if statements and isinstance(statements[-1], ast.Expr) else None
        exec(compile(ast.Module(statements, []), str(source), "exec"), variables)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), str(source), "eval"), variables))
    return variables, shown


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
