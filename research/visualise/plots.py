"""Learning curves: what a training run measured, iteration by iteration, in panels that are read together.

The idea: a panel asks one question and holds the lines that answer it. The policy's loss stands over the entropy of
what it imitates, which is the least that loss can be; the loss under batch statistics stands beside the loss under
running statistics; what was cut off stands beside what was finished. A line appears where its metric does, so old runs,
other games and runs without matches draw too.

Figures are made as objects, without matplotlib's global state: they work in threads, notebooks and batch jobs alike,
and the same metrics give the same bytes.

*Source:* own choice of panels; the metrics are those of a run's metrics.jsonl.
"""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

NUM_COLUMNS = 4
PANEL_SIZE = (3.9, 2.9)  # inches
DOTS_PER_INCH = 110

# Every metric with this prefix is a line of the last panel: the share of points against that opponent.
MATCH_PREFIX = "score_share_vs_"


class Panel(NamedTuple):
    """One question about a run."""

    title: str
    unit: str  # of every line
    lines: tuple[tuple[str, str], ...]  # (metric, what the legend calls it)
    is_share: bool = False  # whether the axis runs from 0 to 1


PANELS = (
    Panel("Loss", "loss", (("train_mode_loss", "batch statistics"), ("eval_mode_loss", "running statistics"))),
    Panel("Policy", "nats", (("policy_loss_nats", "cross-entropy"), ("search_entropy_nats", "search's entropy"))),
    Panel("Value", "squared error", (("value_loss", "value"),)),
    Panel("Gradient", "norm", (("gradient_norm", "before the optimizer"),)),
    Panel("Game length", "plies", (("game_length_plies", "mean"), ("game_length_max_plies", "longest"))),
    Panel(
        "Results", "share of finished games", (("first_player_win_share", "Black wins"), ("draw_share", "draws")), True
    ),
    Panel(
        "Endings",
        "share",
        (
            ("finished_sample_share", "positions with a result"),
            ("truncated_sample_share", "positions cut off"),
            ("move_limit_share", "games ended by max_moves"),
        ),
        True,
    ),
)


class Png(bytes):
    """A PNG file's bytes, which a notebook shows as the picture."""

    __slots__ = ()

    def _repr_png_(self) -> bytes:
        return bytes(self)


def learning_curves(metrics: Sequence[Mapping[str, Any]], title: str | None = None) -> Figure:
    """A figure of the run whose `metrics` these are: records in order, each with its `iteration`.

    *Raises:* ValueError if no record holds a metric that a panel shows.
    """
    panels = [panel for panel in (*PANELS, _match_panel(metrics)) if _present_lines(panel, metrics)]
    if not panels:
        raise ValueError(
            f"wanted records with metrics such as {PANELS[0].lines[0][0]!r}; got {len(metrics)} without any"
        )
    num_columns = min(NUM_COLUMNS, len(panels))
    num_rows = math.ceil(len(panels) / num_columns)
    figure = Figure(figsize=(PANEL_SIZE[0] * num_columns, PANEL_SIZE[1] * num_rows), layout="constrained")
    if title:
        figure.suptitle(title)
    for index, panel in enumerate(panels):
        _draw_panel(figure.add_subplot(num_rows, num_columns, index + 1), panel, metrics)
    return figure


def to_png(figure: Figure) -> Png:
    """The figure as a PNG file's bytes; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    # Left to itself matplotlib writes its version into the file.
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return Png(buffer.getvalue())


def _match_panel(metrics: Sequence[Mapping[str, Any]]) -> Panel:
    """The matches that were played while training, one line an opponent."""
    names = dict.fromkeys(name for record in metrics for name in record if name.startswith(MATCH_PREFIX))
    lines = tuple((name, f"against {name.removeprefix(MATCH_PREFIX)}") for name in names)
    return Panel("Matches", "share of points", lines, is_share=True)


def _present_lines(panel: Panel, metrics: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(name, label) for name, label in panel.lines if any(name in record for record in metrics)]


def _draw_panel(axes: Axes, panel: Panel, metrics: Sequence[Mapping[str, Any]]) -> None:
    for name, label in _present_lines(panel, metrics):
        points = [(record["iteration"], record[name]) for record in metrics if name in record]
        # Few points, such as a match now and then, are seen by their markers.
        axes.plot(*zip(*points, strict=True), label=label, marker="o" if len(points) < 12 else None, markersize=4)
    axes.set(title=panel.title, xlabel="iteration", ylabel=panel.unit)
    if panel.is_share:
        axes.set_ylim(-0.03, 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize="small")
