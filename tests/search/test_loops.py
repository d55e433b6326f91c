"""Our loop against mctx's in many shapes, and several leaves at once against one at a time.

The evaluation is scrambled, so that equal scores, which two orders of summing may break differently, hardly occur.
"""

import dataclasses
import functools

import jax
import mctx
import numpy as np
import pytest

from research import go
from research.search import SearchConfig, make_tree_search
from research.search.model import SearchParams, make_recurrent_fn, predict_root
from research.toys import TicTacToe, TicTacToeRules
from tests.search.stand_ins import assert_adds_up, assert_same_searches, deepest, random_positions, scrambled

TIC_TAC_TOE = TicTacToe(TicTacToeRules(size=4))
GO = go.Go(go.Rules(size=3, komi=0.5))  # positional superko; the random games go on where it matters
GAMES = {"tic-tac-toe 4x4": (TIC_TAC_TOE, [0, 3, 6, 9, 12] * 6), "go 3x3": (GO, list(range(32)))}
QUIET = SearchConfig(num_simulations=40, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,))


def searched(config, game, plies):
    """The search of positions of random games, on the host."""
    search = jax.jit(make_tree_search(game, scrambled(game), config))
    return jax.tree.map(np.asarray, search(None, random_positions(game, plies), jax.random.key(0)))


def assert_both_loops_agree(config, game, plies):
    """Node for node; returns ours."""
    ours = searched(config, game, plies)
    assert_same_searches(ours, searched(dataclasses.replace(config, backend="mctx"), game, plies))
    assert_adds_up(ours.tree)
    return ours


@pytest.mark.slow
@pytest.mark.parametrize("max_depth", [None, 3])
@pytest.mark.parametrize("rule", ["gumbel", "puct"])
@pytest.mark.parametrize("name", GAMES)
def test_the_loops_agree_on_every_game_rule_and_depth(name, rule, max_depth):
    config = SearchConfig(40, rule=rule, max_depth=max_depth)
    ours = assert_both_loops_agree(config, *GAMES[name])
    assert (ours.tree.visits[0] == 41).all()
    assert deepest(ours.tree) == max_depth or deepest(ours.tree) > 3
    assert (ours.tree.discount[ours.tree.parent >= 0] == 0).any(), "some games must end inside the trees"


@pytest.mark.slow
@pytest.mark.parametrize("urgency", ["lowest", "parent", -0.5])
@pytest.mark.parametrize("value_range", ["plain", "stretched"])
@pytest.mark.parametrize("formula", ["alphazero", "constant", "simple"])
def test_the_loops_agree_on_every_formula(formula, value_range, urgency):
    config = dataclasses.replace(
        QUIET, num_simulations=24, formula=formula, value_range=value_range, first_play_urgency=urgency
    )
    assert_both_loops_agree(config, *GAMES["tic-tac-toe 4x4"])


@pytest.mark.slow
def test_stretched_values_and_the_lowest_for_the_unvisited_are_mctx_own_puct():
    game, plies = GAMES["tic-tac-toe 4x4"]
    stock = dataclasses.replace(QUIET, value_range="stretched", first_play_urgency="lowest")
    ours = searched(stock, game, plies).result
    states, evaluate = random_positions(game, plies), scrambled(game)
    legal = jax.vmap(game.legal_actions)(states)
    logits, value = predict_root(game, evaluate, None, states, legal)
    policy = functools.partial(
        mctx.muzero_policy,
        recurrent_fn=make_recurrent_fn(game, evaluate),
        num_simulations=stock.num_simulations,
        invalid_actions=~legal,
        dirichlet_fraction=0.0,
    )
    root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)
    expected = jax.jit(policy)(SearchParams(None, None), jax.random.key(0), root).search_tree.summary()
    np.testing.assert_array_equal(ours.visits, expected.visit_counts)
    np.testing.assert_allclose(ours.value, expected.value, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["gumbel", "puct"])
@pytest.mark.parametrize("name", GAMES)
def test_several_leaves_at_once_add_up(name, rule):
    config = SearchConfig(64, rule=rule, num_leaves=8)
    tree = searched(config, *GAMES[name]).tree
    assert_adds_up(tree)
    # Simulations without a leaf of their own are lost, and not more than that.
    assert (tree.visits[0] <= 65).all()
    assert np.median(tree.visits[0]) > 40


@pytest.mark.slow
def test_a_whole_sweep_at_once_spends_its_simulations_as_one_by_one_does():
    config = SearchConfig(32, max_num_considered_actions=8)
    plies = [0, 1, 2, 3, 4, 5, 6, 7] * 8  # at least eight legal actions each
    alone, together = (
        searched(dataclasses.replace(config, num_leaves=width), TIC_TAC_TOE, plies).result for width in (1, 8)
    )
    np.testing.assert_array_equal(np.sort(together.visits), np.sort(alone.visits))
    assert (together.action == alone.action).mean() > 0.75


def test_losses_under_way_send_the_next_walk_elsewhere():
    tree = searched(dataclasses.replace(QUIET, num_simulations=8, num_leaves=8), TIC_TAC_TOE, [0, 1]).tree
    # All eight leave the root before the first comes back: eight children, each its own leaf.
    assert (tree.parent[1:] == 0).all()
    assert (tree.visits[0] == 9).all()
    assert_adds_up(tree)
