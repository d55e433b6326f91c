"""Go on 19x19 from zero with a tower of 10 blocks of 128 channels: for a TPU slice.

Command: `python -m experiments.train go19_tpu`. Hardware: a TPU v5e slice of 8 chips or more; games and batch split
evenly over 1 to 256 devices. Time and result: not measured yet; docs/results.md says what is.
"""

from research import go
from research.evaluation.arena import MatchConfig
from research.networks import NetworkConfig
from research.search import SearchConfig
from research.selfplay.replay import ReplayConfig
from research.selfplay.rollout import SelfPlayConfig
from research.training.config import EvaluationConfig, RunConfig
from research.training.optimizers import OptimizerConfig


def get_config() -> RunConfig:
    """The preset."""
    return RunConfig(
        name="go19_tpu",
        game=go.Rules(size=19, komi=7.5),
        encoder="agz17",
        network=NetworkConfig(num_blocks=10, num_channels=128, num_value_units=256, compute_dtype="bfloat16"),
        search=SearchConfig(num_simulations=64, max_depth=32),
        self_play=SelfPlayConfig(num_games=512, rollout_length=512),
        replay=ReplayConfig(num_rollouts=4),
        optimizer=OptimizerConfig(learning_rate=1e-3, num_warmup_updates=1000, schedule="cosine"),
        evaluation=EvaluationConfig(interval=100, match=MatchConfig(num_games=256, opening_plies=4)),
        num_iterations=3000,
        num_updates=128,
        batch_size=2048,
        checkpoint_interval=20,
    )
