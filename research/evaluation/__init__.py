"""Evaluation: players, and matches between them on the device.

`players.py` says who chooses a move, `arena.py` plays batches of games and matches with the colours balanced,
`match.py` holds the results and their table, `intervals.py` how sure a rate is.
"""

from research.evaluation.arena import MatchConfig, make_match, make_play_games
from research.evaluation.intervals import wilson_interval
from research.evaluation.match import Games, MatchResult, Tally, result_table
from research.evaluation.players import Player, policy_player, random_player, search_player

__all__ = [
    "Games",
    "MatchConfig",
    "MatchResult",
    "Player",
    "Tally",
    "make_match",
    "make_play_games",
    "policy_player",
    "random_player",
    "result_table",
    "search_player",
    "wilson_interval",
]
