"""A game is replayed from its actions alone, and shown whole: every move, every position, the result."""

import xml.etree.ElementTree as ElementTree

import jax
import numpy as np
import pytest
from jaxtyping import Array, Int8

from research.toys import TicTacToe
from research.toys.tictactoe import TicTacToeState
from research.visualise.games import MAX_BOARDS, GameRecord, game_svg, game_text, replay

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


def test_replay_gives_host_arrays(record: GameRecord) -> None:
    assert not any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(record))
