"""The memory planner counts what a search really holds, names what adds to it, and refuses what does not fit."""

import dataclasses

import jax
import jax.numpy as jnp
import pytest

from research import go
from research.networks import Prediction
from research.search import SearchConfig, make_tree_search, plan_memory
from research.search.influence import no_influence
from research.search.planner import in_words, size_of
from research.search.reuse import make_reusing_search
from research.toys import TicTacToe
from tests.search.stand_ins import no_opinion

LARGE = go.Go(go.Rules(size=19))
DEEP = SearchConfig(num_simulations=400, max_depth=64, rule="puct")
PLAN = plan_memory(LARGE, DEEP)
BATCH = 3


def evaluate(variables: object, states: go.GoState) -> Prediction:
    """No opinion."""
    batch = len(states.to_play)
    return Prediction(jnp.zeros((batch, LARGE.num_actions)), jnp.zeros(batch))


def states_of(game) -> object:
    """The shapes of a batch of positions."""
    state = jax.eval_shape(game.init)
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((BATCH, *leaf.shape), leaf.dtype), state)


KEY = jax.eval_shape(lambda: jax.random.key(0))


def test_a_game_of_19x19_with_400_simulations_takes_at_most_five_million_bytes():
    assert PLAN.bytes_a_game <= 5_000_000
    tree = jax.eval_shape(make_tree_search(LARGE, evaluate, DEEP), {}, states_of(LARGE), KEY).tree
    counted = PLAN.positions + PLAN.path + PLAN.policies + PLAN.statistics
    assert size_of(tree) == BATCH * counted
    assert PLAN.path == PATH_BYTES
    assert PLAN.positions / PLAN.num_nodes <= 2560


# The superko entries of 64 plies, three words each, in every node.
PATH_BYTES = 401 * 64 * 3 * 4


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["puct", "gumbel"])
def test_the_compiled_search_takes_no_more_than_planned_and_not_much_less(rule):
    config = dataclasses.replace(DEEP, rule=rule)
    search = jax.jit(make_tree_search(LARGE, evaluate, config))
    memory = search.lower({}, states_of(LARGE), KEY).compile().memory_analysis()
    taken = memory.temp_size_in_bytes + memory.output_size_in_bytes + memory.argument_size_in_bytes
    planned = BATCH * plan_memory(LARGE, config).bytes_a_game
    assert 0.7 * planned < taken <= planned


def test_reuse_and_maps_are_counted_as_they_are():
    game, config = TicTacToe(), SearchConfig(num_simulations=10, rule="puct")
    plan = plan_memory(game, config, num_kept=7, with_maps=True)
    search = make_reusing_search(game, no_opinion(game), config, num_kept=7)
    tree = jax.eval_shape(search.no_trees, states_of(game))
    assert plan.num_nodes == 17
    assert size_of(tree) == BATCH * (plan.positions + plan.path + plan.policies + plan.statistics)
    kept = jax.eval_shape(make_reusing_search(game, no_opinion(game), config, num_kept=1).no_trees, states_of(game))
    a_node = (size_of(tree) - size_of(kept)) // 6
    assert plan.reuse * BATCH == 2 * (size_of(tree) + size_of(tree) - 10 * a_node)
    own = jax.eval_shape(lambda tree: no_influence(tree, (3, 3)), tree)
    assert plan.maps * BATCH == 2 * size_of(own)
    plain = plan_memory(game, config)
    assert (plain.maps, plain.reuse, plain.path, plain.num_nodes) == (0, 0, 0, 11)


def test_the_text_names_what_depth_and_maps_add():
    text = plan_memory(LARGE, DEEP, with_maps=True).text()
    assert text.startswith("401 nodes, depth bound 64: ")
    lines = {line.split()[0]: line for line in text.splitlines()[1:]}
    assert f"{PATH_BYTES:,} bytes" in lines["path"]
    assert "depth bound" in lines["path"]
    assert f"{2 * 401 * (361 * 4 + 1):,} bytes  influence maps" in lines["maps"]
    # Without a bound every node has room for a path as long as the search; under simple ko for none.
    unbounded = plan_memory(LARGE, dataclasses.replace(DEEP, max_depth=None))
    assert unbounded.path > 6 * PLAN.path
    assert plan_memory(go.Go(go.Rules(size=19, ko="simple")), DEEP).path == 0


def test_what_does_not_fit_is_refused_with_the_largest_batch_that_does():
    budget = 100 * PLAN.bytes_a_game + 5
    assert PLAN.largest_batch(budget) == 100
    PLAN.check(100, budget)
    with pytest.raises(ValueError, match=r"batch is 101: its search needs .* MB, .*the largest batch that fits is 100"):
        PLAN.check(101, budget)
    with pytest.raises(ValueError, match=r"1\.00 MB of which are taken; the largest batch that fits is 99"):
        PLAN.check(100, budget, others=1_000_000)
    assert PLAN.largest_batch(1000) == 0
    with pytest.raises(ValueError, match="batch is 0; allowed: 1 or more"):
        PLAN.check(0, budget)


def test_sizes_in_words():
    assert [in_words(size) for size in (17, 1_930, 1_930_000, 8 * 2**30)] == [
        "17 bytes",
        "1.93 kB",
        "1.93 MB",
        "8.59 GB",
    ]
