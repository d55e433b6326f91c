"""A small game, a network that is a formula, and searches that reuse their trees: what those tests share."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from research.networks import Prediction
from research.search import SearchConfig, Tree
from research.search.reuse import ReusingSearch, make_reusing_search
from research.search.tree import NONE, ROOT
from research.toys import TicTacToe

GAME = TicTacToe()
NUM_SIMULATIONS = 24
PLAIN = SearchConfig(
    num_simulations=NUM_SIMULATIONS,
    rule="puct",
    formula="constant",
    exploration=1.5,
    value_range="plain",
    first_play_urgency=0.0,
    dirichlet_fraction=0.0,
    temperatures=(0.0,),
)
NETWORK = np.random.default_rng(0).normal(size=(2, 9, 10)).astype(np.float32)

step = jax.jit(jax.vmap(GAME.step))


def evaluate(variables: object, states: Any) -> Prediction:
    """Policies and values that differ from position to position: a fixed random layer over the signs."""
    signs = jnp.stack([states.points == 1, states.points == 2]).astype(jnp.float32)
    outputs = jnp.einsum("cbp,cpo->bo", signs, NETWORK, precision="highest")
    return Prediction(outputs[:, :9], jnp.tanh(outputs[:, 9]))


def jitted(search: ReusingSearch) -> ReusingSearch:
    """The same functions, compiled once."""
    return ReusingSearch(*map(jax.jit, search))


@functools.cache
def reusing(num_kept: int = 3 * NUM_SIMULATIONS, **changes: Any) -> ReusingSearch:
    """The search of the tests by a changed config; it keeps the nodes of three searches."""
    return jitted(make_reusing_search(GAME, evaluate, dataclasses.replace(PLAIN, **changes), num_kept))


NUM_KEPT = 6


def forgetful() -> ReusingSearch:
    """A search that keeps little, with noise at its roots."""
    return reusing(NUM_KEPT, dirichlet_fraction=0.25)


def paths_of(tree: Tree, number: int) -> dict[tuple[int, ...], int]:
    """The slot of every node of a game, by the actions from the root to it; *asserts* what holds of every list."""
    parent, action, visits = (np.asarray(values)[:, number] for values in (tree.parent, tree.action, tree.visits))
    paths: dict[tuple[int, ...], int] = {}
    by_slot: dict[int, tuple[int, ...]] = {}
    for slot in np.flatnonzero(visits > 0).tolist():
        if slot == ROOT:
            path: tuple[int, ...] = ()
            assert (parent[slot], action[slot]) == (NONE, NONE)
        else:
            assert parent[slot] < slot
            path = (*by_slot[parent[slot]], int(action[slot]))
        assert path not in paths, "no action has two nodes"
        paths[path], by_slot[slot] = slot, path
    empty = visits == 0
    assert (parent[empty] == NONE).all()
    assert (action[empty] == NONE).all()
    return paths
