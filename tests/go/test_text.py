"""Diagrams are read exactly or refused with the place that is wrong, and positions are drawn as players know them."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.go.text import stones_from_text, to_text

RULES = go.Rules(size=5, komi=0.5)

DIAGRAM = """
    . X O . .
    X O . O .
    . X O . .
    . X . . .
    . . . . .
"""


def test_a_diagram_becomes_the_stones_that_it_shows():
    state = go.from_text(RULES, DIAGRAM, to_play="white")
    expected = [[0, 1, 2, 0, 0], [1, 2, 0, 2, 0], [0, 1, 2, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert np.array_equal(go.board(state), expected)
    assert go.board(state).dtype == jnp.int8
    assert go.Go(RULES).to_play(state) == 1


@pytest.mark.parametrize("size", [2, 5, 19])
def test_what_to_text_draws_is_read_back(size):
    stones = np.zeros((size, size), np.int8)
    stones[0, 1], stones[1, 0] = 1, 2
    for last_move in (None, (0, 1), (size - 1, size - 1)):
        assert np.array_equal(stones_from_text(to_text(stones, last_move), size), stones)


def test_coordinates_on_one_side_only_are_refused():
    drawn = to_text(np.zeros((5, 5), np.int8))
    with pytest.raises(ValueError, match="wanted are 5 rows of 5 points"):
        stones_from_text(drawn[: drawn.rindex("\n")], 5)


def test_a_set_up_position_has_no_past_but_itself():
    state = go.from_text(RULES, DIAGRAM)
    assert state.num_moves == 0
    assert (state.recent_moves == -1).all()
    assert (state.recent_boards[1:] == 0).all()
    assert state.history_length == 1
    assert np.array_equal(state.history[:, 0], state.hashes)


def test_a_set_up_position_takes_the_komi_of_its_rules_or_its_own():
    assert go.from_text(RULES, DIAGRAM).komi == 0.5
    assert go.from_text(RULES, DIAGRAM, komi=-3).komi == -3
    with pytest.raises(ValueError, match=r"komi=0\.25"):
        go.from_text(RULES, DIAGRAM, komi=0.25)


def test_a_ko_point_given_with_a_diagram_is_banned_until_the_next_move():
    game = go.Go(RULES)
    legal = jax.jit(game.legal_actions)
    assert legal(go.from_text(RULES, DIAGRAM))[7]
    banned = go.from_text(RULES, DIAGRAM, ko=(1, 2))
    assert not legal(banned)[7]
    assert legal(go.with_to_play(banned, "white"))[7]


def test_a_wrong_shape_is_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"5 rows of 5 points, got 4 rows of 5, 5, 5, 5"):
        go.from_text(RULES, ".....\n" * 4)
    with pytest.raises(ValueError, match=r"got 5 rows of 5, 4, 5, 5, 5"):
        go.from_text(RULES, ".....\n....\n.....\n.....\n.....")
    with pytest.raises(ValueError, match=r"got 0 rows of nothing"):
        go.from_text(RULES, "")


def test_an_unknown_character_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"row 1, column 3: 'Q' is unknown"):
        go.from_text(RULES, ".....\n...Q.\n.....\n.....\n.....")


def test_a_chain_without_liberties_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"chain at E5 \(row 0, column 4\) has no liberty"):
        go.from_text(RULES, "...OX\n....O\n.....\n.....\n.....")


def test_a_ko_point_must_be_empty_and_on_the_board():
    with pytest.raises(ValueError, match="a stone stands there"):
        go.from_text(RULES, DIAGRAM, ko=(0, 1))
    with pytest.raises(ValueError, match="off the board"):
        go.from_text(RULES, DIAGRAM, ko=(5, 0))


def test_an_unknown_player_is_refused():
    with pytest.raises(ValueError, match="'green'"):
        go.from_text(RULES, DIAGRAM, to_play="green")
    with pytest.raises(ValueError, match="player 2: allowed is 0 or"):
        go.from_text(RULES, DIAGRAM, to_play=2)


def test_rules_that_the_device_cannot_play_are_refused():
    with pytest.raises(ValueError, match="use scoring='area'"):
        go.from_text(dataclasses.replace(RULES, scoring="territory"), DIAGRAM)


def test_a_rectangle_is_refused_with_a_word_on_who_takes_it():
    with pytest.raises(
        ValueError, match=r"wanted are 5 rows .*, got 2 rows of 3, 3 \(.*host_scoring scores rectangles"
    ):
        go.from_text(RULES, "...\n...")


def test_a_drawing_has_coordinates_and_brackets_around_the_last_move():
    stones = go.board(go.from_text(RULES, DIAGRAM))
    drawing = """\
   A B C D E
 5 . X(O). . 5
 4 X O . O . 4
 3 . X O . . 3
 2 . X . . . 2
 1 . . . . . 1
   A B C D E"""
    assert go.to_text(stones, last_move=(0, 2)) == drawing
    assert go.to_text(stones) == drawing.replace("(O)", " O ")


def test_a_drawn_state_shows_its_own_last_move_at_either_edge():
    game = go.Go(RULES)
    step = jax.jit(game.step)
    state = go.from_text(RULES, DIAGRAM)
    assert "(" not in go.to_text(state)
    assert " 1(X). . . . 1" in go.to_text(step(state, 20))
    assert " 1 . . . .(X)1" in go.to_text(step(state, 24))
    assert "(" not in go.to_text(step(state, 25))


def test_large_boards_are_drawn_with_two_figure_row_numbers_and_no_column_i():
    lines = go.to_text(np.zeros((19, 19), np.int8)).splitlines()
    assert lines[0] == "   A B C D E F G H J K L M N O P Q R S T"
    assert lines[1].startswith("19 . ")
    assert lines[10].startswith("10 . ")
    assert lines[19].endswith(" 1")
