"""The eight symmetries: against drawn boards, against KataGo's numbering, and against each other.

*Source:* tests/data/encoders/symmetries.json and katago_symmetries.json (see the README beside them).
"""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.go import symmetry

DATA = Path(__file__).parents[1] / "data" / "encoders"
DRAWN = json.loads((DATA / "symmetries.json").read_text())
KATAGO = json.loads((DATA / "katago_symmetries.json").read_text())
ALL = range(symmetry.NUM_SYMMETRIES)
SIZE = 5


def board_of(rows: list[str]) -> jnp.ndarray:
    """The int8 board of text rows."""
    return jnp.asarray([[".XO".index(mark) for mark in row] for row in rows], jnp.int8)


def test_boards_and_moves_turn_as_drawn() -> None:
    for case in DRAWN:
        index, size = case["index"], len(case["rows"])
        turned = symmetry.transform_planes(board_of(case["rows"]), index)
        np.testing.assert_array_equal(turned, board_of(case["transformed"]), err_msg=case["name"])
        move = symmetry.transform_move(jnp.int32(case["move"][0]), jnp.int32(case["move"][1]), index, size)
        assert [int(move[0]), int(move[1])] == case["move_transformed"]
        assert symmetry.INVERSE[index] == case["inverse_index"]


def test_a_quarter_turn_is_counter_clockwise_and_the_anti_transpose_mirrors_in_the_other_diagonal() -> None:
    board = jnp.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    for quarters in range(4):
        np.testing.assert_array_equal(symmetry.transform_planes(board, quarters), np.rot90(board, quarters))
    np.testing.assert_array_equal(symmetry.transform_planes(board, 7), np.rot90(board, 2).T)


def test_katago_numbers_map_to_ours() -> None:
    assert len(KATAGO) == 8
    for case in KATAGO:
        turned = symmetry.transform_planes(board_of(case["board"]), symmetry.FROM_KATAGO[case["symmetry"]])
        np.testing.assert_array_equal(turned, board_of(case["expected_board"]))


@pytest.mark.parametrize("first", ALL)
def test_composition_and_inverse_are_what_two_turns_give(first: int) -> None:
    board = jnp.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    once = symmetry.transform_planes(board, first)
    for second in ALL:
        twice = symmetry.transform_planes(once, second)
        composed = symmetry.transform_planes(board, symmetry.COMPOSITION[first][second])
        np.testing.assert_array_equal(twice, composed)
    assert symmetry.COMPOSITION[first][symmetry.INVERSE[first]] == 0
    assert int(symmetry.inverse(jnp.int32(first))) == symmetry.INVERSE[first]


@pytest.mark.parametrize("num_passes", [0, 1])
def test_policies_actions_and_moves_turn_together_and_the_pass_stays(num_passes: int) -> None:
    num_actions = SIZE * SIZE + num_passes
    for index in ALL:
        for action in range(num_actions):
            policy = jax.nn.one_hot(action, num_actions)
            turned_policy = symmetry.transform_policy(policy, index, SIZE)
            turned_action = int(symmetry.transform_action(jnp.int32(action), index, SIZE))
            assert int(turned_policy.argmax()) == turned_action
            if action == SIZE * SIZE:
                assert turned_action == action
            else:
                row, column = symmetry.transform_move(jnp.int32(action // SIZE), jnp.int32(action % SIZE), index, SIZE)
                assert int(row) * SIZE + int(column) == turned_action


def test_an_action_off_the_board_stays_as_it_is() -> None:
    for index in ALL:
        assert int(symmetry.transform_action(jnp.int32(-1), index, SIZE)) == -1


def test_channels_and_dtypes_survive() -> None:
    planes = jax.random.bernoulli(jax.random.key(0), 0.5, (SIZE, SIZE, 3))
    for index in ALL:
        turned = symmetry.transform_planes(planes, index)
        assert turned.dtype == planes.dtype
        for channel in range(3):
            expected = symmetry.transform_planes(planes[..., channel], index)
            np.testing.assert_array_equal(turned[..., channel], expected)


def test_each_game_of_a_batch_has_its_own_symmetry_without_a_gather() -> None:
    planes = jax.random.normal(jax.random.key(1), (symmetry.NUM_SYMMETRIES, SIZE, SIZE, 2))
    turn_batch = jax.vmap(symmetry.transform_planes)
    indices = jnp.arange(symmetry.NUM_SYMMETRIES)
    turned = jax.jit(turn_batch)(planes, indices)
    for index in ALL:
        np.testing.assert_array_equal(turned[index], symmetry.transform_planes(planes[index], index))
    assert "gather" not in str(jax.make_jaxpr(turn_batch)(planes, indices))
