"""Records as the viewer steps through them: every node, every variation, every quirk."""

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.record_view import view_record
from research.interop import sgf
from research.interop.sgf.legality import BLACK, EMPTY, WHITE, HostBoard
from research.visualise.viewer import GameStep, ViewedGame, viewer_html

FOLDER = Path(__file__).parents[1] / "data" / "sgf"
QUIRKS = json.loads((FOLDER / "quirks.json").read_text(encoding="utf-8"))
READABLE = [quirk["file"] for quirk in QUIRKS if quirk["expected"] != "error"]

RECORD = r"""(;GM[1]SZ[5]KM[0.5]PB[Ko]PW[Jo]RE[W+R]C[start]
;B[bb];W[ba]LB[aa:one][bb:two\:2]TR[cc][dd]CR[ee];B[aa]N[here]
(;W[ed];B[ca]C[takes one];W[])
(;W[ac];B[ca](;W[ee])(;B[de]C[twice])))"""


def boards_of(view: ViewedGame) -> list[np.ndarray]:
    """The board at each step, points in a row."""
    boards: list[np.ndarray] = []
    for step in view.steps:
        board = boards[step.parent].copy() if step.parent >= 0 else np.zeros(view.num_rows * view.num_columns, np.int8)
        for point, stone in step.changes:
            board[point] = stone
        boards.append(board)
    return boards


def main_line(view: ViewedGame) -> list[int]:
    """Indices of the steps of the main line."""
    line = [0]
    while children := [index for index, step in enumerate(view.steps) if step.parent == line[-1]]:
        line.append(children[0])
    return line


@pytest.mark.parametrize("name", READABLE)
def test_every_quirk_can_be_viewed_and_ends_on_the_right_board(name: str) -> None:
    records = sgf.parse((FOLDER / "quirks" / name).read_bytes(), name)
    for record in records[:2]:
        view = view_record(record)
        viewer_html(view)
        board = HostBoard(record.shape)
        for event in record.events:
            if event[0] == "set":
                board.points[board.index(event[2])] = {"empty": EMPTY, "black": BLACK, "white": WHITE}[event[1]]
            elif event[0] == "play" and event[2] is not None:
                board.points[board.index(event[2])] = EMPTY
                board.play(board.index(event[2]), BLACK if event[1] == "black" else WHITE)
        line = main_line(view)
        assert line == list(range(len(line))), "the main line comes first"
        rows = [board.index((row, 0)) for row in range(record.shape.rows)]
        expected = [board.points[row : row + record.shape.columns] for row in rows]
        np.testing.assert_array_equal(boards_of(view)[line[-1]], np.ravel(expected))
        moves = [view.steps[index] for index in line if view.steps[index].player]
        assert len(moves) == len(record.moves) == view.steps[line[-1]].number
        assert view.warnings == record.warnings


def test_steps_have_their_moves_captures_texts_and_marks() -> None:
    view = view_record(sgf.parse(RECORD)[0])
    start, first, second, third = view.steps[:4]
    assert (start.comment, start.player, start.number, start.to_play) == ("start", EMPTY, 0, BLACK)
    assert (first.player, first.action, first.number, first.to_play) == (BLACK, 6, 1, WHITE)
    assert second.marks == {12: "triangle", 18: "triangle", 24: "circle", 0: "one", 6: "two:2"}
    assert third.name == "here"
    takes = next(step for step in view.steps if step.comment == "takes one")
    assert takes.changes == ((1, EMPTY), (2, BLACK))
    assert takes.taken == (1, 0)
    assert view.title == "Ko – Jo"
    assert dict(view.facts) == {"Black": "Ko", "White": "Jo", "Komi": "0.5", "Result": "W+R"}


def test_variations_start_from_the_board_that_they_branch_off() -> None:
    view = view_record(sgf.parse(RECORD)[0])
    branches = [index for index, step in enumerate(view.steps) if step.parent == 3]
    assert [view.steps[index].action for index in branches] == [19, 10]
    boards = boards_of(view)
    assert boards[branches[1]][19] == EMPTY
    twice = next(step for step in view.steps if step.comment == "twice")
    before = view.steps[twice.parent]
    assert (before.action, before.player, twice.player) == (2, BLACK, BLACK)
    # The first move there is White's, so White is to play.
    assert before.to_play == WHITE


def step_texts(text: str) -> list[tuple[int, int, int, str]]:
    """(Player, action, to play, comment) of each step."""
    return [(step.player, step.action, step.to_play, step.comment) for step in view_record(sgf.parse(text)[0]).steps]


def test_a_node_of_several_moves_becomes_several_steps_and_its_comment_belongs_to_the_last() -> None:
    assert step_texts("(;SZ[3];B[aa]W[bb]C[both])") == [
        (EMPTY, -1, BLACK, ""),
        (BLACK, 0, WHITE, ""),
        (WHITE, 4, BLACK, "both"),
    ]


def test_moves_in_the_root_come_behind_the_empty_board() -> None:
    assert step_texts("(;SZ[3]B[aa]C[first];W[])") == [
        (EMPTY, -1, BLACK, ""),
        (BLACK, 0, WHITE, "first"),
        (WHITE, 9, BLACK, ""),
    ]


def test_who_is_to_play_is_told_by_the_next_move_then_by_pl_then_by_handicap() -> None:
    assert step_texts("(;SZ[3]AB[aa][cc])")[0][2] == WHITE
    assert step_texts("(;SZ[3]AB[aa][cc]PL[B])")[0][2] == BLACK
    assert step_texts("(;SZ[3]AB[aa][cc]PL[W];B[ba])")[0][2] == BLACK
    assert step_texts("(;SZ[3];B[aa];PL[B]C[again])")[-1] == (EMPTY, -1, BLACK, "again")


def test_suicide_counts_for_the_opponent_and_a_move_on_a_stone_captures_nothing() -> None:
    suicide = view_record(sgf.parse("(;SZ[3];W[ab];B[cc];W[ba];B[aa])")[0]).steps[-1]
    assert (suicide.changes, suicide.taken) == ((), (0, 1))
    on_a_stone = view_record(sgf.parse("(;SZ[3];W[ab];B[ab])")[0]).steps[-1]
    assert (on_a_stone.changes, on_a_stone.taken) == (((3, BLACK),), (0, 0))


def test_territory_and_old_letters_are_marks() -> None:
    step = view_record(sgf.parse("(;FF[3]SZ[3]TB[aa:ba]TW[cc]L[ab][bb]M[ca])")[0]).steps[0]
    assert isinstance(step, GameStep)
    assert step.territory == {0: BLACK, 1: BLACK, 8: WHITE}
    assert step.marks == {3: "a", 4: "b", 2: "cross"}


def test_a_record_of_another_game_shows_its_comments() -> None:
    view = view_record(sgf.parse("(;GM[2]C[othello];B[d3]C[a move])")[0])
    assert [(step.player, step.comment) for step in view.steps] == [(EMPTY, "othello"), (EMPTY, "a move")]
