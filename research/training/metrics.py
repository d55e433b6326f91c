"""Metrics of an iteration on the host: means, one readable line, and the alarms.

Names in metrics.jsonl carry their unit where they have one (`_nats`, `_plies`, `_s`, `_share` from 0 to 1).
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Array

from research.training.errors import TrainingError

# A run whose games are all shorter than this has collapsed: both sides pass at once.
COLLAPSE_PLIES = 4
# With more positions than this cut off, the value hardly sees openings.
CUT_OFF_SHARE = 0.5


def fetch(
    play: Mapping[str, Array], updates: Sequence[Mapping[str, Array]], gap: Mapping[str, Array]
) -> dict[str, float | int]:
    """One iteration's metrics as Python numbers; each update's are averaged. Waits for the device."""
    host_play, host_updates, host_gap = jax.device_get((play, updates, gap))
    metrics = {name: value.item() for name, value in host_play.items()}
    for name in host_updates[0]:
        metrics[name] = float(np.mean([update[name] for update in host_updates]))
    return metrics | {name: value.item() for name, value in host_gap.items()}


def check_finite(metrics: Mapping[str, Any], iteration: int) -> None:
    """Raise TrainingError if a loss is not a finite number."""
    broken = [name for name, value in metrics.items() if isinstance(value, float) and not math.isfinite(value)]
    if broken:
        raise TrainingError(
            f"iteration {iteration}: {', '.join(broken)} is not a finite number; nothing was saved since the last "
            "checkpoint. Lower optimizer.learning_rate or set optimizer.max_gradient_norm, and start again."
        )


def alarms(metrics: Mapping[str, Any]) -> list[str]:
    """What a person should be told about this iteration, in words."""
    if not metrics["games_finished"]:
        return ["no game ended in this rollout: the value learns nothing (raise self_play.rollout_length)"]
    if metrics["game_length_max_plies"] < COLLAPSE_PLIES:
        return [f"collapse: every game ended in under {COLLAPSE_PLIES} plies (both sides pass at once)"]
    if metrics["truncated_sample_share"] > CUT_OFF_SHARE:
        share = metrics["truncated_sample_share"]
        return [f"{share:.0%} of the positions were cut off and teach no value (raise self_play.rollout_length)"]
    return []


def summary_line(metrics: Mapping[str, Any], num_iterations: int) -> str:
    """One line for the console."""
    return (
        f"iteration {metrics['iteration']:>4}/{num_iterations}"
        f"  loss {metrics['loss']:.3f}"
        f"  policy {metrics['policy_loss_nats']:.3f} nats"
        f"  value {metrics['value_loss']:.3f}"
        f"  gap {metrics['mode_gap']:+.3f}"
        f"  games {metrics['games_finished']:>4}"
        f"  {metrics['game_length_plies']:5.1f} plies"
        f"  first player wins {metrics['first_player_win_share']:4.0%}, draws {metrics['draw_share']:4.0%}"
        f"  {metrics['iteration_s']:.1f} s"
    )
