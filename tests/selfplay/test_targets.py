"""Targets: whose result trains which ply, with which sign, and what a cut-off game weighs.

Rollouts are written by hand as one line a game: `.` is a ply, and the ply that ends a game is `+` (player 0 won),
`-` (player 1 won) or `=` (a draw).
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.selfplay.rollout import Trajectory
from research.selfplay.targets import Samples, make_samples, rollout_metrics

OUTCOMES = {"+": 1.0, "-": -1.0, "=": 0.0, ".": 0.0}
NUM_ACTIONS = 4
MAX_MOVES = 9


def trajectory_of(*games: str, plies_before: int = 0) -> Trajectory:
    """The rollout that the lines draw; each row's first game has had `plies_before` plies in earlier rollouts."""
    marks = np.array([list(game) for game in games]).T
    num_plies = np.zeros(marks.shape, np.int32)
    played = np.full(len(games), plies_before, np.int32)
    for ply, ended in enumerate(marks != "."):
        played = played + 1
        num_plies[ply] = played
        played = np.where(ended, 0, played)
    return Trajectory(
        planes=jnp.zeros((*marks.shape, 1), jnp.uint32),
        policy=jnp.full((*marks.shape, NUM_ACTIONS), 1 / NUM_ACTIONS, jnp.float32),
        to_play=jnp.asarray((num_plies - 1) % 2, jnp.int32),
        is_over=jnp.asarray(marks != "."),
        outcome=jnp.asarray(np.vectorize(OUTCOMES.get)(marks), jnp.float32),
        num_plies=jnp.asarray(num_plies),
        action_hash=jnp.asarray(num_plies * 1000 + np.arange(len(games)), jnp.uint32),
    )


@jax.jit
def learn_from(trajectory: Trajectory) -> tuple[Samples, dict[str, jax.Array]]:
    """(samples, metrics), compiled once a shape."""
    samples = make_samples(trajectory)
    return samples, rollout_metrics(trajectory, samples, MAX_MOVES)


def targets_of(*games: str, plies_before: int = 0) -> list[tuple[list[float], list[float]]]:
    """(values, weights) of each row, ply by ply."""
    samples, _ = learn_from(trajectory_of(*games, plies_before=plies_before))
    values, weights = np.asarray(samples.value).T, np.asarray(samples.value_weight).T
    return [(row.tolist(), weight.tolist()) for row, weight in zip(values, weights, strict=True)]


@pytest.mark.parametrize(
    ("game", "values", "weights"),
    [
        ("...+", [1, -1, 1, -1], [1, 1, 1, 1]),  # won by the player who moved first
        ("...-", [-1, 1, -1, 1], [1, 1, 1, 1]),
        ("...=", [0, 0, 0, 0], [1, 1, 1, 1]),  # a draw is a result, not a missing one
        ("....", [0, 0, 0, 0], [0, 0, 0, 0]),  # cut off
        ("+-=.", [1, -1, 0, 0], [1, 1, 1, 0]),  # games of one ply, then one cut off
        (".+.-.", [1, -1, -1, 1, 0], [1, 1, 1, 1, 0]),  # two games in one row, and the start of a third
    ],
)
def test_each_ply_learns_the_result_of_its_own_game_for_the_player_who_moved(
    game: str, values: list[float], weights: list[float]
) -> None:
    assert targets_of(game) == [(values, weights)]


def test_a_game_begun_in_an_earlier_rollout_keeps_its_sides_and_teaches_only_this_rollouts_plies() -> None:
    # Three plies were played before: player 1 is to move.
    assert targets_of(".+.", plies_before=3) == [([-1, 1, 0], [1, 1, 0])]


def test_rows_do_not_mix() -> None:
    rows = ("...+", "....", "-..=", ".+..")
    assert targets_of(*rows) == [targets_of(row)[0] for row in rows]


def test_planes_and_policy_go_through_unchanged_and_values_are_float32() -> None:
    trajectory = trajectory_of(".+", "..")
    trajectory = trajectory._replace(
        planes=jax.random.bits(jax.random.key(0), trajectory.planes.shape),
        policy=jax.nn.softmax(jax.random.normal(jax.random.key(1), trajectory.policy.shape)),
    )
    samples, _ = learn_from(trajectory)
    np.testing.assert_array_equal(samples.planes, trajectory.planes)
    np.testing.assert_array_equal(samples.policy, trajectory.policy)
    assert (samples.value.dtype, samples.value_weight.dtype) == (jnp.float32, jnp.float32)


def metrics_of(trajectory: Trajectory) -> dict[str, float]:
    """The rollout's metrics as numbers."""
    return {name: value.item() for name, value in learn_from(trajectory)[1].items()}


def test_a_rollouts_metrics_count_games_lengths_results_and_shares() -> None:
    metrics = metrics_of(trajectory_of("...+", ".-=.", "...."))
    assert metrics["games_finished"] == 3
    assert metrics["game_length_plies"] == pytest.approx((4 + 2 + 1) / 3)
    assert metrics["game_length_max_plies"] == 4
    assert metrics["first_player_win_share"] == pytest.approx(1 / 3)
    assert metrics["draw_share"] == pytest.approx(1 / 3)
    assert metrics["move_limit_share"] == 0
    assert metrics["finished_sample_share"] == pytest.approx(7 / 12)
    assert metrics["truncated_sample_share"] == pytest.approx(5 / 12)
    assert metrics["search_entropy_nats"] == pytest.approx(np.log(NUM_ACTIONS))
    assert metrics["game_hash"] == 4000 + 2001 + 1001


def test_a_game_length_counts_the_plies_of_earlier_rollouts_and_may_be_the_move_limit() -> None:
    metrics = metrics_of(trajectory_of(".+..", "+...", plies_before=MAX_MOVES - 2))
    assert metrics["game_length_plies"] == pytest.approx((MAX_MOVES + MAX_MOVES - 1) / 2)
    assert metrics["move_limit_share"] == 0.5


def test_a_rollout_in_which_no_game_ends_has_shares_of_zero_not_nan() -> None:
    metrics = metrics_of(trajectory_of("....", "...."))
    assert metrics["games_finished"] == metrics["game_length_plies"] == metrics["game_hash"] == 0
    assert metrics["first_player_win_share"] == metrics["draw_share"] == metrics["finished_sample_share"] == 0
    assert metrics["truncated_sample_share"] == 1


def test_an_illegal_actions_zero_probability_adds_nothing_to_the_entropy() -> None:
    trajectory = trajectory_of("..+")
    policy = jnp.broadcast_to(jnp.array([0.5, 0.5, 0.0, 0.0], jnp.float32), trajectory.policy.shape)
    assert metrics_of(trajectory._replace(policy=policy))["search_entropy_nats"] == pytest.approx(np.log(2))


def test_the_game_hash_does_not_depend_on_the_order_of_rows_but_does_on_each_game() -> None:
    trajectory = trajectory_of("...+", ".-=.", "....", "..-+")
    shuffled = jax.tree.map(lambda leaf: leaf[:, jnp.array([2, 0, 3, 1])], trajectory)
    hashes = [metrics_of(trajectory)["game_hash"], metrics_of(shuffled)["game_hash"]]
    assert hashes[0] == hashes[1]
    for ply, row in ((3, 0), (1, 1), (2, 3)):
        changed = trajectory._replace(action_hash=trajectory.action_hash.at[ply, row].add(1))
        assert metrics_of(changed)["game_hash"] != hashes[0]
