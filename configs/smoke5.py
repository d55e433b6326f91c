"""Go on 5x5 from zero: the default of `make train`, a run that visibly learns in minutes.

Command: `make train`, or `python -m experiments.train smoke5`. Hardware: 2 CPU cores. Time: under 10 minutes.
Result to expect: with 16 simulations a move it wins at least 95 % of 200 games against a random player and at least
80 % against its own untrained network with the same search.
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
        name="smoke5",
        game=go.Rules(size=5, komi=6.5),
        encoder="agz17",
        network=NetworkConfig(num_blocks=3, num_channels=32, num_value_units=64),
        search=SearchConfig(num_simulations=16),
        self_play=SelfPlayConfig(num_games=64, rollout_length=64),
        replay=ReplayConfig(num_rollouts=8),
        optimizer=OptimizerConfig(learning_rate=2e-3),
        evaluation=EvaluationConfig(interval=5, match=MatchConfig(num_games=200)),
        num_iterations=40,
        num_updates=32,
        batch_size=256,
        checkpoint_interval=10,
    )
