"""A game is replayed from its actions alone, and shown whole: every move, every position, the result."""

import xml.etree.ElementTree as ElementTree

import jax
import numpy as np
import pytest
from jaxtyping import Array, Int8

from research.toys import TicTacToe
from research.toys.tictactoe import TicTacToeState
from research.visualise.games import MAX_BOARDS, GameRecord, game_svg, game_text, numbered_svg, replay

SPACE = "{http://www.w3.org/2000/svg}"

# X takes the middle and wins on the rising diagonal; -1 is what the arena writes after a game's end.
ACTIONS = np.array([4, 0, 2, 1, 6, -1, -1], np.int32)


def draw_board(state: TicTacToeState) -> Int8[Array, "rows columns"]:
    """The points of tic-tac-toe as a board."""
    return state.points.reshape(3, 3)


@pytest.fixture(scope="module")
def record() -> GameRecord:
    """The game above."""
    return replay(TicTacToe(), ACTIONS, draw_board)


def captions(picture: str) -> list[str | None]:
    """What stands under the boards."""
    texts = ElementTree.fromstring(picture).iter(SPACE + "text")
    return [text.text for text in texts if text.get("class") == "caption"]


def test_replay_stops_at_the_end_and_keeps_every_board(record: GameRecord) -> None:
    assert record.boards.shape == (6, 3, 3)
    assert [(board != 0).sum() for board in record.boards] == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(record.boards[-1], [[2, 2, 1], [0, 1, 0], [1, 0, 0]])
    np.testing.assert_array_equal(record.players, [0, 1, 0, 1, 0])
    assert (record.outcome, record.is_over) == (1.0, True)


def test_the_text_gives_result_moves_and_last_position(record: GameRecord) -> None:
    assert game_text(record) == (
        "3x3, 5 moves: Black wins by 1\n"
        "\n"
        "  1 B B2      2 W A3      3 B C3      4 W B3      5 B A1\n"
        "\n"
        "   A B C\n"
        " 3 O O X 3\n"
        " 2 . X . 2\n"
        " 1(X). . 1\n"
        "   A B C\n"
    )


def test_a_game_broken_off_and_a_draw_are_told_apart(record: GameRecord) -> None:
    broken_off = replay(TicTacToe(), ACTIONS[:3], draw_board)
    assert "3 moves: not played to the end" in game_text(broken_off)
    assert "a draw" in game_text(record._replace(outcome=0.0))


def test_the_picture_shows_each_position_with_its_move(record: GameRecord) -> None:
    picture = game_svg(record)
    assert captions(picture) == ["1. Black B2", "2. White A3", "3. Black C3", "4. White B3", "5. Black A1"]
    stones = [stone.get("class") for stone in ElementTree.fromstring(picture).iter(SPACE + "circle")]
    assert stones.count("black") == 1 + 1 + 2 + 2 + 3
    assert stones.count("white") == 0 + 1 + 1 + 2 + 2
    assert stones.count("last-move") == 5


def test_a_pass_is_named_and_leaves_no_ring(record: GameRecord) -> None:
    passed = record._replace(actions=np.append(record.actions[:4], 9).astype(np.int32))
    assert captions(game_svg(passed))[-1] == "5. Black pass"
    assert "5 B pass" in game_text(passed)
    rings = [ring for ring in ElementTree.fromstring(game_svg(passed)).iter(SPACE + "circle")]
    assert [ring.get("class") for ring in rings].count("last-move") == 4


def test_a_long_game_is_shown_in_steps_up_to_its_last_move(record: GameRecord) -> None:
    num_moves = 3 * MAX_BOARDS + 1
    long = record._replace(
        boards=np.zeros((num_moves + 1, 3, 3), np.int8),
        actions=np.zeros(num_moves, np.int32),
        players=np.zeros(num_moves, np.int32),
    )
    shown = captions(game_svg(long))
    assert len(shown) == MAX_BOARDS
    assert shown[-1] == f"{num_moves}. Black A3"


def marks_of(picture: str) -> dict[tuple[float, float], str | None]:
    """(x, y) of each number on the board -> the number."""
    texts = ElementTree.fromstring(picture).iter(SPACE + "text")
    return {
        (float(text.get("x", 0)), float(text.get("y", 0))): text.text for text in texts if text.get("class") == "mark"
    }


def test_a_whole_game_is_numbered_on_one_board(record: GameRecord) -> None:
    picture = numbered_svg(record)
    assert sorted(text or "" for text in marks_of(picture).values()) == ["1", "2", "3", "4", "5"]
    stones = [stone.get("class") for stone in ElementTree.fromstring(picture).iter(SPACE + "circle")]
    assert (stones.count("black"), stones.count("white"), captions(picture)) == (3, 2, [])


def test_a_part_of_a_game_has_its_own_numbers_on_the_stones_before_it(record: GameRecord) -> None:
    picture = numbered_svg(record, first=4, title="The end")
    assert sorted(text or "" for text in marks_of(picture).values()) == ["4", "5"]
    stones = [stone.get("class") for stone in ElementTree.fromstring(picture).iter(SPACE + "circle")]
    assert (stones.count("black"), stones.count("white")) == (3, 2)
    assert "<title>The end</title>" in picture


def test_a_captured_stone_stays_and_a_move_on_its_point_and_a_pass_are_told_below(record: GameRecord) -> None:
    # As if the stone in the middle had been taken by move 3 and the last two moves were there and a pass.
    actions = np.array([4, 0, 2, 4, 9], np.int32)
    boards = record.boards.copy()
    boards[3:, 1, 1] = 0
    picture = numbered_svg(record._replace(actions=actions, boards=boards))
    assert sorted(text or "" for text in marks_of(picture).values()) == ["1", "2", "3"]
    assert captions(picture) == ["4 at B2, 5 pass"]


@pytest.mark.parametrize(("first", "last"), [(0, 2), (3, 1), (1, 6)])
def test_moves_that_the_game_does_not_have_are_refused(record: GameRecord, first: int, last: int) -> None:
    with pytest.raises(ValueError, match=f"moves {first} to {last} were asked for; the game has moves 1 to 5"):
        numbered_svg(record, first, last)


def test_replay_gives_host_arrays(record: GameRecord) -> None:
    assert not any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(record))
