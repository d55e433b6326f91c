"""Search: from a position and a network to a better policy, a value and a move.

`model.py` joins rules and network, `symmetries.py` asks the network from all sides. `search.py` is the way in: it makes
the root, grows a tree (`tree.py`) by a rule (`gumbel.py` with `halving.py`, or `puct.py`) in one of two loops
(`lanes.py`, ours; `reference.py`, mctx's) and says what came of it (`result.py`). `config.py` holds the settings,
`noise.py` all that is left to chance, `evaluation_cache.py` what the searches of one game have asked before. Everything
here speaks for the player to move.
"""

from research.search.config import SearchConfig, for_matches
from research.search.inspector import NodeView, TreeView, inspect
from research.search.model import Evaluate, Variables, make_evaluate, mask_illegal
from research.search.noise import split_for_games
from research.search.planner import MemoryPlan, plan_memory
from research.search.result import SearchResult
from research.search.reuse import RESTART, STAY, ReusingSearch, make_reusing_search
from research.search.search import Search, Searched, make_network_search, make_search, make_tree_search
from research.search.symmetries import WithKey, make_symmetric_evaluate
from research.search.tree import ChildStatistics, Tree, child_statistics

__all__ = [
    "RESTART",
    "STAY",
    "ChildStatistics",
    "Evaluate",
    "MemoryPlan",
    "NodeView",
    "ReusingSearch",
    "Search",
    "SearchConfig",
    "SearchResult",
    "Searched",
    "Tree",
    "TreeView",
    "Variables",
    "WithKey",
    "child_statistics",
    "for_matches",
    "inspect",
    "make_evaluate",
    "make_network_search",
    "make_reusing_search",
    "make_search",
    "make_symmetric_evaluate",
    "make_tree_search",
    "mask_illegal",
    "plan_memory",
    "split_for_games",
]
