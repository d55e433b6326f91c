"""The table of evaluations: a search that looks into it grows the same tree, and asks the network less.

The evaluation counts, by a callback, how many positions it is asked about. It is scrambled, so that a wrong entry would
lead a search elsewhere.

*Source:* none.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.game import State
from research.go import Go, Rules
from research.networks import Prediction
from research.search import Evaluate, SearchConfig, WithKey, make_tree_search
from research.search.evaluation_cache import (
    EvaluationTable,
    Remembered,
    WithTable,
    empty_table,
    make_cached_evaluate,
    remember,
)
from research.search.search import Searched
from research.search.tree import ROOT, Tree
from research.toys import TicTacToe
from tests.search.stand_ins import assert_same_searches, batch_of, scrambled

GAME = Go(Rules(size=3, komi=0.5, ko="simple"))
CONFIG = SearchConfig(num_simulations=12, max_num_considered_actions=8)
MOVES = (4, 0, 2)
STEP = jax.jit(GAME.step)
ASKED: list[int] = []  # positions of each call of the network


def counted(game: Go) -> Evaluate:
    """The scrambled evaluation, which notes what it is asked."""
    evaluate = scrambled(game)

    def counting(variables: object, states: State) -> Prediction:
        jax.debug.callback(ASKED.append, jnp.int32(len(states.to_play)))
        return evaluate(variables, states)

    return counting


def num_asked(function: Callable[..., Any], *arguments: object) -> tuple[Any, int]:
    """(what the function gives, on the host; how many positions the network was asked about)."""
    ASKED.clear()
    result = jax.device_get(function(*arguments))
    jax.effects_barrier()
    return result, int(sum(ASKED))


@functools.cache
def cached(num_leaves: int = 1) -> Callable[..., tuple[Searched, Remembered]]:
    """A search with a table, and what it leaves there."""
    config = dataclasses.replace(CONFIG, num_leaves=num_leaves)
    search = make_tree_search(GAME, make_cached_evaluate(GAME, counted(GAME)), config)

    def search_and_remember(table: EvaluationTable, states: State, key: jax.Array) -> tuple[Searched, Remembered]:
        searched = search(WithTable(None, table), states, key)
        return searched, remember(GAME, config, table, searched.tree)

    return jax.jit(search_and_remember)


def assert_same_trees(first: Searched, second: Searched) -> None:
    """As `assert_same_searches`; what the root opens its moves by may differ by a constant, as logits may."""
    assert_same_searches(*map(levelled, (first, second)))


def levelled(searched: Searched) -> Searched:
    """The search with 0 for the best move of the root, among what it opens its moves by."""
    tree, best = searched.tree, searched.tree.root_order.max()
    order, next_order = tree.order - best * (tree.parent == ROOT), tree.next_order.copy()
    next_order[ROOT] -= best
    return searched._replace(tree=tree._replace(order=order, next_order=next_order))


def position(*moves: int, **changes: object) -> State:
    """A batch of the one position after some moves, with other fields."""
    state = functools.reduce(STEP, map(jnp.int32, moves), GAME.init())
    return batch_of([state._replace(**{name: jnp.asarray(value) for name, value in changes.items()})])


@pytest.fixture(scope="module")
def first() -> tuple[Searched, Remembered]:
    """A search of the position by an empty table."""
    return jax.device_get(cached()(empty_table(GAME.num_actions), position(*MOVES), jax.random.key(0)))


def test_the_same_search_again_asks_for_nothing_and_grows_the_same_tree(first: tuple[Searched, Remembered]) -> None:
    plain = jax.jit(make_tree_search(GAME, scrambled(GAME), CONFIG))
    wanted = jax.device_get(plain(None, position(*MOVES), jax.random.key(0)))
    assert_same_trees(first[0], wanted)
    (again, remembered), asked = num_asked(cached(), first[1].table, position(*MOVES), jax.random.key(0))
    assert_same_trees(again, wanted)
    assert asked == 0
    assert int(first[1].num_known) == 0
    assert 1 < int(first[1].num_nodes) <= CONFIG.num_simulations + 1
    assert int(remembered.num_known) == int(remembered.num_nodes) == int(first[1].num_nodes)


@pytest.mark.parametrize("num_leaves", [1, 4])
def test_other_noise_and_the_position_after_a_move_find_part_of_the_table(
    num_leaves: int, first: tuple[Searched, Remembered]
) -> None:
    search, best = cached(num_leaves), int(first[0].result.action[0])
    for states, key in ((position(*MOVES), 1), (position(*MOVES, best), 2)):
        position_and_key = states, jax.random.key(key)
        (wanted, _), asked_without = num_asked(search, empty_table(GAME.num_actions), *position_and_key)
        (found, remembered), asked = num_asked(search, first[1].table, *position_and_key)
        assert_same_trees(found, wanted)
        assert 0 < int(remembered.num_known) < int(remembered.num_nodes)
        assert asked_without - asked == int(remembered.num_known)


def is_known(table: EvaluationTable, states: State) -> bool:
    """Whether the network need not be asked about the position."""
    return num_asked(evaluate_one(), WithTable(None, table), states)[1] == 0


@functools.cache
def evaluate_one() -> Evaluate:
    """An evaluation with a table, compiled once."""
    return jax.jit(make_cached_evaluate(GAME, counted(GAME)))


def test_komi_and_the_past_that_encoders_read_are_part_of_the_key(first: tuple[Searched, Remembered]) -> None:
    table = first[1].table
    state = jax.tree.map(lambda leaf: leaf[0], position(*MOVES))
    assert is_known(table, position(*MOVES))
    assert not is_known(table, position(*MOVES, komi=np.float32(1.5)))
    assert not is_known(table, position(2, 0, 4)), "the same stones by other moves"
    assert not is_known(table, position(*MOVES, to_play=1 - int(state.to_play)))
    assert not is_known(table, position(*MOVES, passes=1))
    oldest = np.asarray(state.recent_boards).copy()
    oldest[7, 0, 0] ^= 1
    assert not is_known(table, position(*MOVES, recent_boards=oldest))
    moves = np.asarray(state.recent_moves).copy()
    moves[7] = 3
    assert not is_known(table, position(*MOVES, recent_moves=moves))


def test_a_game_that_is_over_is_never_asked_about(first: tuple[Searched, Remembered]) -> None:
    assert not is_known(first[1].table, position(4))
    assert is_known(first[1].table, position(4, 9, 9)), "two passes"


def test_a_move_that_superko_forbade_then_and_allows_now_is_asked_about(first: tuple[Searched, Remembered]) -> None:
    states, tree = position(*MOVES), first[0].tree
    legal = np.asarray(GAME.legal_actions(jax.tree.map(lambda leaf: leaf[0], states)))
    for action, wanted in ((np.flatnonzero(legal)[0], False), (np.flatnonzero(~legal)[0], True)):
        log_policy = tree.log_policy.copy()
        log_policy[0, 0, action] = -np.inf  # as superko has it
        remembered = remember_in_vain(tree._replace(log_policy=log_policy))
        assert is_known(remembered.table, states) == wanted


@functools.cache
def remember_by(config: SearchConfig, first_slot: int = 1) -> Callable[..., Remembered]:
    """`remember`, compiled once."""
    return jax.jit(functools.partial(remember, GAME, config, first_slot=first_slot))


def remember_in_vain(tree: Tree) -> Remembered:
    """What an empty table remembers of a tree."""
    return remember_by(CONFIG)(empty_table(GAME.num_actions), tree)


def test_a_small_table_keeps_whole_entries_of_the_newest(first: tuple[Searched, Remembered]) -> None:
    tree, table = first[0].tree, empty_table(GAME.num_actions, num_slots=4)
    for value in (tree.raw_value, tree.raw_value + 1):
        table = jax.device_get(remember_by(CONFIG)(table, tree._replace(raw_value=value)).table)
        assert table.is_used.all()
        for policy_kept, value_kept in zip(table.log_policy, table.value, strict=True):
            assert ((tree.log_policy[:, 0] == policy_kept).all(1) & (value[:, 0] == value_kept)).any()


def test_a_root_with_noise_in_its_policy_and_nodes_of_searches_before_are_left_out(
    first: tuple[Searched, Remembered],
) -> None:
    tree, empty = first[0].tree, empty_table(GAME.num_actions)
    noisy = SearchConfig(12, rule="puct", dirichlet_fraction=0.25)
    remembered = remember_by(noisy)(empty, tree)
    assert not is_known(remembered.table, position(*MOVES))
    assert int(remembered.num_nodes) == int(first[1].num_nodes) - 1
    remembered = remember_by(CONFIG, first_slot=9)(empty, tree)
    assert is_known(remembered.table, position(*MOVES))
    assert int(remembered.num_nodes) == int(first[1].num_nodes) - 8


def test_chance_and_other_games_are_refused() -> None:
    table = empty_table(GAME.num_actions)
    evaluate = make_cached_evaluate(GAME, counted(GAME))
    with pytest.raises(ValueError, match="random symmetries"):
        evaluate(WithTable(WithKey(None, jax.random.key(0)), table), position())
    toy = TicTacToe()
    states = batch_of([toy.init()])
    with pytest.raises(ValueError, match="TicTacToeState"):
        make_cached_evaluate(toy, scrambled(toy))(WithTable(None, table), states)
