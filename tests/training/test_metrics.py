"""What a run says of itself: means over updates, numbers that are none, and the alarms."""

import jax.numpy as jnp
import pytest

from research.training.errors import TrainingError
from research.training.metrics import alarms, check_finite, fetch, summary_line

PLAYED = {"games_finished": jnp.int32(3), "game_length_plies": jnp.float32(7.5)}
UPDATES = [{"loss": jnp.float32(value)} for value in (1.0, 2.0, 6.0)]
GAP = {"mode_gap": jnp.float32(0.25)}

HEALTHY = {
    "iteration": 12,
    "loss": 1.25,
    "policy_loss_nats": 1.0,
    "value_loss": 0.25,
    "mode_gap": -0.125,
    "games_finished": 30,
    "game_length_plies": 31.5,
    "game_length_max_plies": 40,
    "first_player_win_share": 0.5,
    "draw_share": 0.25,
    "truncated_sample_share": 0.5,
    "iteration_s": 2.5,
}


def test_updates_are_averaged_and_everything_becomes_a_python_number() -> None:
    metrics = fetch(PLAYED, UPDATES, GAP)
    assert metrics == {"games_finished": 3, "game_length_plies": 7.5, "loss": 3.0, "mode_gap": 0.25}
    assert {name for name, value in metrics.items() if type(value) is not float} == {"games_finished"}
    assert type(metrics["games_finished"]) is int


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_not_finite_stops_the_run_and_is_named(value: float) -> None:
    check_finite(HEALTHY, 12)
    with pytest.raises(
        TrainingError, match=r"^iteration 12: value_loss is not a finite number; .*learning_rate"
    ) as error:
        check_finite(HEALTHY | {"value_loss": value}, 12)
    assert "\n" not in str(error.value)


def test_one_broken_update_among_many_is_seen() -> None:
    with pytest.raises(TrainingError, match="loss"):
        check_finite(fetch(PLAYED, [*UPDATES, {"loss": jnp.float32("nan")}], GAP), 1)


def test_a_healthy_iteration_raises_no_alarm() -> None:
    assert alarms(HEALTHY) == []
    assert alarms(HEALTHY | {"game_length_max_plies": 4, "game_length_plies": 4.0}) == []


def test_games_that_all_end_in_under_four_plies_are_a_collapse() -> None:
    (alarm,) = alarms(HEALTHY | {"game_length_max_plies": 3, "game_length_plies": 2.1})
    assert alarm.startswith("collapse: every game ended in under 4 plies")


def test_one_longer_game_among_short_ones_is_no_collapse() -> None:
    assert alarms(HEALTHY | {"game_length_max_plies": 20, "game_length_plies": 2.1}) == []


def test_a_rollout_that_cuts_most_positions_off_is_said() -> None:
    (alarm,) = alarms(HEALTHY | {"truncated_sample_share": 0.625})
    assert alarm.startswith("62% of the positions were cut off and teach no value (raise self_play.rollout_length")


def test_a_rollout_in_which_no_game_ends_is_said_and_is_no_collapse() -> None:
    (alarm,) = alarms(HEALTHY | {"games_finished": 0, "game_length_max_plies": 0, "game_length_plies": 0.0})
    assert alarm.startswith("no game ended in this rollout")


def test_the_summary_is_one_line_with_the_numbers() -> None:
    line = summary_line(HEALTHY, 80)
    assert "\n" not in line
    for part in (
        "12/80",
        "loss 1.250",
        "policy 1.000 nats",
        "value 0.250",
        "gap -0.125",
        "31.5 plies",
        "50%",
        "25%",
        "2.5 s",
    ):
        assert part in line
