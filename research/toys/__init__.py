"""The smallest games behind the Game protocol, so that search and training can be tested in seconds."""

from research.toys.bandit import Bandit, BanditRules, BanditState
from research.toys.tictactoe import TicTacToe, TicTacToeRules, TicTacToeState

__all__ = ["Bandit", "BanditRules", "BanditState", "TicTacToe", "TicTacToeRules", "TicTacToeState"]
