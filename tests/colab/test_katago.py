"""The notebook about KataGo's networks runs from end to end as a script; that it is current is test_quickstart's."""

import pytest
from colab.test_quickstart import FOLDER, run_cells

from research.visualise.svg import Svg


@pytest.mark.slow
def test_the_notebook_evaluates_and_searches_with_a_real_network(capsys: pytest.CaptureFixture[str]) -> None:
    variables, shown = run_cells(FOLDER / "katago.py", {"num_simulations=32": "num_simulations=4"})
    printed = capsys.readouterr().out
    assert "6 blocks, 1,027,911 parameters" in printed
    assert "Black to move wins" in printed
    assert "chosen: " in printed
    assert [type(value) for value in shown] == [Svg]
    assert variables["policy"].shape == (82,)
