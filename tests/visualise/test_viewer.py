"""The viewer's page holds the whole game as data, nothing in it can break out, and nothing wrong is put in."""

import base64
import json
import re
from typing import Any

import numpy as np
import pytest

from research.visualise.viewer import BLACK, WHITE, GameAnalysis, GameStep, Html, ViewedGame, viewer_html

NASTY = "</script><script>alert(1)</script> <!-- %%DATA%% & \"'\u2028\udcff\x00"

GAME = ViewedGame(
    title=NASTY,
    num_rows=2,
    num_columns=3,
    steps=(
        GameStep(-1, changes=((5, WHITE),), marks={1: "triangle", 2: NASTY}),
        GameStep(0, ((1, BLACK),), BLACK, 1, 1, comment=NASTY, to_play=WHITE),
        GameStep(0, ((4, BLACK), (5, 0)), BLACK, 4, 1, (1, 0), WHITE, name="variation", territory={0: BLACK}),
    ),
    facts=(("Black", NASTY),),
    warnings=(NASTY,),
)
ANALYSIS = GameAnalysis(
    np.array([0.25, np.nan]),
    np.array([[0, 0, 0.5, 0, 0, 0.125, 0.375], [0] * 7]),
    np.array([[1, -1, 0.5, 0, 0, 0], [0] * 6]),
    "somebody",
)


def data_of(page: str) -> dict[str, Any]:
    """What the page's script will read."""
    (found,) = re.findall(r'<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_the_page_holds_every_step() -> None:
    data = data_of(viewer_html(GAME))
    assert (data["title"], data["rows"], data["columns"], data["columnNames"]) == (NASTY, 2, 3, ["A", "B", "C"])
    assert (data["facts"], data["warnings"]) == ([["Black", NASTY]], [NASTY])
    assert data["steps"] == [
        {"number": 0, "toPlay": BLACK, "changes": [5, WHITE], "marks": {"1": "triangle", "2": NASTY}},
        {"number": 1, "toPlay": WHITE, "changes": [1, BLACK], "player": BLACK, "action": 1, "comment": NASTY},
        {
            "number": 1,
            "toPlay": WHITE,
            "parent": 0,
            "changes": [4, BLACK, 5, 0],
            "player": BLACK,
            "action": 4,
            "taken": [1, 0],
            "name": "variation",
            "territory": {"0": BLACK},
        },
    ]
    assert "values" not in data


def test_text_of_a_record_can_neither_end_the_script_nor_become_markup() -> None:
    page = viewer_html(GAME)
    assert page.count("</script>") == page.count("<script") == 3
    assert "alert(1)<" not in page
    assert "<!--" not in page.split("<svg")[1]
    assert page.count("%%DATA%%") == 1 + 5  # in the heading, and as data; never filled in
    assert page.isascii()


def test_the_page_asks_nobody_for_anything() -> None:
    page = viewer_html(GAME)
    assert not re.search(r"\b(?:src|href)\s*=|@import|url\((?!#)|fetch\(|XMLHttpRequest|WebSocket|import\(", page)
    assert "default-src 'none'" in page


def test_values_policies_and_ownerships_come_out_as_they_went_in() -> None:
    data = data_of(viewer_html(GAME, ANALYSIS))
    assert (data["values"], data["player"]) == ([0.25, None], "somebody")
    policies = np.frombuffer(base64.b64decode(data["policies"]), "<u2").reshape(2, 7) / 65535
    ownerships = np.frombuffer(base64.b64decode(data["ownerships"]), "i1").reshape(2, 6) / 127
    np.testing.assert_allclose(policies, np.asarray(ANALYSIS.policies), atol=1e-5)
    np.testing.assert_allclose(ownerships, np.asarray(ANALYSIS.ownerships), atol=5e-3)


def test_a_long_game_with_everything_stays_below_a_megabyte() -> None:
    rng = np.random.default_rng(0)
    steps = [GameStep(-1)]
    for number in range(1, 301):
        player = 2 - number % 2
        comment = "A comment of about a line on this very move. " * 2
        steps.append(GameStep(number - 1, ((number, player),), player, number, number, (7, 8), 3 - player, comment))
    game = ViewedGame("long", 19, 19, tuple(steps))
    policies = rng.dirichlet(np.full(362, 0.1), 301)
    page = viewer_html(game, GameAnalysis(np.zeros(301), policies, rng.uniform(-1, 1, (301, 361))))
    assert len(page.encode()) < 1e6


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    page = viewer_html(GAME)
    frame = page._repr_html_()
    assert isinstance(page, Html)
    assert frame.startswith("<iframe sandbox=")
    assert "<script" not in frame
    assert "&lt;script type=&quot;application/json&quot;" in frame


def test_the_same_game_gives_the_same_bytes() -> None:
    assert viewer_html(GAME, ANALYSIS) == viewer_html(GAME, ANALYSIS)


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        (GameAnalysis(np.zeros(4)), "the analysis has 4 positions, the game 3 steps"),
        (GameAnalysis(np.array([1.5])), "values must be in -1..1; they lie between 1.5 and 1.5"),
        (GameAnalysis(np.zeros(1), np.zeros((1, 6))), r"policies have the shape \(1, 6\); .* must be \(1, 7\)"),
        (GameAnalysis(np.zeros(1), np.full((1, 7), np.nan)), "policies must be in 0..1"),
        (GameAnalysis(np.zeros(1), None, np.full((1, 6), -2.0)), "ownerships must be in -1..1"),
    ],
)
def test_an_analysis_that_does_not_fit_is_refused(analysis: GameAnalysis, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        viewer_html(GAME, analysis)


@pytest.mark.parametrize("steps", [(), (GameStep(0),), (GameStep(-1), GameStep(2), GameStep(0))])
def test_steps_out_of_order_are_refused(steps: tuple[GameStep, ...]) -> None:
    with pytest.raises(ValueError, match="wanted one step at least"):
        viewer_html(ViewedGame("none", 9, 9, steps))
