"""docs/planes.md and its pictures say what the encoders say; `make pictures` writes both again.

*Source:* none.
"""

import re
from html import unescape

import numpy as np
import pytest

from docs import planes as page
from research import encoders, go

MAX_BYTES = 300_000
HINT = "run `make pictures`"
QUICK = "agz17"  # its picture is cheap to draw again


def test_the_page_is_what_the_encoders_say() -> None:
    assert page.PAGE.read_text() == page.planes_page(), HINT


def test_the_page_has_every_plane_and_every_global_of_every_encoder() -> None:
    text = page.PAGE.read_text()
    for name in ("agz17", "katago22", "rules22", "bandit"):
        section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for names in (encoders.get(name).plane_names, encoders.get(name).global_names):
            assert all(f"| {index} | {entry} |" in section for index, entry in enumerate(names))


@pytest.mark.parametrize("name", page.pictured_names())
def test_each_picture_shows_each_plane_under_its_number_and_name(name: str) -> None:
    text = page.picture_path(name).read_text()
    expected = [f"{index} {plane}" for index, plane in enumerate(encoders.get(name).plane_names)]
    assert [unescape(title) for title in re.findall(r"<g><title>(.*?)</title>", text)] == expected, HINT
    assert len(text) < MAX_BYTES
    assert f"]({page.PICTURES.name}/{name}.svg)" in page.PAGE.read_text()


def test_the_position_is_the_ko_of_the_ear_reddening_game() -> None:
    _, state = page.position()
    board = np.asarray(go.board(state))
    assert (board > 0).sum() == 39  # of 40 stones played White has taken one
    assert board[18, 15:18].tolist() == [1, 2, 1]
    assert page.POSITION_PICTURE.read_text() == page.position_picture(), HINT


def test_a_picture_is_drawn_again_the_same() -> None:
    assert page.picture_path(QUICK).read_text() == page.planes_picture(QUICK), HINT


@pytest.mark.slow
@pytest.mark.parametrize("name", page.pictured_names())
def test_all_pictures_are_drawn_again_the_same(name: str) -> None:
    assert page.picture_path(name).read_text() == page.planes_picture(name), HINT


def test_the_pictured_moves_are_legal_and_the_last_one_takes_a_ko() -> None:
    game, state = page.position()
    assert int(state.num_moves) == len(page.MOVES.split()) == 40  # an illegal move would change nothing
    stones = np.asarray(go.board(state))
    assert ((stones == 1).sum(), (stones == 2).sum()) == (19, 20)
    assert not bool(game.legal_actions(state)[17 * page.SIZE + 16])
