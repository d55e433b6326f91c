"""The contract of research/game.py, asked of every game: what search, self-play and training take for granted.

Each game is played with random actions, legal, illegal and out of range alike, and on after its end; the tests look at
what happened on the host. A game compiles three times at most: batched, alone, and as a search's nodes.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.game import Game
from research.go import Go, Rules
from research.toys import Bandit, BanditRules, TicTacToe, TicTacToeRules

GAMES: dict[str, Game] = {
    "go 3x3, positional": Go(Rules(size=3, ko="positional", komi=2.0)),
    "go 5x5, simple ko, suicide": Go(Rules(size=5, ko="simple", suicide=True, max_moves=16, komi=0.0)),
    "tictactoe": TicTacToe(TicTacToeRules()),
    "bandit": Bandit(BanditRules(payoffs=(-1.0, 0.0, 0.5))),
}
MORE_GAMES: dict[str, Game] = {
    "go 2x2, situational, suicide": Go(Rules(size=2, ko="situational", suicide=True, komi=1.0)),
    "go 3x3, simple ko": Go(Rules(size=3, ko="simple", komi=0.5)),
    "go 4x4, positional, suicide": Go(Rules(size=4, ko="positional", suicide=True, max_moves=16, komi=2.0)),
    "go 5x5, situational": Go(Rules(size=5, ko="situational", max_moves=16, komi=0.0)),
}
ALL_GAMES = GAMES | MORE_GAMES
BATCH, PLIES = 8, 112
NODE_ROOT, NODE_DEPTH = 5, 10  # a search tree whose root stands NODE_ROOT actions into the game


def names(*quick: str) -> list[Any]:
    """All games as parameters, those not in `quick` marked slow."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in ALL_GAMES]


each_game = pytest.mark.parametrize("name", names(*GAMES))
# Eagerly every operation compiles apart, which takes seconds: one Go is enough by default.
each_game_eagerly = pytest.mark.parametrize("name", names("go 5x5, simple ko, suicide", "tictactoe", "bandit"))


class Sight(NamedTuple):
    """Everything that a game says of one position."""

    legal: Any
    to_play: Any
    is_over: Any
    score: Any
    outcome: Any


class Line(NamedTuple):
    """Positions in order, entry k after k actions, and what the game says of them."""

    states: Any
    sights: Sight


def look(game: Game, state: Any, past: Any) -> Sight:
    """What `game` says of `state`."""
    return Sight(
        game.legal_actions(state, past),
        game.to_play(state),
        game.is_over(state),
        game.score(state),
        game.outcome(state),
    )


def make_play(game: Game) -> Callable[..., Line]:
    """(state, actions, past) -> Line, for one game."""

    def play(state: Any, actions: Any, past: Any = None) -> Line:
        def ply(state: Any, action: Any) -> tuple[Any, Line]:
            after = game.step(state, action, past)
            return after, Line(after, look(game, after, past))

        start = Line(state, look(game, state, past))
        _, later = jax.lax.scan(ply, state, actions)
        return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), start, later)

    return play


@cache
def batched(name: str) -> Any:
    """Plays a batch of games."""
    return jax.jit(jax.vmap(make_play(ALL_GAMES[name])))


@cache
def actions_of(name: str) -> Any:
    """Random actions, three values out of range among them."""
    return jax.random.randint(jax.random.key(0), (BATCH, PLIES), -2, ALL_GAMES[name].num_actions + 1)


@cache
def starts_of(name: str) -> Any:
    """A batch of fresh games."""
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (BATCH, *leaf.shape)), ALL_GAMES[name].init())


@cache
def lines_of(name: str) -> Line:
    """The batch that most tests look at, on the host; leaves are [BATCH, PLIES + 1, ...]."""
    return jax.device_get(batched(name)(starts_of(name), actions_of(name)))


def assert_equal(first: Any, second: Any) -> None:
    """Both trees are bit-identical."""
    jax.tree.map(np.testing.assert_array_equal, first, second)


def entry(tree: Any, *index: int) -> Any:
    """That entry of every leaf."""
    return jax.tree.map(lambda leaf: leaf[index], tree)


@each_game
def test_shapes_and_dtypes_are_those_of_the_contract(name: str) -> None:
    game, sights = ALL_GAMES[name], lines_of(name).sights
    dtypes = {field: getattr(sights, field).dtype for field in Sight._fields}
    assert dtypes == {
        "legal": np.bool_,
        "to_play": np.int32,
        "is_over": np.bool_,
        "score": np.float32,
        "outcome": np.float32,
    }
    assert sights.legal.shape == (BATCH, PLIES + 1, game.num_actions)
    assert sights.to_play.shape == sights.score.shape == (BATCH, PLIES + 1)
    assert hash(game) == hash(type(game)(game.rules))  # type: ignore[attr-defined]
    assert isinstance(game, Game)
    assert len(game.board_shape) == 2
    assert game.num_symmetries in (1, 8)


@each_game
def test_some_action_is_always_legal_and_after_the_end_one_alone(name: str) -> None:
    sights = lines_of(name).sights
    assert sights.legal.any(-1).all()
    assert (sights.legal.sum(-1)[sights.is_over] == 1).all()


@each_game
def test_a_legal_action_passes_the_turn_and_an_illegal_one_changes_nothing(name: str) -> None:
    lines, actions = lines_of(name), np.asarray(actions_of(name))
    seen = {"played": 0, "illegal": 0, "out of range": 0}
    for game_index in range(BATCH):
        for ply, action in enumerate(actions[game_index]):
            before, after = (entry(lines, game_index, ply + later) for later in (0, 1))
            if before.sights.is_over:
                continue
            in_range = 0 <= action < before.sights.legal.size
            if in_range and before.sights.legal[action]:
                assert after.sights.to_play == 1 - before.sights.to_play
                seen["played"] += 1
            else:
                assert_equal(before, after)
                seen["illegal" if in_range else "out of range"] += 1
    assert seen["played"] >= BATCH
    assert seen["out of range"] > 0
    assert seen["illegal"] > 0 or name == "bandit"


@each_game
def test_the_end_comes_at_max_moves_at_the_latest_and_absorbs_every_action(name: str) -> None:
    lines, game = lines_of(name), ALL_GAMES[name]
    lengths = []
    for game_index in range(BATCH):
        over = lines.sights.is_over[game_index]
        assert over[-1]
        end = int(over.argmax())
        assert over[end:].all()
        lengths.append(int((np.diff(lines.sights.to_play[game_index, : end + 1]) != 0).sum()))
        for ply in range(end, PLIES):
            assert_equal(entry(lines, game_index, end), entry(lines, game_index, ply + 1))
    assert max(lengths) == game.max_moves


@each_game
def test_the_outcome_is_the_sign_of_the_score_once_the_game_is_over(name: str) -> None:
    sights = lines_of(name).sights
    assert_equal(sights.outcome[sights.is_over], np.sign(sights.score[sights.is_over]))
    assert (sights.outcome[~sights.is_over] == 0).all()
    assert len(set(sights.outcome[:, -1].tolist())) > 1


@each_game
def test_a_game_alone_plays_as_in_a_batch_and_compiles_once(name: str) -> None:
    alone, lines = jax.jit(make_play(ALL_GAMES[name])), lines_of(name)
    for game_index in (0, BATCH - 1):
        line = alone(entry(starts_of(name), game_index), actions_of(name)[game_index])
        assert_equal(line, entry(lines, game_index))
    batched(name)(starts_of(name), actions_of(name)[::-1])
    assert alone._cache_size() == 1
    assert batched(name)._cache_size() == 1


@each_game_eagerly
def test_eager_steps_equal_compiled_ones(name: str) -> None:
    game, state, lines = ALL_GAMES[name], ALL_GAMES[name].init(), lines_of(name)
    for ply in range(4):
        state = game.step(state, actions_of(name)[0, ply])
        assert_equal(state, entry(lines.states, 0, ply + 1))
        assert_equal(look(game, state, None), entry(lines.sights, 0, ply + 1))


@each_game
def test_a_restarted_game_behaves_as_a_fresh_one(name: str) -> None:
    game, lines = ALL_GAMES[name], lines_of(name)
    finals = jax.tree.map(lambda leaf: jnp.asarray(leaf[:, -1]), lines.states)
    should_restart = jnp.arange(BATCH) % 2 == 0
    restarted = jax.vmap(game.restart)(finals, should_restart)
    sights = batched(name)(restarted, actions_of(name)).sights
    for game_index in range(BATCH):
        if should_restart[game_index]:
            assert_equal(entry(sights, game_index), entry(lines.sights, game_index))
        else:
            assert_equal(entry(sights, game_index, 0), entry(lines.sights, game_index, PLIES))


@each_game
def test_nodes_of_a_search_tree_behave_as_the_game_does(name: str) -> None:
    game, lines = ALL_GAMES[name], lines_of(name)
    roots = jax.tree.map(lambda leaf: jnp.asarray(leaf[:, NODE_ROOT]), lines.states)

    def play_nodes(root: Any, actions: Any) -> Sight:
        node, past = game.as_node(root, NODE_DEPTH)
        return make_play(game)(node, actions, past).sights

    actions = actions_of(name)[:, NODE_ROOT : NODE_ROOT + NODE_DEPTH]
    sights = jax.jit(jax.vmap(play_nodes))(roots, actions)
    expected = jax.tree.map(lambda leaf: leaf[:, NODE_ROOT : NODE_ROOT + NODE_DEPTH + 1], lines.sights)
    assert_equal(sights, expected)


@each_game
def test_a_turned_game_is_the_game_turned(name: str) -> None:
    game, lines = ALL_GAMES[name], lines_of(name)
    symmetries = jnp.arange(BATCH) % game.num_symmetries
    actions = jax.vmap(turned_actions, (None, None, 0))(game, actions_of(name)[0], symmetries)
    sights = batched(name)(starts_of(name), actions).sights
    first = entry(lines.sights, 0)
    for field in ("to_play", "is_over", "score", "outcome"):
        assert_equal(getattr(sights, field), np.broadcast_to(getattr(first, field), (BATCH, PLIES + 1)))
    turn = jax.vmap(jax.vmap(game.transform_policy, (0, None)), (None, 0))
    turned_legal = np.array(turn(jnp.asarray(first.legal, jnp.float32), symmetries)) > 0
    # After the end the mask is not a question of the board: an action of the game's choice, wherever the board turns.
    turned_legal[:, first.is_over] = first.legal[first.is_over]
    assert_equal(sights.legal, turned_legal)


@each_game
def test_policies_turn_as_planes_do_and_each_symmetry_is_another(name: str) -> None:
    game = ALL_GAMES[name]
    rows, columns = game.board_shape
    policy = jnp.arange(game.num_actions, dtype=jnp.float32)
    planes = policy[: rows * columns].reshape(rows, columns, 1)
    seen = set()
    for symmetry in range(game.num_symmetries):
        turned = game.transform_policy(policy, jnp.int32(symmetry))
        turned_planes = game.transform_planes(planes, jnp.int32(symmetry))
        assert_equal(turned[: rows * columns], turned_planes.reshape(-1))
        assert_equal(turned[rows * columns :], policy[rows * columns :])
        seen.add(tuple(turned.tolist()))
    assert len(seen) == game.num_symmetries


def turned_actions(game: Game, actions: Any, symmetry: Any) -> Any:
    """`actions` where `symmetry` moves them, by way of a policy; those out of range stay."""

    def turn(action: Any) -> Any:
        policy = jax.nn.one_hot(action, game.num_actions)
        is_action = (action >= 0) & (action < game.num_actions)
        return jnp.where(is_action, game.transform_policy(policy, symmetry).argmax(), action)

    return jax.vmap(turn)(actions)
