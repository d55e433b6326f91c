"""Search: from a position and a network to a better policy, a value and a move.

`model.py` joins rules and network, `symmetries.py` asks the network from all sides, `gumbel.py` searches with them,
`result.py` is what comes back. Everything here speaks for the player to move.
"""

from research.search.gumbel import Search, SearchConfig, make_search, make_tree_search, split_for_games
from research.search.model import Evaluate, Variables, make_evaluate, mask_illegal
from research.search.result import SearchResult
from research.search.symmetries import WithKey, make_symmetric_evaluate

__all__ = [
    "Evaluate",
    "Search",
    "SearchConfig",
    "SearchResult",
    "Variables",
    "WithKey",
    "make_evaluate",
    "make_search",
    "make_symmetric_evaluate",
    "make_tree_search",
    "mask_illegal",
    "split_for_games",
]
