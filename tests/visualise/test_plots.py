"""Learning curves: each metric is drawn where it belongs, with its numbers."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from research.visualise.plots import PANELS, learning_curves, to_png

METRICS = [
    {
        "iteration": iteration,
        "train_mode_loss": 3.0 / iteration,
        "eval_mode_loss": 3.2 / iteration,
        "policy_loss_nats": 2.0,
        "first_player_win_share": 0.5,
    }
    | ({"score_share_vs_random": 0.1 * iteration} if iteration % 2 == 0 else {})
    for iteration in range(1, 7)
]


def lines_of(figure: Figure) -> dict[str, dict[str, np.ndarray]]:
    """Panel title -> legend label -> the line's points [n, 2]."""
    return {axes.get_title(): {str(line.get_label()): line.get_xydata() for line in axes.lines} for axes in figure.axes}


def test_each_metric_is_a_line_through_its_values() -> None:
    lines = lines_of(learning_curves(METRICS))
    expected = [(record["iteration"], record["eval_mode_loss"]) for record in METRICS]
    np.testing.assert_allclose(lines["Loss"]["running statistics"], expected)
    assert set(lines["Loss"]) == {"batch statistics", "running statistics"}


def test_panels_and_lines_without_a_metric_are_left_out() -> None:
    lines = lines_of(learning_curves(METRICS))
    assert list(lines) == ["Loss", "Policy", "Results", "Matches"]
    assert list(lines["Policy"]) == ["cross-entropy"]


def test_matches_stand_at_the_iterations_where_they_were_played() -> None:
    lines = lines_of(learning_curves(METRICS))
    np.testing.assert_allclose(lines["Matches"]["against random"], [(2, 0.2), (4, 0.4), (6, 0.6)])


def test_shares_are_drawn_from_0_to_1_and_losses_are_not() -> None:
    ranges = {axes.get_title(): axes.get_ylim() for axes in learning_curves(METRICS).axes}
    assert ranges["Results"] == ranges["Matches"] == (-0.03, 1.03)
    assert ranges["Loss"][1] > 3


def test_every_panel_appears_when_its_metrics_do() -> None:
    names = [name for panel in PANELS for name, _ in panel.lines]
    figure = learning_curves([{"iteration": 1} | dict.fromkeys(names, 0.5)], title="a run")
    assert [axes.get_title() for axes in figure.axes] == [panel.title for panel in PANELS]
    assert figure.get_suptitle() == "a run"


def test_no_metrics_is_an_error_that_says_what_was_wanted() -> None:
    with pytest.raises(ValueError, match="train_mode_loss"):
        learning_curves([{"iteration": 1}])


def test_the_png_is_one_and_the_same_for_the_same_metrics() -> None:
    first, second = (to_png(learning_curves(METRICS[:2])) for _ in range(2))
    assert first.startswith(b"\x89PNG\r\n\x1a\n")
    assert first == second != to_png(learning_curves(METRICS[:3]))
