"""A game as one HTML page to step through: board, comments, variations, and what a network thought at each step.

The page is a single file that asks nobody for anything: the board's wood and lines are the SVG of `board_svg`, the
game is data in the page, a script of a few pages shows step after step. The rules stay on this side: each step says
which points changed, so the page needs to know nothing of captures or ko and shows exactly what was played here.

The data is JSON with every "<" written as an escape, and the script makes text of text only, so nothing that stands in
a record can end the script or become markup; a content security policy forbids the page to load anything besides.
Numbers a point are too many for JSON and go as base64: a policy in 16 bits, an ownership in 8.

*Source:* own design.
"""

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Float32

from research.visualise import drawing, overlays
from research.visualise.empty_board import board_width, column_name, empty_board

EMPTY, BLACK, WHITE = 0, 1, 2

_TEMPLATE = Path(__file__).with_name("viewer.html")
_SCRIPTS = tuple(Path(__file__).with_name(name) for name in ("viewer_drawing.js", "viewer.js"))
_POLICY_SCALE = 65535  # that is a probability of 1
_OWNERSHIP_SCALE = 127  # that is a point wholly Black's


@dataclass(frozen=True)
class GameStep:
    """A position of the game and what led to it: a move, stones that were set up, or nothing but a comment."""

    parent: int  # index of the step before it; -1 for the first
    changes: tuple[tuple[int, int], ...] = ()  # (point, what stands there now), a point being row * columns + column
    player: int = EMPTY  # who moved: BLACK, WHITE, or EMPTY if there was no move
    action: int = -1  # the point of the move; the number of points for a pass; -1 if there was no move
    number: int = 0  # moves so far on this line
    taken: tuple[int, int] = (0, 0)  # stones that Black and White have captured so far
    to_play: int = BLACK  # who is to move
    comment: str = ""
    name: str = ""  # of the position
    marks: Mapping[int, str] = field(default_factory=dict)  # point -> a shape of overlays.SHAPES, or a label
    territory: Mapping[int, int] = field(default_factory=dict)  # point -> BLACK or WHITE, as the record marks it


@dataclass(frozen=True)
class ViewedGame:
    """A game with its variations."""

    title: str
    num_rows: int
    num_columns: int
    steps: tuple[GameStep, ...]  # each after its parent; the first children from step 0 on are the main line
    facts: tuple[tuple[str, str], ...] = ()  # (what, text) to be told of the game: players, result, komi
    warnings: tuple[str, ...] = ()  # what was wrong with the record


class GameAnalysis(NamedTuple):
    """What a player thinks at each step of the main line, from its first on; there may be fewer than steps."""

    values: Float[np.ndarray, " positions"]  # expected outcome for Black in [-1, 1]; NaN where it is not known
    policies: Float[np.ndarray, "positions actions"] | None = None  # of the player to move, points and pass; sums to 1
    ownerships: Float[np.ndarray, "positions points"] | None = None  # +1 Black's, -1 White's
    player: str = ""  # whose thoughts these are


class Html(str):
    """The text of an HTML page, which a notebook shows in a frame."""

    __slots__ = ()
    height = 860  # of the frame, in pixels

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts" style="border:0;width:100%"'
        return f'<iframe {frame} height="{self.height}" srcdoc="{escape(self)}"></iframe>'


def viewer_html(game: ViewedGame, analysis: GameAnalysis | None = None) -> Html:
    """The page that shows `game`, with value curve, policy and ownership as far as `analysis` has them.

    *Raises:* ValueError for a game without steps, a step before its parent, or an analysis of another shape.
    """
    if not game.steps or any(step.parent >= index for index, step in enumerate(game.steps)):
        raise ValueError("wanted one step at least, and each behind the one that it follows")
    data = _game_data(game) | (_analysis_data(analysis, game) if analysis is not None else {})
    board = "\n".join([drawing.DEFINITIONS, *empty_board(game.num_rows, game.num_columns)])
    page = _TEMPLATE.read_text(encoding="utf-8")
    pieces = {
        # In ASCII, since text of a damaged record may hold halves of characters, which no encoding writes.
        "TITLE": escape(game.title).encode("ascii", "xmlcharrefreplace").decode(),
        "WIDTH": drawing.number(board_width(game.num_columns)),
        "HEIGHT": drawing.number(board_width(game.num_rows)),
        "BOARD": board,
        "DATA": _json(data),
        "SCRIPT": "\n</script>\n<script>\n".join(path.read_text(encoding="utf-8") for path in _SCRIPTS),
    }
    # Split, not replaced one after the other: what is put in may look like a place to put something in.
    parts = page.split("%%")
    return Html("".join(pieces[part] if index % 2 else part for index, part in enumerate(parts)))


def _game_data(game: ViewedGame) -> dict[str, Any]:
    return {
        "title": game.title,
        "rows": game.num_rows,
        "columns": game.num_columns,
        "columnNames": [column_name(column) for column in range(game.num_columns)],
        "cell": drawing.CELL,
        "margin": drawing.MARGIN,
        "radius": drawing.STONE_RADIUS,
        "ownershipSide": overlays.OWNERSHIP_SIDE,
        "markedShift": overlays.MARKED_SHIFT,
        "markedScale": overlays.MARKED_SCALE,
        "shapes": overlays.SHAPES,
        "facts": game.facts,
        "warnings": game.warnings,
        "steps": [_step_data(step, index) for index, step in enumerate(game.steps)],
    }


def _step_data(step: GameStep, index: int) -> dict[str, Any]:
    """The step without what the script takes for granted."""
    data: dict[str, Any] = {"number": step.number, "toPlay": step.to_play}
    if step.parent != index - 1:
        data["parent"] = step.parent
    if step.changes:
        data["changes"] = [number for change in step.changes for number in change]
    if step.player != EMPTY:
        data |= {"player": step.player, "action": step.action}
    if any(step.taken):
        data["taken"] = step.taken
    if step.comment:
        data["comment"] = step.comment
    if step.name:
        data["name"] = step.name
    if step.marks:
        data["marks"] = step.marks
    if step.territory:
        data["territory"] = step.territory
    return data


def _analysis_data(analysis: GameAnalysis, game: ViewedGame) -> dict[str, Any]:
    """*Raises:* ValueError for wrong shapes or numbers out of their range."""
    num_positions, num_points = len(analysis.values), game.num_rows * game.num_columns
    if num_positions > len(game.steps):
        raise ValueError(f"the analysis has {num_positions} positions, the game {len(game.steps)} steps")
    data: dict[str, Any] = {"player": analysis.player, "values": _values(analysis.values)}
    if analysis.policies is not None:
        policies = _checked("policies", analysis.policies, (num_positions, num_points + 1), 0.0)
        data["policies"] = _packed(np.round(policies * _POLICY_SCALE).astype("<u2"))
    if analysis.ownerships is not None:
        ownerships = _checked("ownerships", analysis.ownerships, (num_positions, num_points), -1.0)
        data["ownerships"] = _packed(np.round(ownerships * _OWNERSHIP_SCALE).astype("i1"))
    return data


def _values(values: np.ndarray) -> list[float | None]:
    """Values as JSON has them, which knows no NaN."""
    if not (np.isnan(values) | (np.abs(values) <= 1)).all():
        raise ValueError(f"values must be in -1..1; they lie between {np.nanmin(values)} and {np.nanmax(values)}")
    return [None if math.isnan(value) else round(value, 4) for value in values.tolist()]


def _checked(name: str, numbers: np.ndarray, shape: tuple[int, int], low: float) -> Float32[np.ndarray, "_ _"]:
    if numbers.shape != shape:
        raise ValueError(f"{name} have the shape {numbers.shape}; for this game it must be {shape}")
    if not ((numbers >= low - 1e-3) & (numbers <= 1 + 1e-3)).all():
        raise ValueError(f"{name} must be in {low:g}..1; they lie between {numbers.min()} and {numbers.max()}")
    return np.clip(numbers, low, 1).astype(np.float32)


def _packed(numbers: np.ndarray) -> str:
    return base64.b64encode(numbers.tobytes()).decode()


def _json(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """JSON in ASCII that no HTML parser can take for the end of its script."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
