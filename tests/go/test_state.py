"""A state is small, starts over cleanly, splits for a search without loss, and is left alone by illegal actions."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go

MAX_NODE_BYTES = 2560
PASS_5X5 = 25


@functools.cache  # one compilation for all tests of a game
def legal_and_step(game: go.Go):
    """Jitted (legal_actions, step) of `game`, one position at a time."""
    return jax.jit(game.legal_actions), jax.jit(game.step)


def random_actions(game: go.Go, num_plies: int, seed: int) -> list[int]:
    """Legal actions of one random game that passes only when it must."""
    legal, step = legal_and_step(game)
    generator = np.random.default_rng(seed)
    state, actions = game.init(), []
    for _ in range(num_plies):
        choices = np.flatnonzero(legal(state)[:-1])
        actions.append(int(generator.choice(choices)) if len(choices) else game.num_actions - 1)
        state = step(state, actions[-1])
    return actions


def assert_equal(state: go.GoState, other: go.GoState) -> None:
    """Every field has the same bits."""
    for name, value, other_value in zip(state._fields, state, other, strict=True):
        assert np.array_equal(value, other_value), name


@pytest.fixture(scope="module")
def situational() -> go.Go:
    return go.Go(go.Rules(size=3, komi=0.5, ko="situational", suicide=True, max_moves=60))


@pytest.fixture(scope="module")
def positional() -> go.Go:
    return go.Go(go.Rules(size=5, komi=0.5, ko="positional", max_moves=40))


@pytest.fixture(scope="module")
def play(positional):
    return legal_and_step(positional)


# White to move sends a second stone to C5, Black takes both from A5, White takes that one back at B5: the board of
# before, but with Black to move.
SEND_TWO = """
    . O . X .
    O X X X .
    O O X . .
    . O X . .
    . . . . .
"""
SEND, TAKE, RETURN = 2, 0, 1


@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
def test_a_node_on_19x19_fits_its_budget(ko):
    game = go.Go(go.Rules(size=19, ko=ko))
    node, _ = jax.eval_shape(lambda: game.as_node(game.init(), 32))
    leaves = jax.tree.leaves(node._replace(history=None))
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) <= MAX_NODE_BYTES
    assert node.history.shape[1] <= 32


@pytest.mark.parametrize(
    ("size", "bytes_by_dtype"),
    [
        (9, {"bool": 110, "int16": 236, "uint32": 592, "int32": 24, "float32": 4}),
        (19, {"bool": 420, "int16": 856, "uint32": 1232, "int32": 24, "float32": 4}),
    ],
)
def test_the_bytes_of_a_state_by_dtype(size, bytes_by_dtype):
    """All but the superko history: of labels, one-liberty bits, eight packed boards and a few numbers."""
    state = jax.eval_shape(go.Go(go.Rules(size=size, ko="simple")).init)
    assert state.history.size == 0
    found = dict.fromkeys(bytes_by_dtype, 0)
    for leaf in jax.tree.leaves(state):
        found[leaf.dtype.name] += leaf.size * leaf.dtype.itemsize
    assert found == bytes_by_dtype


def test_illegal_actions_and_numbers_that_are_none_leave_every_bit(positional, play):
    legal, step = play
    state = go.from_text(positional.rules, SEND_TWO, to_play="white")
    for action in [SEND, TAKE]:
        state = step(state, action)
    mask = np.asarray(legal(state))
    illegal = [action for action in range(PASS_5X5) if not mask[action]]
    assert RETURN in illegal  # by superko
    for action in [*illegal, -1, -25, PASS_5X5 + 1, 1000, 2**31 - 1, -(2**31)]:
        assert_equal(step(state, action), state)


@pytest.mark.parametrize("ends", ["two passes", "max_moves"])
def test_a_finished_game_absorbs_every_action(ends, positional, play):
    legal, step = play
    state = step(positional.init(), 12)
    if ends == "two passes":
        state = step(step(state, PASS_5X5), PASS_5X5)
    else:
        state = state._replace(num_moves=jnp.int32(positional.max_moves))
    assert positional.is_over(state)
    assert np.flatnonzero(legal(state)).tolist() == [PASS_5X5]
    for action in [0, 12, PASS_5X5, -1, PASS_5X5 + 1]:
        assert_equal(step(state, action), state)


def test_the_outcome_speaks_only_when_the_game_is_over(positional, play):
    _, step = play
    outcome, score = jax.jit(positional.outcome), jax.jit(positional.score)
    state = step(positional.init(), 12)
    assert (outcome(state), score(state)) == (0, 24.5)
    state = step(step(state, PASS_5X5), PASS_5X5)
    assert (outcome(state), score(state)) == (1, 24.5)
    assert outcome(state._replace(komi=jnp.float32(25))) == 0
    assert outcome(state._replace(komi=jnp.float32(25.5))) == -1


def test_komi_is_data_and_checked_when_it_is_a_number(positional):
    komis = jnp.array([-2.0, 0.5, 6.0])
    states = jax.vmap(positional.init)(komis)
    assert jax.vmap(positional.score)(states).tolist() == [2.0, -0.5, -6.0]
    with pytest.raises(ValueError, match=r"komi=0\.3"):
        positional.init(0.3)


def test_a_restarted_game_goes_as_one_from_init(situational):
    legal, step = legal_and_step(situational)
    restart = jax.jit(situational.restart)
    old = situational.init(komi=-1.5)
    for action in random_actions(situational, 30, seed=1):
        old = step(old, action)
    assert_equal(restart(old, jnp.bool_(False)), old)
    restarted, fresh = restart(old, jnp.bool_(True)), situational.init(komi=-1.5)
    for action in [*random_actions(situational, 40, seed=2), 9, 9]:
        assert_equal(restarted._replace(history=None), fresh._replace(history=None))
        length = int(fresh.history_length)
        assert np.array_equal(restarted.history[:, :length], fresh.history[:, :length])
        assert np.array_equal(legal(restarted), legal(fresh))
        restarted, fresh = step(restarted, action), step(fresh, action)


@pytest.mark.parametrize("num_before", [0, 1, 2])
@pytest.mark.parametrize("ko", ["positional", "situational"])
def test_sending_two_and_returning_one_is_seen_across_the_root(ko, num_before):
    """The repeated board lies above, at or below the root of the search."""
    rules = go.Rules(size=5, komi=0.5, ko=ko, max_moves=40)
    game = go.Go(rules)
    legal, step = legal_and_step(game)
    state = go.from_text(rules, SEND_TWO, to_play="white")
    for action in [SEND, TAKE][:num_before]:
        state = step(state, action)
    node, past = game.as_node(state, max_depth=4)
    for action in [SEND, TAKE][num_before:]:
        node = step(node, action, past)
    is_allowed = ko == "situational"
    assert legal(node, past)[RETURN] == is_allowed
    assert (step(node, RETURN, past).to_play != node.to_play) == is_allowed


def test_a_node_sees_what_the_full_state_sees(situational):
    legal, step = legal_and_step(situational)
    actions = random_actions(situational, 60, seed=3)
    for num_before in (0, 7, 20):
        state = situational.init()
        for action in actions[:num_before]:
            state = step(state, action)
        node, past = situational.as_node(state, max_depth=60)
        num_banned = 0
        for action in actions[num_before:]:
            mask = legal(state)
            num_banned += int((go.board(state).reshape(-1) == 0).sum() - mask[:-1].sum())
            assert np.array_equal(legal(node, past), mask)
            for other in range(situational.num_actions):
                is_changed = step(node, other, past).num_moves != node.num_moves
                assert is_changed == (mask[other] and not situational.is_over(state))
            state, node = step(state, action), step(node, action, past)
            empty = {"history": jnp.zeros((3, 0), jnp.uint32), "history_length": jnp.int32(0)}
            assert_equal(node._replace(**empty), state._replace(**empty))
        assert num_banned > 0


def test_a_path_longer_than_its_node_holds_corrupts_nothing(situational):
    _, step = legal_and_step(situational)
    actions = random_actions(situational, 60, seed=4)
    node, past = situational.as_node(situational.init(), max_depth=8)
    capacity, first_entries = node.history.shape[1], None
    assert capacity < len(actions)
    for ply, action in enumerate(actions):
        node = step(node, action, past)
        if ply + 1 == capacity:
            first_entries = node.history
    assert node.num_moves == len(actions)
    assert np.array_equal(node.history, first_entries)


def test_the_other_side_to_move_lifts_a_simple_ko_ban_and_keeps_the_history(positional, play):
    legal, step = play
    state = go.from_text(positional.rules, "..XO.\n.XO.O\n..XO.\n.....\n.....")
    state = step(state, 8)
    assert not legal(state)[7]
    other = go.with_to_play(state, "black")
    assert go.with_to_play(state, 1).ko == state.ko
    assert positional.to_play(other) == 0
    assert np.array_equal(other.history, state.history)
    assert legal(other)[7]
    back = go.with_to_play(other, "white")
    assert not legal(back)[7]  # the ban is gone, superko is not
    assert_equal(step(back, 7), back)


def test_a_player_who_moves_twice_may_not_undo_a_suicide():
    rules = go.Rules(size=3, komi=0.5, suicide=True)
    legal, step = legal_and_step(go.Go(rules))
    state = go.from_text(rules, "XXO\n.X.\n..X", to_play="white")
    suicide = step(state, 5)
    assert not (go.board(suicide) == 2).any()
    again = go.with_to_play(suicide, "white")
    assert not legal(again)[2]  # would bring back the position before the suicide
    assert legal(again)[3]


def test_recent_boards_and_moves_are_those_of_the_last_eight_plies(positional, play):
    _, step = play
    state, boards = positional.init(), []
    for action in [0, 1, 6, PASS_5X5, 5, 2, 7, 3, 8, 4]:
        state = step(state, action)
        stones = np.asarray(go.board(state))
        boards.insert(0, [((stones == colour) << np.arange(5)).sum(1) for colour in (1, 2)])
    assert np.array_equal(state.recent_boards, boards[:8])
    assert state.recent_moves.tolist() == [4, 8, 3, 7, 2, 5, PASS_5X5, 6]
    assert state.recent_players == 0b01010101


@pytest.mark.parametrize("size", range(2, 20))
def test_komi_is_seven_and_a_half_on_every_board_unless_it_is_given(size):
    assert go.Rules(size=size).komi == 7.5
    assert float(go.Go(go.Rules(size=size)).init().komi) == 7.5
    assert float(go.Go(go.Rules(size=size)).init(komi=0.5).komi) == 0.5
