"""The loop as the compiler gets it: no scatter, and no gather of single elements.

On a TPU both go element by element. What the game and the network do is apart: the game here does nothing.
"""

import math
import re

import jax
import jax.numpy as jnp
import pytest

from experiments.stand_in_games import Nothing
from research.networks import Prediction
from research.search import SearchConfig, make_tree_search

GAME = Nothing(5)
BATCH = 4
CONFIGS = {
    "gumbel": SearchConfig(num_simulations=6, max_num_considered_actions=3),
    "puct": SearchConfig(num_simulations=6, rule="puct", dirichlet_fraction=0.0),
    "several leaves": SearchConfig(num_simulations=6, rule="puct", dirichlet_fraction=0.0, num_leaves=3),
}


def evaluate(variables, nodes):
    """Every position the same."""
    return Prediction(jnp.zeros((len(nodes.num_moves), GAME.num_actions)), jnp.zeros(len(nodes.num_moves)))


def program_text(config):
    """The whole search's program as a TPU's compiler gets it."""
    states = jax.vmap(lambda _: GAME.init())(jnp.arange(BATCH))
    search = jax.jit(make_tree_search(GAME, evaluate, config))
    return search.trace(None, states, jax.random.key(0)).lower(lowering_platforms=("tpu",)).as_text()


def gathered_sizes(text):
    """How many elements each gather of a program takes at once."""
    sizes = re.findall(r"stablehlo\.gather.*slice_sizes = array<i64: ([\d, ]+)>", text)
    return [math.prod(map(int, size.split(","))) for size in sizes]


@pytest.mark.parametrize("name", CONFIGS)
def test_the_loop_has_no_scatter_and_gathers_whole_rows_only(name):
    text = program_text(CONFIGS[name])
    assert "stablehlo.while" in text
    assert "stablehlo.scatter" not in text
    sizes = gathered_sizes(text)
    assert len(sizes) == text.count('"stablehlo.gather"') > 0
    assert min(sizes) > 1


def test_the_reading_sees_the_scatters_and_gathers_of_mctx():
    text = program_text(SearchConfig(num_simulations=6, backend="mctx"))
    assert text.count('"stablehlo.scatter"') > 10
    assert min(gathered_sizes(text)) == 1
