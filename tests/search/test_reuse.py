"""A reused tree: what is kept is as it was, goes on as if the search had never stopped, and fits into its slots."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.networks import Prediction
from research.search import RESTART, STAY, Tree, make_tree_search, reuse
from research.search.reuse import make_reusing_search
from research.search.tree import NONE, ROOT
from tests.search.reused_trees import (
    GAME,
    NETWORK,
    NUM_KEPT,
    NUM_SIMULATIONS,
    PLAIN,
    evaluate,
    forgetful,
    jitted,
    paths_of,
    reusing,
    step,
)
from tests.search.stand_ins import batch_of, noughts_and_crosses

POSITIONS = (". . . . . . . . .", "X . . . O . . . .", "X O . . . . . . .", ". . O . X . . . .")
WINS_AT = 2
ALMOST_WON = "X X . O O . . . ."


def node_of(tree: Tree, slot: int, number: int) -> dict[str, np.ndarray]:
    """All that a node knows, its slots apart."""
    fields = {name: values for name, values in tree._asdict().items() if name not in ("parent", "root_order", "state")}
    flat = fields | {f"state.{place}": leaf for place, leaf in enumerate(jax.tree.leaves(tree.state))}
    return {name: np.asarray(values)[slot, number] for name, values in flat.items()}


WAYS = (reuse._choose_in_turn, reuse._choose_at_once)
OF_THE_EDGE = ("action", "reward", "discount", "log_prior", "order")


@pytest.fixture(scope="module")
def searched():
    """(positions, their trees, a move in each game, the trees after it)."""
    states, search = noughts_and_crosses(*POSITIONS), reusing()
    result, tree = search.search({}, states, jax.random.key(0), search.no_trees(states))
    return states, tree, result.action, search.advance(tree, result.action)


def test_every_kept_node_is_as_it_was(searched):
    _, before, actions, after = jax.device_get(searched)
    for number in range(len(POSITIONS)):
        old, new = paths_of(before, number), paths_of(after, number)
        action = int(actions[number])
        assert {(action, *path) for path in new} == {path for path in old if path[:1] == (action,)}
        assert len(new) > 3
        for path, slot in new.items():
            known = node_of(before, old[(action, *path)], number)
            for name, value in node_of(after, slot, number).items():
                if path or name not in OF_THE_EDGE:
                    np.testing.assert_array_equal(value, known[name], err_msg=f"{name} of {path}")


class Oracle:
    """PUCT for one game in plain Python, going on from a node that it is given."""

    def __init__(self, tree: Tree, slot: int, number: int):
        self.children: dict[int, Oracle] = {}
        node = node_of(tree, slot, number)
        self.points, self.num_moves = node["state.0"].copy(), int(node["state.1"])
        self.visits, self.value, self.raw_value = (float(node[name]) for name in ("visits", "value", "raw_value"))
        self.reward, self.discount = float(node["reward"]), float(node["discount"])
        self.prior = np.exp(node["log_policy"])
        for child in np.flatnonzero(np.asarray(tree.parent)[:, number] == slot).tolist():
            self.children[int(np.asarray(tree.action)[child, number])] = Oracle(tree, child, number)

    def choose(self) -> int:
        """The action of the best score; of the unvisited only the likeliest is asked."""
        scores = {}
        for action, child in self.children.items():
            bonus = PLAIN.exploration * np.sqrt(self.visits - 1) * self.prior[action] / (1 + child.visits)
            scores[action] = child.reward + child.discount * child.value + bonus
        unvisited = [action for action in np.flatnonzero(self.prior).tolist() if action not in self.children]
        if unvisited:
            likeliest = max(unvisited, key=lambda action: self.prior[action])
            scores[likeliest] = PLAIN.exploration * np.sqrt(self.visits - 1) * self.prior[likeliest]
        return max(scores, key=lambda action: (scores[action], -action))

    def simulate(self) -> float:
        """One more simulation from here; its return for the player to move here."""
        action = self.choose()
        child = self.children.get(action)
        if child is None:
            child = self.children[action] = self._open(action)
            below = child.value
        elif child.discount == 0.0:
            below = child.raw_value
            child.visits += 1
        else:
            below = child.simulate()
        result = child.reward + child.discount * below
        self.value = (self.value * self.visits + result) / (self.visits + 1)
        self.visits += 1
        return result

    def _open(self, action: int) -> "Oracle":
        child = object.__new__(Oracle)
        mover = 1 + self.num_moves % 2
        child.children, child.points, child.num_moves = {}, self.points.copy(), self.num_moves + 1
        child.points[action] = mover
        own = (child.points == mover).reshape(3, 3)
        has_won = bool(
            own.all(0).any() or own.all(1).any() or np.diagonal(own).all() or np.diagonal(own[:, ::-1]).all()
        )
        is_over = has_won or child.num_moves == 9
        outputs = sum((child.points == sign) @ NETWORK[sign - 1] for sign in (1, 2))
        logits = np.where(child.points == 0, outputs[:9], -np.inf)
        child.prior = np.exp(logits - logits[child.points == 0].max()) if not is_over else np.zeros(9)
        child.prior /= max(child.prior.sum(), 1e-30)
        child.raw_value = child.value = 0.0 if is_over else float(np.tanh(outputs[9]))
        child.visits, child.reward, child.discount = 1.0, float(has_won), 0.0 if is_over else -1.0
        return child


def assert_went_on(before: Tree, actions: np.ndarray, num_more: int, tree: Tree) -> None:
    """*Asserts* that `tree` is what `num_more` simulations make of the nodes after `actions` in `before`."""
    before, tree, actions = jax.device_get((before, tree, actions))
    for number in range(len(POSITIONS)):
        start = ROOT if actions[number] == STAY else paths_of(before, number)[(int(actions[number]),)]
        oracle = Oracle(before, start, number)
        for _ in range(num_more):
            oracle.simulate()
        paths = paths_of(tree, number)
        nodes = [((), oracle)]
        for path, node in nodes:
            known = node_of(tree, paths[path], number)
            assert known["visits"] == node.visits, path
            np.testing.assert_allclose(known["value"], node.value, atol=1e-5)
            np.testing.assert_array_equal(known["state.0"], node.points)
            if node.discount != 0.0:
                np.testing.assert_allclose(np.exp(known["log_policy"]), node.prior, atol=1e-5)
            nodes += [((*path, action), child) for action, child in node.children.items()]
        assert len(nodes) == len(paths) > NUM_SIMULATIONS / 2


def test_the_next_search_equals_one_that_simply_went_on(searched):
    states, before, actions, after = searched
    result, tree = reusing().search({}, step(states, actions), jax.random.key(1), after)
    assert_went_on(before, actions, NUM_SIMULATIONS, tree)
    np.testing.assert_array_equal(result.visits.sum(axis=1), tree.visits[ROOT] - 1)


def test_searches_of_the_same_root_add_up_to_one_long_search(searched):
    states, before, *_ = searched
    stay, tree = jnp.full(len(POSITIONS), STAY, jnp.int32), before
    for seed in (1, 2):
        result, tree = reusing().search({}, states, jax.random.key(seed), reusing().advance(tree, stay))
    assert_went_on(before, stay, 2 * NUM_SIMULATIONS, tree)
    assert (result.visits.sum(axis=1) == 3 * NUM_SIMULATIONS).all()
    assert int((tree.visits > 0).sum(axis=0).min()) > NUM_SIMULATIONS + 1


def test_without_trees_it_is_the_plain_search():
    states, search = noughts_and_crosses(*POSITIONS), reusing()
    plain = jax.jit(make_tree_search(GAME, evaluate, PLAIN))({}, states, jax.random.key(0))
    reused = search.search({}, states, jax.random.key(0), search.no_trees(states))
    for name, expected in plain.result._asdict().items():
        np.testing.assert_allclose(getattr(reused.result, name), expected, atol=1e-6, err_msg=name)
    for number in range(len(POSITIONS)):
        assert paths_of(reused.tree, number).keys() == paths_of(plain.tree, number).keys()


def test_a_root_that_stays_keeps_all_that_there_is_room_for():
    states, search = noughts_and_crosses(*POSITIONS), forgetful()
    _, tree = search.search({}, states, jax.random.key(0), search.no_trees(states))
    after = search.advance(tree, jnp.asarray([STAY, STAY, RESTART, STAY], jnp.int32))
    tree, after = jax.device_get((tree, after))
    for number in (0, 1, 3):
        old, new = paths_of(tree, number), paths_of(after, number)
        assert list(new) == sorted(old, key=lambda path: old[path])[:NUM_KEPT]
        for path, slot in new.items():
            known, node = node_of(tree, old[path], number), node_of(after, slot, number)
            for name in known.keys() - {"next_action", "next_order", "unopened"}:
                np.testing.assert_array_equal(node[name], known[name], err_msg=f"{name} of {path}")
    assert not paths_of(after, 2)
    logits = evaluate({}, states).policy_logits
    plain = jax.nn.softmax(jnp.where(states.points == 0, logits, -jnp.inf))
    result, again = search.search({}, states, jax.random.key(1), after)
    np.testing.assert_allclose(result.prior, plain, atol=1e-6, err_msg="told without noise")
    noisy, once = np.exp(again.log_policy[ROOT]), np.exp(tree.log_policy[ROOT])
    assert (noisy >= 0.75 * plain - 1e-6).all(), "mixed with noise once, not twice"
    assert (np.abs(noisy - once).max(axis=1) > 0.01).all(), "which is drawn anew"
    np.testing.assert_array_equal(again.visits[ROOT], after.visits[ROOT].clip(1) + NUM_SIMULATIONS)


def test_what_finds_no_room_is_forgotten_and_opened_again():
    states, search = noughts_and_crosses(*POSITIONS), forgetful()
    tree, num_forgotten = search.no_trees(states), 0
    for ply in range(4):
        result, tree = search.search({}, states, jax.random.key(ply), tree)
        assert tree.parent.shape == (NUM_KEPT + NUM_SIMULATIONS, len(POSITIONS))
        before, tree = tree, search.advance(tree, result.action)
        states = step(states, result.action)
        for number, action in enumerate(result.action.tolist()):
            old, new = paths_of(before, number), paths_of(tree, number)
            below = [path[1:] for path in sorted(old, key=lambda path: old[path]) if path[:1] == (action,)]
            is_over = below and node_of(before, old[(action,)], number)["discount"] == 0.0
            assert list(new) == ([] if is_over else below[:NUM_KEPT]), "the oldest are kept, in their order"
            num_forgotten += len(below) - len(new)
            for path, slot in new.items():
                node, known = node_of(tree, slot, number), node_of(before, old[(action, *path)], number)
                assert all(node[name] == known[name] for name in ("visits", "value", "raw_value"))
                opened = [child[-1] for child in new if child[:-1] == path and child]
                order = np.argsort(-node["log_policy"], kind="stable")
                left = [
                    action for action in order.tolist() if action not in opened and node["log_policy"][action] > -50
                ]
                if left and node["discount"] != 0.0:
                    assert node["next_action"] == left[0]
                    assert node["next_order"] == node["log_policy"][left[0]]
                    np.testing.assert_allclose(node["unopened"], np.exp(node["log_policy"][left]).sum(), atol=1e-5)
    assert num_forgotten > 10


def test_both_ways_of_choosing_agree():
    chance, num_kept = np.random.default_rng(0), 5
    parent = np.array([[chance.integers(-1, slot) if slot else -1 for _ in range(40)] for slot in range(20)], np.int32)
    is_root = (np.arange(20)[:, None] == chance.integers(1, 9, 40)) & (parent == 0)
    prior = chance.random((20, 40)).astype(np.float32)
    one, other = (jax.jit(choose, static_argnums=0)(num_kept, parent, is_root, prior) for choose in WAYS)
    for name, values in one._asdict().items():
        np.testing.assert_allclose(values, getattr(other, name), rtol=1e-6, err_msg=name)
    assert (np.asarray(one.first_forgotten) != NONE).any()
    assert (np.asarray(one.source)[0] != NONE).sum() == is_root.any(0).sum() > 3


def test_finished_games_moves_without_a_node_and_restarts_drop_their_trees():
    states, search = noughts_and_crosses(*[ALMOST_WON] * 4), reusing()
    _, tree = search.search({}, states, jax.random.key(0), search.no_trees(states))
    visited = np.flatnonzero(search.search({}, states, jax.random.key(0), search.no_trees(states)).result.visits[0])
    unvisited = next(action for action in (5, 6, 7, 8, 0) if action not in visited)
    going_on = next(action for action in visited.tolist() if action != WINS_AT)
    tree = search.advance(tree, jnp.asarray([WINS_AT, unvisited, RESTART, going_on], jnp.int32))
    assert [len(paths_of(tree, number)) > 0 for number in range(4)] == [False, False, False, True]
    fresh = noughts_and_crosses(*POSITIONS)
    result = search.search({}, fresh, jax.random.key(1), jax.tree.map(lambda leaf: leaf, tree)).result
    expected = search.search({}, fresh, jax.random.key(1), search.no_trees(fresh)).result
    for name, values in expected._asdict().items():
        np.testing.assert_array_equal(getattr(result, name)[:3], values[:3], err_msg=name)


def test_root_noise_is_drawn_anew():
    states, search = noughts_and_crosses(*POSITIONS), forgetful()
    result, tree = search.search({}, states, jax.random.key(0), search.no_trees(states))
    states, after = step(states, result.action), search.advance(tree, result.action)
    first, second = (jax.device_get(search.search({}, states, jax.random.key(seed), after)) for seed in (1, 2))
    after = jax.device_get(after)
    for number in range(len(POSITIONS)):
        stored = np.exp(after.log_policy[ROOT, number])
        for _, tree in (first, second):
            policy, paths = np.exp(tree.log_policy[ROOT, number]), paths_of(tree, number)
            np.testing.assert_allclose(policy.sum(), 1.0, rtol=1e-5)
            assert (policy >= 0.75 * stored - 1e-6).all()
            assert np.abs(policy - stored).max() > 0.01
            for path, slot in paths.items():
                if len(path) == 1:
                    np.testing.assert_allclose(np.exp(tree.log_prior[slot, number]), policy[path[0]], rtol=1e-5)
            for path, slot in paths_of(after, number).items():
                if path:
                    kept = tree.log_policy[paths[path], number]
                    np.testing.assert_array_equal(
                        kept, after.log_policy[slot, number], err_msg="noise at the root only"
                    )
        one, other = (np.exp(tree.log_policy[ROOT, number]) for _, tree in (first, second))
        assert np.abs(one - other).max() > 0.01
        np.testing.assert_allclose(
            first.result.prior[number], stored, atol=1e-6, err_msg="the prior is told without it"
        )


@pytest.mark.parametrize(
    ("changes", "num_kept", "words"),
    [
        ({"rule": "gumbel"}, None, "rule is 'gumbel'; .*sequential halving counts the visits of one search"),
        ({"backend": "mctx"}, None, "backend is 'mctx'; .*bare root"),
        ({}, 0, "num_kept is 0; allowed: 1 or more"),
    ],
)
def test_what_cannot_be_reused_is_refused_with_the_reason(changes, num_kept, words):
    with pytest.raises(ValueError, match=words):
        make_reusing_search(GAME, evaluate, dataclasses.replace(PLAIN, **changes), num_kept)


RULES = go.Rules(size=4, komi=0.5)
GO = go.Go(RULES)
# White c1 sends two stones, Black a1 takes both, White b1 would take one back: the position of the beginning.
CORNER = """
    . . . .
    . . . .
    O X X .
    . O . X
"""
A1, B1, C1 = 12, 13, 14
SENDING = (C1, A1)


def in_the_corner(variables: object, states: go.GoState) -> Prediction:
    """A policy that looks at the corner first, and values 0."""
    logits = jnp.where(jnp.isin(jnp.arange(GO.num_actions), jnp.asarray([A1, B1, C1])), 4.0, 0.0)
    return Prediction(jnp.tile(logits, (len(states.to_play), 1)), jnp.zeros(len(states.to_play)))


def test_superko_is_exact_below_a_root_that_was_advanced_to():
    config = dataclasses.replace(PLAIN, num_simulations=30, max_depth=6)
    search = jitted(make_reusing_search(GO, in_the_corner, config))
    legal_in = jax.jit(GO.legal_actions)
    play = jax.jit(GO.step)
    # The position before, in which b1 is still empty, so that the sent stones' beginning is on the path from the root.
    start = go.from_text(RULES, CORNER.replace(". O . X", ". . . X"), to_play="white")
    state = batch_of([start])
    tree, num_banned = search.no_trees(state), 0
    for action in (B1, STAY, GO.num_actions - 1, *SENDING):
        _, tree = search.search({}, state, jax.random.key(0), tree)
        root = jax.tree.map(lambda leaf: leaf[0], state)
        reached, host = {(): root}, jax.device_get(tree)
        for path, slot in paths_of(host, 0).items():
            if path:
                reached[path] = play(reached[path[:-1]], jnp.int32(path[-1]))
            real = reached[path]
            node = jax.tree.map(lambda leaf, slot=slot: leaf[slot, 0], host.state)
            np.testing.assert_array_equal(host.log_policy[slot, 0] > -50, legal_in(real), err_msg=str(path))
            length = int(real.history_length - root.history_length)
            assert node.history_length == length
            begun = int(root.history_length)
            np.testing.assert_array_equal(node.history[:, :length], real.history[:, begun : begun + length])
            assert not node.history[:, length:].any()
            num_banned += bool(path[-2:] == SENDING and not legal_in(real)[B1])
        tree = search.advance(tree, jnp.asarray([action], jnp.int32))
        state = state if action == STAY else batch_of([play(root, jnp.int32(action))])
    assert num_banned >= 2
