"""Rollouts: the same games as when each is played alone, restarts that leave nothing behind, counts and hashes.

No network and no tree here: the search is a stub that plays a random legal action and writes what it did into the
policy, so that the test can play every game again in plain Python.
"""

from typing import NamedTuple

import jax
import numpy as np
import pytest

from research import encoders
from research.selfplay.packing import unpack
from research.selfplay.rollout import (
    HASH_INCREMENT,
    HASH_MULTIPLIER,
    RunningGames,
    SelfPlayConfig,
    Trajectory,
    make_rollout,
    rollout_keys,
    start_games,
)
from research.toys import TicTacToe
from tests.selfplay.random_search import make_random_search
from tests.toys import solver

GAME = TicTacToe()
CONFIG = SelfPlayConfig(num_games=6, rollout_length=14)
NUM_ROLLOUTS = 3


class Played(NamedTuple):
    """Several rollouts one after another."""

    trajectory: Trajectory  # all of them joined, [plies, games, ...]
    planes: np.ndarray  # its planes, unpacked
    games: RunningGames  # as the last one left them
    actions: np.ndarray  # [plies, games]


@pytest.fixture(scope="module")
def played() -> Played:
    """Three rollouts of tic-tac-toe, each going on where the one before stopped."""
    rollout = jax.jit(make_rollout(GAME, encoders.get("tictactoe"), make_random_search(GAME)))
    games = jax.jit(lambda: start_games(GAME, CONFIG.num_games))()
    parts = []
    for number in range(NUM_ROLLOUTS):
        games, trajectory = rollout({}, games, rollout_keys(jax.random.key(number), CONFIG))
        parts.append(trajectory)
    joined = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    example = jax.eval_shape(lambda: encoders.get("tictactoe").encode(GAME, GAME.init()))
    planes = jax.jit(jax.vmap(jax.vmap(lambda words: unpack(words, example))))(joined.planes)
    return Played(joined, np.asarray(planes), games, np.argmax(joined.policy, axis=-1))


def planes_of(position: str) -> np.ndarray:
    """What the tic-tac-toe encoder should draw of the solver's text."""
    own = solver.to_move(position)
    planes = [[mark == own, mark not in (own, "."), True] for mark in position]
    return np.array(planes).reshape(3, 3, 3)


def test_every_row_plays_what_its_games_played_alone_would(played: Played) -> None:
    num_finished = 0
    for row in range(CONFIG.num_games):
        position = solver.START
        for ply, action in enumerate(played.actions[:, row]):
            assert action in solver.moves(position), (row, ply, position)
            np.testing.assert_array_equal(played.planes[ply, row], planes_of(position))
            assert played.trajectory.to_play[ply, row] == "XO".index(solver.to_move(position))
            position = solver.play(position, int(action))
            is_over = solver.is_over(position)
            assert played.trajectory.is_over[ply, row] == is_over
            expected = {"X": 1, "O": -1, None: 0}[solver.winner(position)]
            assert played.trajectory.outcome[ply, row] == expected
            assert played.trajectory.num_plies[ply, row] == 9 - position.count(".")
            if is_over:
                position, num_finished = solver.START, num_finished + 1
    assert num_finished > 2 * CONFIG.num_games


def test_the_running_hash_is_that_of_the_games_actions_since_its_own_start(played: Played) -> None:
    for row in range(CONFIG.num_games):
        expected = 0
        for ply, action in enumerate(played.actions[:, row]):
            expected = (expected * HASH_MULTIPLIER + int(action) + HASH_INCREMENT) % 2**32
            assert played.trajectory.action_hash[ply, row] == expected
            if played.trajectory.is_over[ply, row]:
                expected = 0
        assert int(played.games.action_hash[row]) == expected


def test_the_hash_tells_apart_games_of_the_same_actions_in_another_order(played: Played) -> None:
    hashes: dict[tuple[int, ...], int] = {}
    for row in range(CONFIG.num_games):
        actions: tuple[int, ...] = ()
        for ply, action in enumerate(played.actions[:, row]):
            actions = (*actions, int(action))
            hashes.setdefault(actions, int(played.trajectory.action_hash[ply, row]))
            if played.trajectory.is_over[ply, row]:
                actions = ()
    assert len(set(hashes.values())) == len(hashes) > 100


def test_no_running_game_is_over_and_a_restarted_one_is_as_new(played: Played) -> None:
    assert not jax.vmap(GAME.is_over)(played.games.states).any()
    # Every game is played until it ends, so after each end the next ply starts from the empty board.
    ends = np.argwhere(played.trajectory.is_over[:-1])
    assert len(ends) > 0
    for ply, row in ends:
        assert played.trajectory.num_plies[ply + 1, row] == 1
        assert played.trajectory.to_play[ply + 1, row] == 0
        np.testing.assert_array_equal(played.planes[ply + 1, row], planes_of(solver.START))


def test_games_start_before_their_first_move() -> None:
    games = start_games(GAME, 3)
    assert games.num_plies.tolist() == games.action_hash.tolist() == [0, 0, 0]
    for row in range(3):
        state = jax.tree.map(lambda leaf, row=row: leaf[row], games.states)
        jax.tree.map(np.testing.assert_array_equal, state, GAME.init())


@pytest.mark.parametrize("field", ["num_games", "rollout_length"])
def test_an_empty_rollout_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=rf"self_play\.{field} is 0; it must be at least 1"):
        SelfPlayConfig(**{field: 0})
