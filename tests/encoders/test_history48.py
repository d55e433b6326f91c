"""`history48`: the golden games, threats and liberties by playing every move, the past, and where ladders go.

*Source:* tests/data/encoders (see the README there); tests/referee.py and tests/encoder_reference.py for the rest.
"""

from itertools import pairwise

import jax
import numpy as np
import pytest
from encoder_batches import encode_many, states_of, wrong_golden_planes
from encoder_reference import chain_liberties, results_of, with_player
from random_positions import random_positions, stones_of
from referee import BLACK, Referee, new_game, other

from research import encoders, go

NAMES = encoders.get("history48").plane_names
LADDERS = range(35, 43)
PLAIN = go.Go(go.Rules(size=7, ko="simple", max_moves=200))


def counted(numbers: list[int], most: int, size: int) -> np.ndarray:
    """One plane for each number from 1 to `most`."""
    return np.stack([np.reshape(numbers, (size, size)) == number for number in range(1, most + 1)], axis=-1)


def expected_now(game: Referee) -> dict[int, np.ndarray]:
    """Planes 0-2, 19-34 and 43 from the definitions, by number of the first."""
    size, stones = game.rows, stones_of(game.board, game.columns)
    own = stones == (1 if game.to_play == BLACK else 2)
    liberties = np.reshape(chain_liberties(game), (size, size))
    turned = with_player(game, other(game.to_play))
    return {
        0: np.stack([stones == 1, stones == 2, stones == 0], axis=-1),
        19: counted(np.where(own, liberties, 0).tolist(), 4, size),
        23: counted(np.where(own, 0, liberties).tolist(), 4, size),
        27: counted([result.enemy_in_atari for result in results_of(game)], 4, size),
        31: counted([result.enemy_in_atari for result in results_of(turned)], 4, size),
        43: np.reshape(game.legal_actions()[:-1], (size, size, 1)),
    }


def compare_random_positions(game: go.Go, suicide: bool) -> None:
    """All planes that need no past, at random moments."""
    found = random_positions(7, num_games=8, num_plies=60, suicide=suicide, seed=2)[::4]
    moments = [with_player(moment, moment.to_play) for moment in found]
    planes = encode_many("history48", game, states_of(game, moments), ladders=False)
    for moment, drawn in zip(moments, planes, strict=True):
        for first, expected in expected_now(moment).items():
            part = drawn[..., first : first + expected.shape[-1]]
            np.testing.assert_array_equal(part, expected, err_msg=f"{NAMES[first]}\n{moment.diagram()}")
    assert all(planes[..., plane].any() for plane in [*range(19, 35)])


def test_golden_games_but_for_their_ladders() -> None:
    assert not wrong_golden_planes("history48", sizes=(7,), skipped=LADDERS, ladders=False)


@pytest.mark.slow
def test_golden_games() -> None:
    assert not wrong_golden_planes("history48", sizes=(5, 7, 9, 19))


def test_liberties_and_threats_are_those_that_playing_shows() -> None:
    compare_random_positions(PLAIN, suicide=False)


@pytest.mark.slow
def test_a_suicide_that_the_rules_allow_changes_what_is_left_in_atari() -> None:
    compare_random_positions(go.Go(go.Rules(size=7, ko="simple", suicide=True)), suicide=True)


def test_the_boards_of_one_to_eight_plies_ago_are_shown_in_colours() -> None:
    actions = np.random.default_rng(3).integers(0, 49, 250)
    actions[9::10] = 49
    step, game = jax.jit(PLAIN.step), new_game(7, ko="simple", max_moves=200)
    state, states, boards = PLAIN.init(), [], [game.board]
    for action in actions.tolist():
        # Two passes in a row would end the game.
        if game.is_legal(action) and not (action == 49 and game.num_passes):
            state, game = step(state, action), game.step(action)
            states.append(jax.tree.map(np.asarray, state))
            boards.append(game.board)
    planes = encode_many("history48", PLAIN, states, ladders=False)
    for number, drawn in enumerate(planes, start=1):
        for plies_ago in range(1, 9):
            is_old_enough = number >= plies_ago
            stones = stones_of(boards[number - plies_ago], 7) if is_old_enough else np.zeros((7, 7))
            for colour in (1, 2):
                shown = drawn[..., 2 + 8 * (colour - 1) + plies_ago]
                np.testing.assert_array_equal(shown, stones == colour, err_msg=f"{plies_ago} before move {number}")
    vanished = [sum(a != "." == b for a, b in zip(*pair, strict=True)) for pair in pairwise(boards)]
    assert sum(vanished[:-8]) > 5  # stones were captured, and shown until eight plies later


def test_points_are_told_by_their_distance_to_the_edge() -> None:
    planes = encode_many("history48", PLAIN, [jax.tree.map(np.asarray, PLAIN.init())], ladders=False)[0]
    drawing = ["".join(str(np.flatnonzero(point)[0]) for point in row) for row in planes[..., 44:48]]
    assert drawing == ["0000000", "0111110", "0122210", "0123210", "0122210", "0111110", "0000000"]
    assert (planes[..., 44:48].sum(-1) == 1).all()
