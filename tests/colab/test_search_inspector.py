"""The notebook on searches runs from end to end, shows its pictures, and what it says of its trees is so."""

from pathlib import Path

import numpy as np
import pytest
from notebook_cells import run_cells

from colab.generate import FOLDER
from research.visualise.drawing import Svg


def test_the_notebook_looks_into_a_tree_goes_on_with_it_and_maps_it(capsys: pytest.CaptureFixture[str]) -> None:
    variables, shown = run_cells(Path(FOLDER) / "search_inspector.py", {"num_playouts=4": "num_playouts=1"})
    printed = capsys.readouterr().out
    assert "65 nodes; played is C" in printed
    kinds = [type(value) for value in shown if value is not None]
    assert kinds == [Svg] * 5, "the tree, two nodes' maps, the tree after a move, the influence"
    best, root = variables["best"], variables["root"]
    assert (root.visits, root.value) == (best.visits, pytest.approx(-best.value))
    assert variables["tree"].visits[0, 0] == best.visits + 64
    # Walls face each other: what is behind Black's is rather Black's than what is behind White's.
    mean = np.asarray(variables["maps"])[0, 0]
    assert mean[:, 0].mean() < mean[:, 4].mean()
    assert variables["plan"].bytes_a_game < 5_000_000
