"""The searches of one game by one network, behind GTP and analysis: what is compiled, and what is kept between them.

Two things are kept. The tree, where the search is PUCT in our loop: the next search of the position goes on with it,
and so does one of a position that the tree has come to by moves (research/search/reuse.py). And evaluations, for every
search: a table of the positions that the network was asked about (research/search/evaluation_cache.py).

A tree is data that goes in and out, so several may be under way; the table is this object's own.

*Source:* own design.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float32, Float64, Int32

from research.go import Go
from research.go.state import GoState
from research.search import (
    STAY,
    Evaluate,
    SearchConfig,
    Searched,
    SearchResult,
    Tree,
    Variables,
    make_reusing_search,
    make_search,
    make_tree_search,
)
from research.search.evaluation_cache import NUM_SLOTS, WithTable, empty_table, make_cached_evaluate, remember
from research.search.influence import make_ownership_maps
from research.search.playouts import make_playout_maps
from research.search.tree import NONE, ROOT

NUM_PLAYOUTS = 8  # of each node, for the influence that a network without ownership sees
MAPS_TOGETHER = 16  # nodes whose influence maps are made in one batch
_PAST = ("history", "history_length")  # of a state: what a root's node has not


@dataclass(frozen=True)
class MemoryConfig:
    """What is kept from one search of a game to the next.

    *Raises:* ValueError if a field is out of its range.
    """

    num_kept: int = 1024  # nodes of a tree that a search by puct goes on with; 0: each begins anew
    num_cached: int = NUM_SLOTS  # evaluations that are remembered; 0: none

    def __post_init__(self) -> None:
        """Checks each field."""
        for name in ("num_kept", "num_cached"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: 0 or more")


class GameSearch:
    """Searches of positions by the same rules, batches of one."""

    def __init__(self, game: Go, evaluate: Evaluate, variables: Variables, config: SearchConfig, memory: MemoryConfig):
        """Nothing is compiled yet."""
        self.keeps_trees = keeps_trees(config, memory)
        self.num_asked = self.num_known = 0  # nodes that searches made, and those that the table knew
        self._game, self._variables, self._num_actions = game, variables, game.num_actions
        self._num_cached = memory.num_cached
        self._table = empty_table(game.num_actions, memory.num_cached) if memory.num_cached else None
        self._look = jax.jit(make_search(game, evaluate, SearchConfig(num_simulations=0)))
        self._maps = jax.jit(make_maps(game, evaluate))
        if memory.num_cached:
            evaluate = make_cached_evaluate(game, evaluate)
        if self.keeps_trees:
            reusing = make_reusing_search(game, evaluate, config, memory.num_kept)
            self._no_trees, search, self._advance = jax.jit(reusing.no_trees), reusing.search, jax.jit(reusing.advance)
        else:
            search = make_tree_search(game, evaluate, config)
        self._search = jax.jit(search)
        first_slot = memory.num_kept if self.keeps_trees else 1
        self._remember = jax.jit(partial(remember, game, config, first_slot=first_slot), donate_argnums=0)
        self._is_at = jax.jit(partial(is_at, game, config.depth_bound))

    def look(self, states: GoState, key: Array) -> SearchResult:
        """The network's policy and value."""
        return self._look(self._variables, states, key)

    def search(self, states: GoState, key: Array, tree: Tree | None = None) -> Searched:
        """One search; where trees are kept it goes on with `tree`, which `follow` has brought to this position."""
        variables = self._variables if self._table is None else WithTable(self._variables, self._table)
        if self.keeps_trees:
            tree = self._no_trees(states) if tree is None else tree
            searched = self._search(variables, states, key, tree)
        else:
            searched = self._search(variables, states, key)
        if self._table is not None:
            self._table, num_nodes, num_known = self._remember(self._table, searched.tree)
            self.num_asked += int(num_nodes)
            self.num_known += int(num_known)
        return searched

    def follow(self, tree: Tree, actions: Sequence[int], states: GoState) -> Tree | None:
        """The tree of a search after some moves, none being the same position again; None if it has nothing there.

        `states` is the position that the moves must have led to.
        """
        for action in actions or (STAY,):
            tree = self._advance(tree, jnp.full(1, action, jnp.int32))
        return tree if self._is_at(tree, states) else None

    def influence(self, tree: Tree, key: Array) -> Float64[np.ndarray, "size size"]:
        """Whose each point will be, 0 Black's, 1 White's: the mean over the simulations of a tree.

        It is what research.search.influence says of the root; the other nodes' means are not needed here.
        """
        parent, visits = (np.asarray(numbers)[:, 0] for numbers in (tree.parent, tree.visits))
        is_child = parent != NONE
        ended = visits - np.bincount(parent[is_child], visits[is_child], len(visits))  # there, and not below
        slots, total = np.flatnonzero(ended > 0), np.zeros(self._game.board_shape)
        for start in range(0, len(slots), MAPS_TOGETHER):
            chosen = slots[start : start + MAPS_TOGETHER]
            filled = np.resize(chosen, MAPS_TOGETHER)
            maps = np.asarray(self._maps(self._variables, tree.state, jnp.asarray(filled, jnp.int32), key))
            total += np.tensordot(ended[chosen], maps[: len(chosen)], 1)
        return total / visits[ROOT]

    def forget_evaluations(self) -> None:
        """Empty the table."""
        if self._table is not None:
            self._table = empty_table(self._num_actions, self._num_cached)


def keeps_trees(config: SearchConfig, memory: MemoryConfig) -> bool:
    """Whether a search by `config` can go on with a tree, and shall."""
    return config.rule == "puct" and config.backend == "lanes" and config.num_simulations > 0 and memory.num_kept > 0


def is_at(game: Go, depth_bound: int, tree: Tree, states: GoState) -> Bool[Array, ""]:
    """Whether a tree of one game has a root, and it is this position.

    The moves of a controller need not be those of a tree: it turns to the other colour, and goes on after two passes.
    """
    nodes, _ = jax.vmap(lambda state: game.as_node(state, depth_bound))(states)
    root = jax.tree.map(lambda leaf: leaf[ROOT], tree.state)
    same = [jnp.all(getattr(root, name) == getattr(nodes, name)) for name in nodes._fields if name not in _PAST]
    return jnp.all(jnp.stack(same)) & (tree.visits[ROOT, 0] > 0.0)


def make_maps(game: Go, evaluate: Evaluate) -> Callable[..., Float32[Array, "chosen size size"]]:
    """(variables, the positions of one game's tree, slots of nodes, key) -> the influence maps of those nodes alone."""

    def maps(variables: Variables, nodes: GoState, slots: Int32[Array, " chosen"], key: Array) -> Array:
        states = jax.tree.map(lambda leaf: leaf[slots, 0], nodes)
        has_ownership = jax.eval_shape(evaluate, variables, states).ownership is not None
        map_states = make_ownership_maps(evaluate, game) if has_ownership else make_playout_maps(game, NUM_PLAYOUTS)
        return map_states(variables, states, jax.vmap(lambda slot: jax.random.fold_in(key, slot))(slots))

    return maps
