"""Go on 9x9 from zero with AlphaZero's small tower: for one GPU, or one TPU host.

Command: `python -m experiments.train go9`. Hardware: one data-centre GPU or a TPU v5e slice of 4 to 8 chips; it runs
on a CPU too, but takes days there. Time and result: not measured yet; docs/results.md says what is.
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
        name="go9",
        game=go.Rules(size=9, komi=7.0),
        encoder="agz17",
        network=NetworkConfig(num_blocks=6, num_channels=96, num_value_units=128, compute_dtype="bfloat16"),
        search=SearchConfig(num_simulations=64, max_depth=32),
        self_play=SelfPlayConfig(num_games=256, rollout_length=256),
        replay=ReplayConfig(num_rollouts=8),
        optimizer=OptimizerConfig(learning_rate=1e-3, num_warmup_updates=200),
        evaluation=EvaluationConfig(interval=50, match=MatchConfig(num_games=200, opening_plies=2)),
        num_iterations=1000,
        num_updates=64,
        batch_size=1024,
        checkpoint_interval=10,
    )
