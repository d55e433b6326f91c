"""The search on Go: passes, captures, both colours, superko below the root, restarted games."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.search import SearchConfig, make_tree_search
from tests.search.stand_ins import SETTLED, deepest, random_positions, uniform_prior_and_score, weighted_score

RULES = go.Rules(size=5, komi=0.5)
GAME = go.Go(RULES)
PASS = GAME.num_actions - 1
BATCH = 64
step = jax.jit(GAME.step)
CONFIGS = {
    "gumbel": SearchConfig(num_simulations=64, gumbel_scale=0.0),
    "puct": SearchConfig(num_simulations=64, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,)),
}
NO_OPINION = {"weight": jnp.float32(0)}
SEES_THE_SCORE = {"weight": jnp.float32(1)}

TINY_GAME = go.Go(go.Rules(size=2, komi=0.5, max_moves=200))
DEPTH_BOUND = 5


@pytest.fixture(scope="module", params=["gumbel", pytest.param("puct", marks=pytest.mark.slow)])
def search(request):
    """A search of BATCH positions on 5x5, jitted once for all: (variables, list of states) -> result."""
    search_tree = make_tree_search(GAME, weighted_score(GAME), CONFIGS[request.param])
    search_batch = jax.jit(lambda variables, states: search_tree(variables, states, jax.random.key(0)).result)

    def search(variables, states):
        padded = jax.tree.map(lambda *leaves: np.stack(leaves), *states, *[GAME.init()] * (BATCH - len(states)))
        return jax.tree.map(lambda leaf: np.asarray(leaf)[: len(states)], search_batch(variables, padded))

    return search


@pytest.fixture(scope="module")
def played():
    """BATCH positions of random games after 0, 1, 2, ... plies; the last of them are over, at max_moves."""
    return random_positions(GAME, range(BATCH))


def after_a_pass(player: str, komi: float):
    """SETTLED with `player` to move, the other having passed."""
    other = {"black": "white", "white": "black"}[player]
    return step(go.from_text(RULES, SETTLED, to_play=other, komi=komi), jnp.int32(PASS))


def test_after_a_pass_it_passes_exactly_when_that_wins_for_both_colours(search):
    # Komi -5.5 makes Black win by half a point, -4.5 White.
    cases = [("black", -5.5, True), ("black", -4.5, False), ("white", -5.5, False), ("white", -4.5, True)]
    result = search(NO_OPINION, [after_a_pass(player, komi) for player, komi, _ in cases])
    for row, (player, komi, wins) in enumerate(cases):
        assert (result.action[row] == PASS) == wins, f"{player} at komi {komi}"
        assert result.q[row, PASS] == (1.0 if wins else -1.0)
        assert (result.policy[row, PASS] > result.prior[row, PASS]) == wins


def test_a_drawn_pass_is_worth_nothing(search):
    result = search(NO_OPINION, [after_a_pass(player, komi=-5.0) for player in ("black", "white")])
    assert (result.visits[:, PASS] > 0).all()
    np.testing.assert_array_equal(result.q[:, PASS], 0.0)


def test_each_colour_captures_the_chain_in_atari(search):
    diagram = """
        . X O O .
        . X O O X
        . . X X .
        . . . . .
        . . . . .
    """
    swapped = diagram.translate(str.maketrans("XO", "OX"))
    states = [go.from_text(RULES, diagram, to_play="black"), go.from_text(RULES, swapped, to_play="white")]
    result = search(SEES_THE_SCORE, states)
    np.testing.assert_array_equal(result.action, 4)
    assert (result.q[:, 4] > 0.9).all()
    assert (result.value > 0).all()


def test_random_positions_give_no_nan_and_no_weight_to_illegal_moves(search, played):
    legal = np.asarray(jax.jit(jax.vmap(GAME.legal_actions))(played))
    is_over = np.asarray(jax.vmap(GAME.is_over)(played))
    result = search(SEES_THE_SCORE, rows_of(played))
    for field, values in result._asdict().items():
        assert np.isfinite(values).all(), field
    assert is_over.any()
    assert (~legal[~is_over]).any()
    for weights in (result.policy, result.prior, result.visits):
        assert (weights[~legal] == 0).all()
    assert legal[np.arange(BATCH), result.action].all()
    np.testing.assert_array_equal(result.value[is_over], 0.0)
    assert (np.abs(result.q) <= 1).all()


def test_a_restarted_game_is_searched_like_a_new_one(search, played):
    assert played.history_length.max() > 30
    restarted = jax.vmap(GAME.restart)(played, jnp.ones(BATCH, bool))
    result = search(SEES_THE_SCORE, rows_of(restarted))
    expected = search(SEES_THE_SCORE, [GAME.init()] * BATCH)
    for field, values in result._asdict().items():
        np.testing.assert_array_equal(values, getattr(expected, field), err_msg=field)


def rows_of(states) -> list:
    """The positions of a batch, one by one."""
    host = jax.tree.map(np.asarray, states)
    return [jax.tree.map(lambda leaf, row=row: leaf[row], host) for row in range(len(host.to_play))]


@pytest.fixture(scope="module")
def superko_roots():
    """2x2 positions late in games without passes, where superko forbids much."""
    return random_positions(TINY_GAME, range(4, 36))


@pytest.fixture(scope="module")
def superko_tree(superko_roots):
    """Trees from there, on the host, not deeper than DEPTH_BOUND."""
    config = SearchConfig(num_simulations=32, max_depth=DEPTH_BOUND)
    search_tree = jax.jit(make_tree_search(TINY_GAME, uniform_prior_and_score(TINY_GAME), config))
    return jax.tree.map(np.asarray, search_tree(None, superko_roots, jax.random.key(0)).tree)


def test_no_node_lies_deeper_than_the_bound(superko_tree):
    assert deepest(superko_tree) == DEPTH_BOUND
    # Simulations that the bound cut off count all the same.
    assert (superko_tree.visits[-1] == 0).any()
    assert (superko_tree.visits[0] == len(superko_tree.visits)).all()


def test_superko_inside_the_tree_is_that_of_the_whole_game(superko_roots, superko_tree):
    tree = superko_tree
    step_all, legal_actions = jax.jit(jax.vmap(TINY_GAME.step)), jax.jit(jax.vmap(TINY_GAME.legal_actions))
    num_nodes, num_games = tree.parent.shape
    rows = np.arange(num_games)
    # Each node's position with the history of the whole game, by stepping from the root: [nodes, games, ...].
    whole = jax.tree.map(lambda leaf: np.stack([leaf] * num_nodes), superko_roots)
    num_banned = 0
    for node in range(1, num_nodes):
        is_node = tree.parent[node] >= 0
        before = jax.tree.map(lambda leaf, at=tree.parent[node]: leaf[at, rows], whole)
        reached = step_all(before, tree.action[node])
        jax.tree.map(lambda leaves, leaf, at=node: leaves.__setitem__(at, leaf), whole, reached)
        legal = np.asarray(legal_actions(reached))
        np.testing.assert_array_equal(np.isfinite(tree.log_policy[node, is_node]), legal[is_node])
        without_past = legal_actions(jax.tree.map(lambda leaf, at=node: leaf[at], tree.state))
        num_banned += int((without_past & ~legal)[is_node].sum())
    # The history before the root matters in these positions, or the test would show nothing.
    assert num_banned > 30
