"""Tic-tac-toe from zero: the smallest run that shows the whole loop at work.

Command: `python -m experiments.train tictactoe`. Hardware: 2 CPU cores. Time: under 3 minutes.
Result to expect: never loses in 200 games against a random player, draws against perfect play. Its matches are
played without the search's noise, so against the untrained network few games are different.
"""

from research.evaluation.arena import MatchConfig
from research.networks import NetworkConfig
from research.search import SearchConfig
from research.selfplay.replay import ReplayConfig
from research.selfplay.rollout import SelfPlayConfig
from research.toys import TicTacToeRules
from research.training.config import EvaluationConfig, RunConfig
from research.training.optimizers import OptimizerConfig


def get_config() -> RunConfig:
    """The preset."""
    return RunConfig(
        name="tictactoe",
        game=TicTacToeRules(),
        encoder="tictactoe",
        network=NetworkConfig(num_blocks=2, num_channels=32, num_value_units=32),
        search=SearchConfig(num_simulations=32),
        self_play=SelfPlayConfig(num_games=128, rollout_length=16),
        replay=ReplayConfig(num_rollouts=8),
        optimizer=OptimizerConfig(learning_rate=2e-3, schedule="cosine"),
        evaluation=EvaluationConfig(match=MatchConfig(num_games=200), gumbel_scale=0.0),
        num_iterations=150,
        num_updates=16,
        batch_size=256,
        checkpoint_interval=50,
    )
