"""Rollouts of Go: a restarted game sees nothing of the one before, neither its superko history nor its boards."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import encoders, go
from research.go import GoState
from research.selfplay.packing import unpack
from research.selfplay.rollout import SelfPlayConfig, make_rollout, rollout_keys, start_games
from tests.selfplay.random_search import make_random_search

GAME = go.Go(go.Rules(size=3, komi=0.5, ko="positional"))
ENCODER = encoders.get("agz17")
CONFIG = SelfPlayConfig(num_games=8, rollout_length=64)


class Ply(NamedTuple):
    """What a rollout tells of a ply."""

    planes: np.ndarray  # before the move
    legal: np.ndarray  # before the move
    is_over: np.ndarray  # after it
    outcome: np.ndarray  # after it
    num_plies: np.ndarray  # after it


class GameRecord(NamedTuple):
    """One game of a rollout."""

    actions: list[int]
    plies: Ply  # leading axis [plies]


@pytest.fixture(scope="module")
def games() -> list[GameRecord]:
    """The games of a rollout at random, each row cut at its ends; the last of a row may be cut off."""
    rollout = jax.jit(make_rollout(GAME, ENCODER, make_random_search(GAME)))
    start = jax.jit(lambda: start_games(GAME, CONFIG.num_games))()
    _, played = jax.device_get(rollout({}, start, rollout_keys(jax.random.key(0), CONFIG)))
    actions = played.policy.argmax(axis=-1)
    example = jax.eval_shape(lambda: ENCODER.encode(GAME, GAME.init()))
    planes = np.asarray(jax.jit(jax.vmap(jax.vmap(lambda words: unpack(words, example))))(played.planes))
    plies = Ply(planes, played.policy > 0, played.is_over, played.outcome, played.num_plies)
    records = []
    for row in range(CONFIG.num_games):
        first = 0
        for last in [*np.flatnonzero(played.is_over[:, row]), CONFIG.rollout_length - 1]:
            cut = slice(first, last + 1)
            if first <= last:
                records.append(GameRecord(actions[cut, row].tolist(), Ply(*[part[cut, row] for part in plies])))
            first = last + 1
    return records


@pytest.fixture(scope="module")
def played_alone(games: list[GameRecord]) -> Ply:
    """The same actions from `init`, one game at a time: [games, max_moves]."""

    def play(state: GoState, action: jax.Array) -> tuple[GoState, Ply]:
        after = GAME.step(state, action)
        told = Ply(
            ENCODER.encode(GAME, state),
            GAME.legal_actions(state),
            GAME.is_over(after),
            GAME.outcome(after),
            after.num_moves,
        )
        return after, told

    padded = [record.actions + [GAME.num_actions - 1] * (GAME.max_moves - len(record.actions)) for record in games]
    play_all = jax.jit(jax.vmap(lambda actions: jax.lax.scan(play, GAME.init(), actions)[1]))
    return jax.device_get(play_all(jnp.array(padded, jnp.int32)))


def test_every_game_of_a_row_is_the_game_played_alone_from_an_empty_board(
    games: list[GameRecord], played_alone: Ply
) -> None:
    assert len(games) > 5 * CONFIG.num_games
    for number, record in enumerate(games):
        num_plies = len(record.actions)
        for name, told, alone in zip(Ply._fields, record.plies, played_alone, strict=True):
            np.testing.assert_array_equal(told, alone[number, :num_plies], err_msg=f"game {number}, {name}")


def test_the_games_would_show_a_history_that_stays_behind(games: list[GameRecord]) -> None:
    """Superko bans moves in these games, and stones are taken, or the test above would prove little."""
    is_banned = []
    for record in games:
        own, opponent = record.plies.planes[..., 0], record.plies.planes[..., 1]
        is_empty = ~(own | opponent).reshape(len(record.actions), -1)
        is_banned.append((is_empty & ~record.plies.legal[:, :-1]).any(axis=1))
    assert sum(map(np.sum, is_banned)) > 10
    assert {float(record.plies.outcome[-1]) for record in games} >= {1.0, -1.0}
