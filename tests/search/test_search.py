"""Both rules of search on tic-tac-toe and the bandit: signs, terminals, masks, noise, depth, both loops."""

import random
import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.networks import Prediction
from research.search import SearchConfig, child_statistics, make_search, make_tree_search
from research.search.tree import NONE
from research.toys import Bandit, BanditRules, TicTacToe
from tests.search.stand_ins import (
    after,
    as_told,
    assert_same_searches,
    batch_of,
    deepest,
    no_opinion,
    noughts_and_crosses,
    uniform_prior_and_score,
)
from tests.toys import solver

GAME = TicTacToe()
NUM_SIMULATIONS = 64
QUIET = {
    "gumbel": SearchConfig(num_simulations=NUM_SIMULATIONS, gumbel_scale=0.0),
    "puct": SearchConfig(num_simulations=NUM_SIMULATIONS, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,)),
}
NOISY = SearchConfig(num_simulations=8)
VARIABLES = {"scale": jnp.float32(1)}  # nobody reads them; they are there to change from call to call

DIAGRAMS = (
    "XX.OO....",  # 0: X wins at 2 (O threatens 5)
    "XX.OO...X",  # 1: O wins at 5 (X threatens 2)
    "XX..O....",  # 2: O must block at 2
    "X..OO...X",  # 3: X must block at 5
    "XOXXOOOX.",  # 4: 8 is the only move
    "XXXOO....",  # 5: over, X has won
    ".........",  # 6: the start
    "XO.......",  # 7: X has an open board
)
# Endgames with at most four empty points, some of every kind; one batch, so that most tests share a compiled search.
ENDGAMES = tuple(
    random.Random(0).sample(
        sorted(board for board in solver.all_positions() if board.count(".") <= 4 and not solver.is_over(board)), 56
    )
)
POSITIONS = noughts_and_crosses(*DIAGRAMS, *ENDGAMES)
BATCH = len(DIAGRAMS) + len(ENDGAMES)


@pytest.fixture(scope="module", params=sorted(QUIET))
def rule(request):
    """Each rule in turn."""
    return request.param


def make_quiet_search(config):
    """A search without noise that knows the rules and sees a line, jitted: (result, tree)."""
    search_tree = make_tree_search(GAME, uniform_prior_and_score(GAME), config)
    return jax.jit(lambda states: search_tree(None, states, jax.random.key(0)))


@pytest.fixture(scope="module")
def quiet_search(rule):
    """That search by the rule."""
    return make_quiet_search(QUIET[rule])


@pytest.fixture(scope="module")
def quiet_result(quiet_search):
    """What it finds at POSITIONS."""
    return quiet_search(POSITIONS)[0]


@pytest.fixture(scope="module")
def quiet_tree(quiet_search):
    """The whole tree of it, on the host."""
    return jax.tree.map(np.asarray, quiet_search(POSITIONS)[1])


class Counted:
    """An evaluation without an opinion that counts how often it is traced."""

    num_traces = 0

    def __call__(self, variables, states):
        """The evaluation."""
        self.num_traces += 1
        return no_opinion(GAME)(variables, states)


@pytest.fixture(scope="module")
def counted():
    """The evaluation of `noisy_search`."""
    return Counted()


@pytest.fixture(scope="module")
def noisy_search(counted):
    """A short search with Gumbel noise, jitted."""
    return jax.jit(make_search(GAME, counted, NOISY))


@pytest.mark.parametrize(("position", "winning_move"), [(0, 2), (1, 5)], ids=["X", "O"])
def test_each_side_takes_a_win_in_one(quiet_result, position, winning_move):
    assert quiet_result.action[position] == winning_move
    assert quiet_result.q[position, winning_move] == 1.0
    assert quiet_result.value[position] > 0
    assert quiet_result.policy[position].argmax() == winning_move


@pytest.mark.parametrize(("position", "blocking_move"), [(2, 2), (3, 5)], ids=["O", "X"])
def test_each_side_blocks_a_loss_in_one(quiet_result, position, blocking_move):
    assert quiet_result.action[position] == blocking_move
    others = np.delete(np.asarray(quiet_result.q[position]), blocking_move)
    assert quiet_result.q[position, blocking_move] > others.min()
    assert others.min() < 0


def test_the_only_legal_action_is_played_with_weight_one(quiet_result):
    assert quiet_result.action[4] == 8
    np.testing.assert_array_equal(quiet_result.policy[4], np.eye(9)[8])
    np.testing.assert_array_equal(quiet_result.visits[4], np.eye(9)[8] * NUM_SIMULATIONS)


def test_a_draw_in_one_is_worth_nothing(quiet_result):
    assert quiet_result.q[4, 8] == 0.0
    assert quiet_result.value[4] == 0.0


def test_a_finished_root_gives_no_nan_and_value_zero(quiet_result):
    for field, values in quiet_result._asdict().items():
        assert np.isfinite(values).all(), field
    assert quiet_result.action[5] == 0
    assert quiet_result.value[5] == 0.0
    assert quiet_result.raw_value[5] == 0.0
    np.testing.assert_array_equal(quiet_result.policy[5], np.eye(9)[0])


def test_endgames_are_played_perfectly(quiet_result):
    for position, diagram in enumerate(ENDGAMES, start=len(DIAGRAMS)):
        action = int(quiet_result.action[position])
        assert action in solver.best_moves(diagram), (
            f"{action} is no best move of {solver.to_move(diagram)} in {diagram}"
        )


def test_visits_sum_to_the_simulations_and_policies_to_one(quiet_result):
    np.testing.assert_array_equal(quiet_result.visits.sum(-1), NUM_SIMULATIONS)
    np.testing.assert_allclose(quiet_result.policy.sum(-1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(quiet_result.prior.sum(-1), 1.0, rtol=1e-6)


def test_the_root_value_is_the_mean_of_the_raw_value_and_all_simulations(quiet_result):
    total = quiet_result.raw_value + (quiet_result.visits * quiet_result.q).sum(-1)
    np.testing.assert_allclose(quiet_result.value, total / (1 + NUM_SIMULATIONS), atol=1e-5)


def test_illegal_actions_weigh_exactly_nothing_at_the_root(quiet_result, rule):
    legal = np.asarray(jax.vmap(GAME.legal_actions)(POSITIONS))
    for field in ("policy", "prior", "visits"):
        weights = np.asarray(getattr(quiet_result, field))
        assert (weights[~legal] == 0).all(), field
    assert rule == "puct" or (quiet_result.policy[legal] > 0).all()


def test_illegal_actions_weigh_exactly_nothing_inside_the_tree(quiet_tree):
    tree = quiet_tree
    legal = np.asarray(jax.vmap(jax.vmap(GAME.legal_actions))(tree.state))
    is_node = tree.visits > 0
    prior = np.exp(tree.log_policy)
    assert is_node.sum() > 200
    assert (~legal & is_node[..., None]).any()
    assert (prior[~legal & is_node[..., None]] == 0).all()
    np.testing.assert_allclose(prior[is_node].sum(-1), 1.0, rtol=1e-6)
    for node, game in zip(*np.nonzero(tree.parent >= 0), strict=True):
        assert legal[tree.parent[node, game], game, tree.action[node, game]]


def test_a_finished_position_in_the_tree_pays_once_and_never_grows(quiet_tree):
    tree = quiet_tree
    is_node = tree.visits > 0
    is_over = np.asarray(jax.vmap(jax.vmap(GAME.is_over))(tree.state)) & is_node
    is_child = is_over & (tree.parent >= 0)
    assert is_child.sum() > 50
    assert (tree.value[is_over] == 0).all()
    assert (tree.visits[is_child] > 1).any()
    is_won = np.asarray(jax.vmap(jax.vmap(GAME.outcome))(jax.tree.map(jnp.asarray, tree.state))) != 0
    for node, game in zip(*np.nonzero(is_child), strict=True):
        assert tree.discount[node, game] == 0
        # In tic-tac-toe only the player who moved can have won.
        pays = is_won[node, game] and not is_over[tree.parent[node, game], game]
        assert tree.reward[node, game] == (1.0 if pays else 0.0)
        assert not (tree.parent[:, game] == node).any()


def test_both_loops_grow_the_same_trees_node_for_node(quiet_search, rule):
    ours = jax.tree.map(np.asarray, quiet_search(POSITIONS))
    mctx = jax.tree.map(np.asarray, make_quiet_search(replace(QUIET[rule], backend="mctx"))(POSITIONS))
    assert_same_searches(ours, mctx)


def test_the_statistics_of_any_node_are_those_of_its_children(quiet_search):
    tree = quiet_search(POSITIONS).tree
    node = jnp.argmax(jnp.where(tree.parent == 0, tree.visits, 0.0), axis=0)  # the root's most visited child
    statistics = jax.tree.map(np.asarray, jax.jit(child_statistics)(tree, node))
    tree, games = jax.tree.map(np.asarray, tree), np.arange(BATCH)
    num_children = 0
    for game, action in np.ndindex(statistics.visits.shape):
        slot = statistics.node[game, action]
        if slot == NONE:
            assert statistics.visits[game, action] == statistics.value[game, action] == 0
            continue
        num_children += 1
        assert (tree.parent[slot, game], tree.action[slot, game]) == (node[game], action)
        assert statistics.visits[game, action] == tree.visits[slot, game]
        worth = tree.reward[slot, game] + tree.discount[slot, game] * tree.value[slot, game]
        assert statistics.value[game, action] == worth
        assert statistics.value_sum[game, action] == worth * tree.visits[slot, game]
    assert num_children == (tree.parent == node).sum() > 50
    np.testing.assert_allclose(statistics.prior, np.exp(tree.log_policy[node, games]), rtol=1e-6)


def test_the_search_does_not_depend_on_the_rest_of_the_batch(quiet_search, quiet_result):
    order = np.random.default_rng(0).integers(BATCH, size=BATCH)
    others, _ = quiet_search(jax.tree.map(lambda leaf: leaf[order], POSITIONS))
    for field, values in others._asdict().items():
        np.testing.assert_array_equal(values, np.asarray(getattr(quiet_result, field))[order], err_msg=field)


def test_a_restarted_game_is_searched_like_a_new_one(noisy_search):
    played = [after(GAME, [0, 3, 1, 4, 2]), after(GAME, [4, 0])] * (BATCH // 2)
    restarted = jax.vmap(GAME.restart)(batch_of(played), jnp.ones(BATCH, bool))
    result = noisy_search(VARIABLES, restarted, jax.random.key(1))
    expected = noisy_search(VARIABLES, batch_of([GAME.init()] * BATCH), jax.random.key(1))
    for field, values in result._asdict().items():
        np.testing.assert_array_equal(values, getattr(expected, field), err_msg=field)


def test_the_key_decides_everything(noisy_search):
    first, again, other = (noisy_search(VARIABLES, POSITIONS, jax.random.key(seed)) for seed in (2, 2, 3))
    for field, values in first._asdict().items():
        np.testing.assert_array_equal(values, getattr(again, field), err_msg=field)
    assert (first.visits != other.visits).any()


def test_noise_varies_the_move_between_equal_positions(noisy_search):
    result = noisy_search(VARIABLES, batch_of([GAME.init()] * BATCH), jax.random.key(4))
    assert len(set(result.action.tolist())) > 1


def test_no_simulations_play_the_raw_policy():
    logits = jnp.linspace(-1.0, 1.0, 9).at[1].set(50.0)
    variables = {"logits": jnp.tile(logits, (4000, 1)), "value": jnp.full(4000, 0.25)}
    states = noughts_and_crosses("XXXOO....", *[".X......."] * 3999)
    result = jax.jit(make_search(GAME, as_told, SearchConfig(num_simulations=0)))(variables, states, jax.random.key(0))
    expected = jax.nn.softmax(jnp.where(jnp.arange(9) == 1, -jnp.inf, logits))
    np.testing.assert_allclose(result.policy[1], expected, rtol=1e-5)
    np.testing.assert_array_equal(result.value, [0.0] + [0.25] * 3999)  # the first game is over
    assert (result.visits == 0).all()
    # Sampled actions follow that policy: 4,000 draws, standard deviation below 0.008.
    np.testing.assert_allclose(np.bincount(result.action, minlength=9) / 4000, expected, atol=0.03)
    greedy = jax.jit(make_search(GAME, as_told, SearchConfig(num_simulations=0, gumbel_scale=0.0)))
    assert (greedy(variables, states, jax.random.key(0)).action[1:] == 8).all()


def test_without_a_bound_the_tree_goes_deeper(quiet_tree):
    assert deepest(quiet_tree) > 2


def test_one_program_serves_every_call(counted, noisy_search):
    noisy_search(VARIABLES, POSITIONS, jax.random.key(0))
    num_at_first = counted.num_traces
    restarted = jax.vmap(GAME.restart)(POSITIONS, jnp.arange(BATCH) % 2 == 0)
    noisy_search({"scale": jnp.float32(2)}, restarted, jax.random.key(1))
    assert counted.num_traces == num_at_first > 0


def test_more_candidates_than_actions_are_no_harm():
    game = Bandit(BanditRules(payoffs=(1.0, -1.0, 0.0)))
    config = SearchConfig(num_simulations=7, max_num_considered_actions=100, gumbel_scale=0.0)
    search = jax.jit(make_search(game, no_opinion(game), config))
    result = search(None, batch_of([game.init()] * 2), jax.random.key(0))
    # Three candidates are tried once each, then the better two twice more.
    np.testing.assert_array_equal(result.visits, [[3, 1, 3]] * 2)


@pytest.mark.parametrize("num_simulations", [1, 8])
def test_the_improved_policy_is_worth_more_than_the_prior(num_simulations):
    game = Bandit(BanditRules(payoffs=(-1.0, 1.0, 0.0, -1.0, 1.0)))
    outcomes = np.sign(game.rules.payoffs)
    logits = 2 * jax.random.normal(jax.random.key(1), (512, 5))
    prior = np.asarray(jax.nn.softmax(logits))
    variables = {"logits": logits, "value": jnp.asarray(prior @ outcomes, jnp.float32)}
    search = jax.jit(make_search(game, as_told, SearchConfig(num_simulations=num_simulations)))
    result = search(variables, batch_of([game.init()] * 512), jax.random.key(2))
    gain = np.asarray(result.policy) @ outcomes - prior @ outcomes
    assert gain.min() > -1e-5
    assert gain.mean() > 0.05
    played, expected = outcomes[result.action].mean(), (prior @ outcomes).mean()
    if num_simulations == 1:  # one candidate, drawn from the prior itself: as good as the prior, up to chance
        assert abs(played - expected) < 4 / np.sqrt(512)
    else:
        assert played > expected + 4 / np.sqrt(512)
    assert (result.visits.sum(-1) == num_simulations).all()
    if num_simulations == 1:  # it plays what it tried
        np.testing.assert_array_equal(result.visits.argmax(-1), result.action)


@pytest.mark.parametrize("num_simulations", [0, 2])
def test_a_bfloat16_network_still_gives_float32_results(num_simulations):
    def evaluate(variables, states):
        return Prediction(jnp.zeros((BATCH, 9), jnp.bfloat16), jnp.zeros(BATCH, jnp.bfloat16))

    search = make_search(GAME, evaluate, SearchConfig(num_simulations))
    result = jax.eval_shape(search, None, POSITIONS, jax.random.key(0))
    for field in ("policy", "value", "raw_value", "q", "prior"):
        assert getattr(result, field).dtype == jnp.float32, field
    assert result.action.dtype == result.visits.dtype == jnp.int32


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_simulations", -1),
        ("max_depth", 0),
        ("max_num_considered_actions", 0),
        ("gumbel_scale", -0.1),
        ("gumbel_scale", float("nan")),
        ("value_scale", 0.0),
        ("maxvisit_init", float("inf")),
        ("exploration", -1.0),
        ("dirichlet_fraction", 1.5),
        ("dirichlet_total", 0.0),
        ("first_play_urgency", 2.0),
        ("temperatures", ()),
        ("temperature_plies", (3,)),
        ("num_leaves", 0),
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=re.escape(f"{field} is {value!r}; allowed")):
        SearchConfig(**{field: value})
