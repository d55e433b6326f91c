"""Evaluations that stand in for a network, and positions to search: what the tests of search and arena share.

A search gets its evaluation as an argument, so a test can say what the network believes: nothing, the score, or
whatever the variables hold.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from research.game import Game, State
from research.networks import Prediction
from research.search import Evaluate, Searched, Tree
from research.toys.tictactoe import TicTacToeState

# Both sides live with three eyes each, and play no more: Black has 10 points, White 15.
SETTLED = """
    . X O . O
    X X O O O
    . X O . O
    X X O O O
    . X O . O
"""


def uniform_prior_and_score(game: Game, points: float = 5.0) -> Evaluate:
    """A flat policy, and tanh(score / `points`) of the position as it stands, for the player to move."""

    def evaluate(variables: object, states: State) -> Prediction:
        score = jax.vmap(game.score)(states)
        for_mover = jnp.where(jax.vmap(game.to_play)(states) == 0, score, -score)
        return Prediction(jnp.zeros((len(score), game.num_actions)), jnp.tanh(for_mover / points))

    return evaluate


def weighted_score(game: Game) -> Evaluate:
    """As `uniform_prior_and_score`, the value times the number that the variables hold under "weight"."""
    evaluate_score = uniform_prior_and_score(game)

    def evaluate(variables: dict, states: State) -> Prediction:
        prediction = evaluate_score(variables, states)
        return prediction._replace(value=variables["weight"] * prediction.value)

    return evaluate


def no_opinion(game: Game) -> Evaluate:
    """A flat policy and value 0."""

    def evaluate(variables: object, states: State) -> Prediction:
        batch = len(jax.tree.leaves(states)[0])
        return Prediction(jnp.zeros((batch, game.num_actions)), jnp.zeros(batch))

    return evaluate


def as_told(variables: dict, states: State) -> Prediction:
    """The policy logits and values that the variables hold, one row a game, the same in the whole tree."""
    return Prediction(variables["logits"], variables["value"])


def noughts_and_crosses(*diagrams: str) -> TicTacToeState:
    """A batch of 3x3 positions, each three rows of `X`, `O` and `.`; X is to move where both have as many signs."""
    points = [[".XO".index(sign) for sign in diagram if not sign.isspace()] for diagram in diagrams]
    board = np.array(points, np.int8)
    return TicTacToeState(points=jnp.asarray(board), num_moves=jnp.asarray((board != 0).sum(1), jnp.int32))


def random_positions(game: Game, num_plies: Sequence[int]) -> State:
    """A batch of positions of random games, each after its number of plies (fewer where the game ended before).

    The last action, Go's pass, is played only where nothing else is legal: so games of Go go on past their natural
    end, which is where superko matters.
    """
    wanted = jnp.asarray(num_plies)

    @jax.jit
    def play(key: jax.Array) -> State:
        def play_ply(states: State, ply: jax.Array) -> tuple[State, None]:
            legal = jax.vmap(game.legal_actions)(states)
            legal = legal.at[:, -1].set(~legal[:, :-1].any(-1))
            action = jax.random.categorical(jax.random.fold_in(key, ply), jnp.where(legal, 0.0, -jnp.inf))
            # No game has an action -1: it leaves a game that has played enough as it is.
            return jax.vmap(game.step)(states, jnp.where(ply < wanted, action, -1)), None

        start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(wanted), *leaf.shape)), game.init())
        return jax.lax.scan(play_ply, start, jnp.arange(max(num_plies)))[0]

    return play(jax.random.key(0))


def after(game: Game, actions: Sequence[int]) -> State:
    """The position after `actions` from the game's start."""
    state = game.init()
    for action in actions:
        state = game.step(state, jnp.int32(action))
    return state


def batch_of(states: Sequence[State]) -> State:
    """The positions side by side."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)


def assert_same_searches(first: Searched, second: Searched) -> None:
    """Two searches (on the host) that agree node for node; small differences of values are rounding."""
    ours, theirs = first.tree, second.tree
    for field in ("parent", "action", "visits"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field), err_msg=field)
    is_node = ours.visits > 0
    for field in ("value", "raw_value", "reward", "discount", "log_prior", "order", "next_order", "unopened"):
        np.testing.assert_allclose(
            getattr(ours, field)[is_node], getattr(theirs, field)[is_node], atol=2e-6, err_msg=field
        )
    is_open = is_node & (ours.next_order > -np.inf)
    np.testing.assert_array_equal(ours.next_action[is_open], theirs.next_action[is_open])
    jax.tree.map(
        lambda one, other: np.testing.assert_array_equal(one[is_node], other[is_node]), ours.state, theirs.state
    )
    for field, values in first.result._asdict().items():
        np.testing.assert_allclose(values, getattr(second.result, field), atol=2e-6, err_msg=field)


def deepest(tree: Tree) -> int:
    """Plies from the root to the deepest node of any tree of the batch (its arrays on the host)."""
    depths = np.zeros(tree.parent.shape, int)
    for node, game in zip(*np.nonzero(tree.parent >= 0), strict=True):
        depths[node, game] = depths[tree.parent[node, game], game] + 1  # a parent's slot is below its child's
    return int(depths.max())


def scrambled(game: Game) -> Evaluate:
    """A policy and a value that change from position to position as if by chance; what follows is hard to guess."""
    evaluate_score = uniform_prior_and_score(game)

    def number(state: State) -> Array:
        """A number made of a position."""
        leaves = [leaf.astype(jnp.float32).ravel() for leaf in jax.tree.leaves(state)[:2]]
        return jnp.stack([jnp.sum(leaf * jnp.sin(1.0 + jnp.arange(leaf.size))) for leaf in leaves]).sum()

    def evaluate(variables: object, states: State) -> Prediction:
        numbers = jax.vmap(number)(states)
        logits = 2.0 * jnp.sin(3.1 * numbers[:, None] + 1.7 * jnp.arange(game.num_actions))
        value = jnp.tanh(evaluate_score(variables, states).value + jnp.sin(7.0 * numbers))
        return Prediction(logits, value)

    return evaluate


def assert_adds_up(tree: Tree) -> None:
    """Every node's visits and value (on the host) are those of its children and its own evaluation.

    Where the game is over or the depth bound reached, visits count on without children.
    """
    worth = tree.reward + tree.discount * tree.value
    for node, game in zip(*np.nonzero(tree.visits > 0), strict=True):
        children = np.flatnonzero(tree.parent[:, game] == node)
        legal = np.isfinite(tree.log_policy[node, game])
        assert len(set(tree.action[children, game])) == len(children)
        assert legal[tree.action[children, game]].all()
        assert np.isfinite(tree.next_order[node, game]) == (len(children) < legal.sum())
        if not len(children):
            continue
        visits = tree.visits[children, game]
        assert tree.visits[node, game] == 1 + visits.sum()
        total = tree.raw_value[node, game] + (visits * worth[children, game]).sum()
        np.testing.assert_allclose(tree.value[node, game], total / tree.visits[node, game], atol=1e-5)
    is_empty = tree.visits == 0
    assert (tree.parent[is_empty] == -1).all()
    assert (tree.action[is_empty] == -1).all()
