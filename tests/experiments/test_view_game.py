"""`experiments.view_game`: a page that a browser steps through as our rules would, and one line for what is wrong."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from browser import Browser, needs_chromium

from experiments import view_game
from experiments.record_view import chosen_record, view_record
from research import go
from research.go.coords import gtp_from_action
from research.interop import sgf
from research.visualise.viewer import GameAnalysis, viewer_html

SIZE = 5
NUM_MOVES = 60  # on 25 points: stones are captured again and again
NASTY = "</script><script>document.title = 'broken'</script><b>bold</b> <!-- & %%DATA%%"


@pytest.fixture(scope="module")
def game() -> tuple[list[int], list[np.ndarray]]:
    """A random game: its actions, and the board before the first and after each of them."""
    rules = go.Go(go.Rules(size=SIZE, max_moves=2 * NUM_MOVES))
    step, legal_actions = jax.jit(rules.step), jax.jit(rules.legal_actions)
    random = np.random.default_rng(1)
    state, actions = rules.init(), list[int]()
    boards = [np.asarray(go.board(state))]
    for _ in range(NUM_MOVES):
        legal = np.flatnonzero(np.asarray(legal_actions(state))[:-1])
        actions.append(int(random.choice(legal)) if legal.size else SIZE * SIZE)
        state = step(state, jnp.int32(actions[-1]))
        boards.append(np.asarray(go.board(state)))
    num_stones = [int((board != 0).sum()) for board in boards]
    assert max(before - after for before, after in itertools.pairwise(num_stones)) > 3, "some capture is large"
    return actions, boards


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this file."""
    with Browser() as opened:
        yield opened


@pytest.fixture
def page(game: tuple[list[int], list[np.ndarray]], browser: Browser, tmp_path: Path) -> Path:
    """The game's page, written by the command and opened in the browser."""
    record = sgf.from_actions(game[0], go.Rules(size=SIZE), comments=[f"comment {number}" for number in range(3)])
    (tmp_path / "game.sgf").write_bytes(sgf.write(record))
    path = tmp_path / "game.html"
    assert view_game.main([str(tmp_path / "game.sgf"), "--out", str(path)]) == 0
    browser.open(path)
    return path


def shown_board(browser: Browser, size: int = SIZE) -> np.ndarray:
    """The stones that the page has drawn."""
    stones = "[...document.querySelectorAll('#stones [data-point]')].map((s) => [s.dataset.point, s.classList[0]])"
    board = np.zeros(size * size, np.int8)
    for point, colour in browser.evaluate(stones):
        board[int(point)] = {"black": 1, "white": 2}[colour]
    return board.reshape(size, size)


def points_of(browser: Browser, selector: str) -> list[int]:
    """The points on which something is drawn."""
    drawn = browser.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.dataset.point)")
    return [int(point) for point in drawn]


@needs_chromium
def test_each_click_shows_the_board_that_our_rules_say(
    game: tuple[list[int], list[np.ndarray]], browser: Browser, page: Path
) -> None:
    actions, boards = game
    np.testing.assert_array_equal(shown_board(browser), boards[0])
    assert browser.text("#move") == f"Start of {NUM_MOVES}: Black to play"
    for number, action in enumerate(actions, start=1):
        browser.click("#next")
        np.testing.assert_array_equal(shown_board(browser), boards[number], f"after move {number}")
        mover = "White" if number % 2 == 0 else "Black"
        assert browser.text("#move") == f"Move {number} of {NUM_MOVES}: {mover} {gtp_from_action(action, SIZE)}"
    assert browser.evaluate("document.querySelector('#next').disabled")
    for number in range(NUM_MOVES - 1, NUM_MOVES - 8, -1):
        browser.click("#previous")
        np.testing.assert_array_equal(shown_board(browser), boards[number], f"back after move {number}")
    browser.click("#last")
    played = [sum(action < SIZE * SIZE for action in actions[player::2]) for player in (0, 1)]
    captured = [played[1] - (boards[-1] == 2).sum(), played[0] - (boards[-1] == 1).sum()]
    assert browser.text("#captures") == f"Black has captured {captured[0]}, White {captured[1]}"
    assert browser.faults == []
    assert browser.requests == [page.as_uri()]


@needs_chromium
@pytest.mark.usefixtures("page")
def test_keys_wheel_slider_and_address_step_too(game: tuple[list[int], list[np.ndarray]], browser: Browser) -> None:
    _, boards = game

    def is_at(number: int) -> None:
        assert browser.evaluate("Number(document.querySelector('#slider').value)") == number
        np.testing.assert_array_equal(shown_board(browser), boards[number])

    for act, number in (
        (lambda: browser.press("ArrowRight"), 1),
        (lambda: browser.press("PageDown"), 11),
        (lambda: browser.press("ArrowLeft"), 10),
        (lambda: browser.press("End"), NUM_MOVES),
        (lambda: browser.press("ArrowRight"), NUM_MOVES),
        (lambda: browser.click("#back"), NUM_MOVES - 10),
        (lambda: browser.press("Home"), 0),
        (lambda: browser.press("PageUp"), 0),
        (lambda: browser.turn_wheel("#board", 120), 1),
        (lambda: browser.turn_wheel("#board", 120), 2),
        (lambda: browser.turn_wheel("#board", -120), 1),
        (lambda: browser.click("#slider"), NUM_MOVES // 2),
        # The slider has the focus now: a key must not move it twice.
        (lambda: browser.press("ArrowRight"), NUM_MOVES // 2 + 1),
        (lambda: browser.evaluate("location.hash = '#7'"), 7),
    ):
        act()
        is_at(number)


@needs_chromium
@pytest.mark.usefixtures("page")
def test_comments_come_and_go_and_numbers_are_drawn_when_asked_for(
    game: tuple[list[int], list[np.ndarray]], browser: Browser
) -> None:
    comments = []
    for _ in range(4):
        comments.append(browser.text("#comment"))
        browser.click("#next")
    assert comments == ["comment 0", "comment 1", "comment 2", ""]
    assert not browser.is_shown("#comment-side")
    assert points_of(browser, "#marks .label") == []
    browser.click("#show-numbers")
    expected = [action for action in dict.fromkeys(game[0][:4]) if shown_board(browser).flat[action]]
    assert sorted(points_of(browser, "#marks .label")) == sorted(expected)
    # Clicking a stone goes to the move that put it there.
    column, row = game[0][0] % SIZE, game[0][0] // SIZE
    browser.click("#board", (46 + 40 * column) / 252, (46 + 40 * row) / 252)
    assert browser.text("#move").startswith("Move 1 of")


@needs_chromium
def test_what_a_network_thinks_is_drawn_and_its_curve_can_be_clicked(browser: Browser, tmp_path: Path) -> None:
    record = sgf.parse("(;SZ[3]KM[0];B[bb];W[aa];B[cc];W[];B[])")[0]
    policies = np.zeros((6, 10))
    policies[:, 9] = 1
    policies[2] = [0, 0.3, 0, 0, 0, 0, 0, 0.6, 0, 0.1]
    ownerships = np.zeros((6, 9))
    ownerships[2, :3] = 1, -0.5, 0.25
    analysis = GameAnalysis(np.array([0, 0.5, -0.5, 1, -1, np.nan]), policies, ownerships, "tester")
    path = tmp_path / "game.html"
    path.write_text(viewer_html(view_record(record), analysis))
    browser.open(path, "#2")
    assert browser.text("#thoughts") == "Black wins 25%\nPolicy: B1 60%, B3 30%, pass 10%\nPlayed: C1 0.0%"
    heat = "[...document.querySelectorAll('#heat rect')].map((one) => Number(one.getAttribute('fill-opacity')))"
    assert points_of(browser, "#heat rect") == [1, 7]
    assert browser.evaluate(heat) == [0.425, 0.85]
    browser.click("#show-policy")
    assert points_of(browser, "#heat rect") == []
    assert points_of(browser, "#ownership rect") == []
    browser.click("#show-ownership")
    assert points_of(browser, "#ownership .owned-black") == [0, 2]
    assert points_of(browser, "#ownership .owned-white") == [1]
    outline = browser.evaluate("document.querySelector('#curve-line').getAttribute('d')")
    assert outline == "M0 1L1 0.5L2 1.5L3 0L4 2"
    for place, number in ((0.0, 0), (0.61, 3), (0.999, 5)):
        browser.click("#curve", place)
        assert browser.evaluate("Number(document.querySelector('#slider').value)") == number
    assert browser.text("#curve-name") == "Black's chance to win, by tester"
    assert browser.is_shown("#curve-side")
    # Ownership alone, as playouts give it: there is no curve to show.
    path.write_text(viewer_html(view_record(record), GameAnalysis(np.full(6, np.nan), None, ownerships)))
    browser.open(path, "#2")
    browser.click("#show-ownership")
    assert points_of(browser, "#ownership rect") == [0, 1, 2]
    assert not browser.is_shown("#curve-side")
    assert browser.text("#thoughts") == ""
    assert browser.faults == []


@needs_chromium
def test_variations_can_be_walked_by_buttons_keys_and_on_the_board(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[3];B[bb](;W[aa];B[cc])(;W[ba]C[second](;B[ab])(;B[ac])))")
    path = tmp_path / "game.html"
    assert view_game.main([str(tmp_path / "game.sgf"), "--out", str(path)]) == 0
    browser.open(path, "#1")
    assert points_of(browser, "#marks .label") == [0, 1]
    assert browser.text("#variations") == "A: White A3B: White B3"
    browser.click("#variations button:nth-child(2)")
    assert (browser.text("#move"), browser.text("#comment")) == ("Move 2 of 3: White B3", "second")
    browser.press("ArrowUp")
    assert browser.text("#move") == "Move 2 of 3: White A3"
    browser.press("ArrowDown")
    browser.click("#board", 46 / 172, 126 / 172)  # A1, which the second variation has
    np.testing.assert_array_equal(shown_board(browser, 3), [[0, 2, 0], [0, 1, 0], [1, 0, 0]])
    browser.press("Home")
    browser.press("End")
    assert browser.text("#move") == "Move 3 of 3: Black A1", "the line stays the one that was chosen"
    browser.click("#variations button:last-child")
    assert browser.text("#move") == "Move 1 of 3: Black B2", "back where it left the main line"
    browser.press("End")
    np.testing.assert_array_equal(shown_board(browser, 3), [[2, 0, 0], [0, 1, 0], [0, 0, 1]])


@needs_chromium
def test_text_of_a_record_is_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    text = NASTY.replace("]", "\\]")
    (tmp_path / "game.sgf").write_text(
        f"(;SZ[3]PB[{text}]C[{text}]N[{text}]LB[aa:{text}];B[aa](;W[ba]N[{text}])(;W[bb]))"
    )
    path = tmp_path / "game.html"
    assert view_game.main([str(tmp_path / "game.sgf"), "--out", str(path), "--title", NASTY]) == 0
    browser.open(path)
    assert browser.evaluate("document.title") == browser.text("#title") == browser.text("#comment") == NASTY
    assert browser.text("#facts dd") == NASTY
    assert NASTY in browser.text("#move")
    assert NASTY in browser.text("#marks .label")
    assert browser.evaluate("document.scripts.length") == 3
    assert browser.evaluate("document.querySelectorAll('b').length") == 0
    assert browser.faults == []


@needs_chromium
def test_boards_of_other_shapes_and_very_long_records_are_shown(browser: Browser, tmp_path: Path) -> None:
    folder = Path(__file__).parents[1] / "data" / "sgf" / "quirks"
    for name, number in (("sz-rect", 1), ("board-52-caps", 1), ("deep-tree", 4)):
        path, file = tmp_path / f"{name}.html", folder / f"{name}.sgf"
        assert view_game.main([str(file), "--game", str(number), "--out", str(path)]) == 0
        browser.open(path)
        browser.press("End")
        view = view_record(chosen_record(file, number))
        assert browser.evaluate("[game.rows, game.columns, line.length]") == [
            view.num_rows,
            view.num_columns,
            len(view.steps),
        ]
        stones: dict[int, int] = {}
        for step in view.steps:
            stones |= dict(step.changes)
        assert sorted(points_of(browser, "#stones [data-point]")) == sorted(at for at, stone in stones.items() if stone)
        assert browser.faults == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.sgf"], "nothing.sgf: no such file or folder"),
        (
            ["{folder}/game.sgf", "--game", "2"],
            "there is no game 2 in {folder}/game.sgf; games count from 1, the last is 1",
        ),
        (
            ["{folder}/game.sgf", "--game", "0"],
            "there is no game 0 in {folder}/game.sgf; games count from 1, the last is 1",
        ),
        (["{folder}/games"], "there is no game in {folder}/games; skipped: {folder}/games/empty.sgf (no game found"),
        (["{folder}/empty.sgf"], "no game found: it is empty"),
        (["{folder}/game.sgf", "--checkpoint", "{folder}"], "wanted a run's folder, but it holds no config.json"),
        (
            ["{folder}/game.sgf", "--checkpoint", "{folder}/runs"],
            "{folder}/runs: wanted a run's folder, but it does not",
        ),
        (
            ["{folder}/game.sgf", "--checkpoint", "{folder}/game.sgf"],
            "game.sgf: wanted a run's folder, but it is a file",
        ),
        (["{folder}/game.sgf", "--out", "{folder}"], "{folder}"),
        (["{folder}/game.sgf", "--iteration", "3"], "iteration is 3; wanted --checkpoint"),
        (["{folder}/game.sgf", "--checkpoint", "{folder}", "--katago", "{folder}/x"], "got both"),
        (["{folder}/game.sgf", "--katago", "{folder}/x.bin.gz"], "x.bin.gz: cannot be read"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "game.sgf").write_text("(;SZ[3];B[aa])")
    (tmp_path / "empty.sgf").write_text("")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "empty.sgf").write_text("")
    assert view_game.main([argument.format(folder=tmp_path) for argument in arguments]) == 2
    output = capsys.readouterr()
    assert output.err.startswith("error: ")
    assert output.err.count("\n") == 1
    assert message.format(folder=tmp_path) in output.err
