"""Influence maps of a tree: every node's is the mean over the simulations through it, whatever becomes of the tree."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.networks import Prediction
from research.search import Tree
from research.search.influence import (
    OPEN,
    Influence,
    advance_influence,
    make_ownership_maps,
    map_from_owners,
    map_nodes,
    mean_maps,
    means_by_reach,
    means_upwards,
    merge,
    no_influence,
    num_ended,
    sum_of_children,
)
from research.search.playouts import make_playout_maps
from research.search.reuse import advance
from research.search.tree import plant
from tests.search.reused_trees import GAME, NUM_KEPT, NUM_SIMULATIONS, forgetful, paths_of, step
from tests.search.stand_ins import SETTLED, batch_of, noughts_and_crosses

# As many as there are in the tests of reuse, so that one program is compiled for both.
POSITIONS = (". . . . . . . . .", "X X . O O . . . .", "X . . . . . . . .", ". . . . X . . . .")
WINS = 2  # in the second


def map_states(variables, states, keys):
    """A map that differs from position to position, and has nothing to do with whose turn it is."""
    return map_from_owners(states.points).reshape(-1, 3, 3) * variables["scale"]


VARIABLES = {"scale": jnp.float32(0.9)}
map_all = jax.jit(lambda tree, influence: map_nodes(map_states, VARIABLES, jax.random.key(0), tree, influence))
map_new = jax.jit(
    lambda tree, influence: map_nodes(map_states, VARIABLES, jax.random.key(0), tree, influence, NUM_KEPT)
)
means_of = jax.jit(mean_maps)


@pytest.fixture(scope="module")
def searched():
    """(positions, trees, actions, influence) of a search that keeps little."""
    states, search = noughts_and_crosses(*POSITIONS), forgetful()
    result, tree = search.search({}, states, jax.random.key(0), search.no_trees(states))
    return states, tree, result.action.at[1].set(WINS), map_all(tree, no_influence(tree, (3, 3)))


def leaves_of(tree: Tree, number: int) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """(path, own map) of where each simulation of a game ended, the root's own evaluation first."""
    paths, leaves = paths_of(tree, number), []
    for path, slot in paths.items():
        below = sum(tree.visits[child, number] for other, child in paths.items() if other[:-1] == path and other)
        points = tree.state.points[slot, number].reshape(3, 3)
        own = np.choose(points, [0.5, 0.0, 1.0]) * 0.9
        leaves += [(path, own)] * int(tree.visits[slot, number] - below)
    return leaves


def test_every_node_has_the_mean_of_the_leaves_below_it(searched):
    tree, means = jax.device_get((searched[1], means_of(searched[1], searched[3])))
    num_inner = 0
    for number in range(len(POSITIONS)):
        leaves = leaves_of(tree, number)
        assert len(leaves) == NUM_SIMULATIONS + 1
        paths = paths_of(tree, number)
        inner = [path for path in paths if sum(leaf[: len(path)] == path for leaf, _ in leaves) > 1]
        assert inner[0] == ()
        num_inner += len(inner) - 1
        for path in inner:
            expected = np.mean([own for leaf, own in leaves if leaf[: len(path)] == path], axis=0)
            np.testing.assert_allclose(means[paths[path], number], expected, atol=1e-6, err_msg=str(path))
        assert (means[tree.visits[:, number] == 0, number] == OPEN).all()
    assert num_inner >= 10


def test_a_finished_game_counts_as_often_as_the_search_came_to_it(searched):
    tree = jax.device_get(searched[1])
    is_over = (tree.visits > 0) & (tree.discount == 0.0) & (tree.parent >= 0)
    assert (num_ended(searched[1])[is_over] == tree.visits[is_over]).all()
    assert tree.visits[is_over].max() > 2


def test_kept_nodes_keep_their_means_when_others_are_forgotten(searched):
    states, tree, actions, influence = searched
    advanced = jax.jit(lambda tree, actions: advance(GAME, tree, actions, NUM_KEPT))(tree, actions)
    after = jax.jit(advance_influence)(tree, influence, advanced)
    before, means, now = jax.device_get((tree, means_of(tree, influence), means_of(advanced.tree, after)))
    action, kept = int(actions[0]), paths_of(jax.device_get(advanced.tree), 0)
    old = paths_of(before, 0)
    assert len(kept) == NUM_KEPT < sum(path[:1] == (action,) for path in old)
    for path, slot in kept.items():
        np.testing.assert_allclose(now[slot, 0], means[old[(action, *path)], 0], atol=1e-5)
    assert not paths_of(jax.device_get(advanced.tree), 1), "the second game is over"
    np.testing.assert_array_equal(now[:, 1], OPEN)
    states, search = step(states, actions), forgetful()
    _, tree = search.search({}, states, jax.random.key(1), advanced.tree)
    influence = map_new(tree, after)
    means = means_of(tree, influence)
    # The root's visits are those that it kept, with their mean, and those of the new search.
    assert bool(influence.is_known[0].all())
    new = [own for slot, own in _new_leaves(jax.device_get(tree))]
    expected = (now[0, 0] * before.visits[old[(action,)], 0] + sum(new)) / tree.visits[0, 0]
    np.testing.assert_allclose(means[0, 0], expected, atol=1e-5)


def _new_leaves(tree: Tree) -> list[tuple[int, np.ndarray]]:
    """(slot, own map) of the first game's nodes of the last search; no simulation of it ended anywhere else."""
    slots = [slot for slot in range(NUM_KEPT, len(tree.parent)) if tree.visits[slot, 0] > 0]
    assert len(slots) == NUM_SIMULATIONS
    return [(slot, np.choose(tree.state.points[slot, 0].reshape(3, 3), [0.5, 0.0, 1.0]) * 0.9) for slot in slots]


def test_both_ways_of_adding_up_agree_on_any_list_of_nodes():
    chance = np.random.default_rng(0)
    parent = np.array([[chance.integers(-1, max(slot, 1)) for _ in range(5)] for slot in range(40)], np.int32)
    parent[0] = -1
    values = chance.normal(size=(40, 5, 3)).astype(np.float32)
    is_parent = (parent[:, None] == np.arange(40)[:, None]).any(axis=0)
    weight = np.where((parent < 0) & ~is_parent, 0, chance.integers(1, 4, (40, 5))).astype(np.float32)
    sums, visits = values * weight[..., None], weight.copy()
    for slot in range(39, 0, -1):
        for game in np.flatnonzero(parent[slot] >= 0):
            sums[parent[slot, game], game] += sums[slot, game]
            visits[parent[slot, game], game] += visits[slot, game]
    values[visits == 0] = OPEN
    expected = np.where(visits[..., None] > 0, sums / visits.clip(1)[..., None], OPEN)
    assert (visits == 0).any()
    for means in (means_upwards, means_by_reach):
        np.testing.assert_allclose(jax.jit(means)(parent, values, weight, visits), expected, atol=1e-5)
    below = np.zeros_like(values)
    for slot, game in np.argwhere(parent >= 0):
        below[parent[slot, game], game] += values[slot, game]
    np.testing.assert_allclose(jax.jit(sum_of_children)(parent, values), below, atol=1e-5)


def test_before_any_map_all_is_open_and_the_first_replaces_that(searched):
    empty = no_influence(searched[1], (3, 3))
    assert isinstance(empty, Influence)
    assert float(empty.own.min()) == float(empty.own.max()) == OPEN
    assert not empty.is_known.any()
    mean, count = jnp.full((1, 3), OPEN), 0
    expected = [([0.0, 1.0, 0.5], 1), ([0.5, 1.0, 0.5], 2), ([0.5, 2 / 3, 0.5], 3)]
    for new, after in zip([[0.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.0, 0.5]], expected, strict=True):
        mean, count = merge(mean, count, jnp.asarray([new]))
        np.testing.assert_allclose(mean[0], after[0], rtol=1e-6)
        assert count == after[1]


def test_one_game_whose_positions_keep_no_history_is_mapped_in_one_batch_of_its_nodes():
    game = go.Go(go.Rules(size=2, ko="simple"))
    states = batch_of([game.init()])
    policy, zeros = jnp.zeros((1, game.num_actions)), jnp.zeros(1)
    nodes, _ = jax.vmap(lambda state: game.as_node(state, 1))(states)
    tree = plant(policy, policy, zeros, nodes, num_slots=3)
    asked = []

    def map_by_number(variables, states, keys):
        asked.append(len(keys))
        return jnp.broadcast_to(variables, (len(keys), 2, 2))

    influence = map_nodes(map_by_number, jnp.float32(0.25), jax.random.key(0), tree, no_influence(tree, (2, 2)))
    assert asked == [3]
    assert (influence.own[0] == 0.25).all()
    assert influence.is_known[0].all()
    assert (influence.own[1:] == OPEN).all()
    assert not influence.is_known[1:].any()


def test_ownership_is_turned_from_the_player_to_move_to_the_colours():
    def evaluate(variables, states):
        batch = len(states.points)
        mine = jnp.where(states.points == 0, 0.5, 1.0).reshape(-1, 3, 3)
        return Prediction(jnp.zeros((batch, 9)), jnp.zeros(batch), mine)

    states = noughts_and_crosses("X O . . . . . . .", "X . . . . . . . .")  # the first is X's turn, the second O's
    keys = jax.random.split(jax.random.key(0), 2)
    maps = make_ownership_maps(evaluate, GAME)({}, states, keys)
    np.testing.assert_allclose(maps[0, 0], [0.0, 0.0, 0.25])
    np.testing.assert_allclose(maps[1, 0], [1.0, 0.75, 0.75])
    without = lambda variables, states: evaluate(variables, states)._replace(ownership=None)  # noqa: E731
    with pytest.raises(ValueError, match="gives no ownership; use a network with such a head, or make_playout_maps"):
        make_ownership_maps(without, GAME)({}, states, keys)


RULES = go.Rules(size=5, komi=0.5)
GO = go.Go(RULES)


@pytest.fixture(scope="module")
def played_out():
    """Maps of SETTLED, the empty board, a finished game: by 8 playouts, once more the same, by playouts of no plies."""
    empty = GO.init()
    states = batch_of([go.from_text(RULES, SETTLED), empty, empty._replace(passes=jnp.int32(2))])
    keys = jax.random.split(jax.random.key(0), 3)
    full, none = (jax.jit(make_playout_maps(GO, 8, max_plies)) for max_plies in (None, 0))
    return [np.asarray(maps) for maps in (full({}, states, keys), full({}, states, keys), none({}, states, keys))]


def test_playouts_leave_alive_what_lives_and_leave_open_what_is_open(played_out):
    settled, empty, _ = played_out[0]
    assert (settled[:, :2] == 0.0).all()
    assert (settled[:, 2:] == 1.0).all()
    shares = empty * 8
    np.testing.assert_array_equal(shares * 2, np.round(shares * 2), err_msg="means of 0, 0.5 and 1")
    assert len(np.unique(empty)) > 1
    assert ((empty > 0.0) & (empty < 1.0)).all(), "each side has won each point at least once"


def test_playouts_are_the_same_by_key_and_leave_finished_games_as_they_are(played_out):
    full, again, none = played_out
    np.testing.assert_array_equal(full, again)
    np.testing.assert_array_equal(full[2], OPEN)
    np.testing.assert_array_equal(none, [full[0], full[2], full[2]], err_msg="without plies all is as it stands")


@pytest.mark.parametrize("numbers", [(0, None), (1, -1)])
def test_no_playouts_are_refused(numbers):
    with pytest.raises(ValueError, match=f"num_playouts is {numbers[0]}, .*allowed: 1 or more, 0 or more"):
        make_playout_maps(GO, *numbers)
