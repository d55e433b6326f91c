"""What `inspect` takes out of a tree: every node with its numbers, its position and its children, for either rule."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.search import SearchConfig, Searched, TreeView, inspect, make_tree_search
from research.search.tree import NONE, plant
from research.toys import TicTacToe
from tests.search.stand_ins import noughts_and_crosses, uniform_prior_and_score

GAME = TicTacToe()
GUMBEL = SearchConfig(num_simulations=40, gumbel_scale=0.0)
PUCT = SearchConfig(num_simulations=40, rule="puct")
# In the first position X, to move, wins at once in the corner; the second is the empty board.
POSITIONS = ("X X . O O . . . .", ". . . . . . . . .")
CORNER = 2


def draw_board(state):
    """The points of tic-tac-toe as a board."""
    return state.points.reshape(3, 3)


@pytest.fixture(scope="module", params=[GUMBEL, PUCT], ids=lambda config: config.rule)
def searched(request):
    """(config, a search of POSITIONS)."""
    search = jax.jit(make_tree_search(GAME, uniform_prior_and_score(GAME, 1.0), request.param))
    return request.param, search({}, noughts_and_crosses(*POSITIONS), jax.random.key(0))


def look(searched: tuple[SearchConfig, Searched], number: int = 0, **options) -> TreeView:
    """The view of one of the searches."""
    config, (_, tree) = searched
    return inspect(tree, config, number, game=GAME, draw_board=draw_board, **options)


def test_the_root_shows_what_the_search_says_of_it(searched):
    for number in range(2):
        root, result = look(searched, number).root, jax.tree.map(np.asarray, searched[1].result)
        assert (root.visits, root.move, root.parent, root.prior) == (41, "root", NONE, 1.0)
        assert root.value == pytest.approx(result.value[number])
        np.testing.assert_array_equal(root.action_visits, result.visits[number])
        np.testing.assert_allclose(root.action_values, result.q[number], atol=1e-6)
        np.testing.assert_allclose(root.improved_policy, result.policy[number], atol=1e-6)
    np.testing.assert_allclose(np.sum(look(searched).root.action_priors), 1.0, rtol=1e-5)


def test_every_node_is_where_its_moves_lead(searched):
    view = look(searched, 1)
    assert len(view.nodes) > 20
    for slot, node in [*view.nodes.items(), *look(searched).nodes.items()][::3]:
        path = view.path(slot) if view.nodes[slot] is node else look(searched).path(slot)
        board, sign = path[0].board.copy(), 1
        for node_below in path[1:]:
            assert board.flat[node_below.action] == 0
            board.flat[node_below.action] = sign
            sign = 3 - sign
        np.testing.assert_array_equal(node.board, board)
        assert (node.depth, node.to_play) == (len(path) - 1, sign - 1)


def test_visits_and_values_add_up_and_children_are_sorted(searched):
    view = look(searched, 1)
    assert view.num_left_out == 0
    for node in view.nodes.values():
        children = view.children(node)
        assert node.action_visits.sum() == sum(child.visits for child in children)
        assert [child.visits for child in children] == sorted((child.visits for child in children), reverse=True)
        assert node.improved_policy.sum() == pytest.approx(1.0, abs=1e-5)
        if not node.is_over and node.parent != NONE:
            # W is its own first evaluation and all that came back from below, the signs turned at each ply.
            own = -node.raw_value - sum(child.value_sum for child in children)
            assert node.value_sum == pytest.approx(own, abs=1e-4)
        for child in children:
            assert child.prior == pytest.approx(node.action_priors[child.action])
            assert child.value == pytest.approx(node.action_values[child.action])


def test_a_winning_move_is_shown_as_won_and_as_the_end(searched):
    view = look(searched)
    (winner,) = (child for child in view.children(view.root) if child.action == CORNER)
    assert (winner.move, winner.value, winner.is_over, winner.children) == ("C3", 1.0, True, ())
    assert view.root.improved_policy.argmax() == CORNER


def test_a_cut_view_keeps_the_most_visited_and_says_what_is_missing(searched):
    whole, cut = look(searched, 1), look(searched, 1, max_nodes=6)
    assert len(cut.nodes) == 6
    assert cut.num_left_out == len(whole.nodes) - 6
    least = min(node.visits for node in cut.nodes.values())
    assert all(node.visits <= least for slot, node in whole.nodes.items() if slot not in cut.nodes)
    for node in cut.nodes.values():
        assert node.parent == NONE or node.parent in cut.nodes
        assert set(node.children) <= set(cut.nodes)
        np.testing.assert_array_equal(node.action_visits, whole.nodes[node.slot].action_visits)


def test_a_game_without_a_board_function_has_no_boards(searched):
    root = inspect(searched[1].tree).root
    assert (root.board, root.to_play) == (None, NONE)


def test_a_position_of_go_needs_no_board_function():
    game = go.Go(go.Rules(size=3, komi=0.5))
    state = jax.tree.map(lambda leaf: leaf[None], jax.jit(lambda: game.step(game.init(), jnp.int32(4)))())
    logits = jnp.log(jnp.full((1, 10), 0.1))
    root = inspect(plant(logits, logits, jnp.zeros(1), state, 1)).root
    np.testing.assert_array_equal(root.board, [[0, 0, 0], [0, 1, 0], [0, 0, 0]])
    assert root.to_play == 1
    np.testing.assert_allclose(root.improved_policy, 0.1, rtol=1e-5)  # no visits: the prior


@pytest.mark.parametrize("options", [{"number": 2}, {"number": -1}, {"max_nodes": 0}])
def test_what_is_not_there_is_refused(searched, options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} is {next(iter(options.values()))}; .*allowed"):
        inspect(searched[1].tree, **options)
