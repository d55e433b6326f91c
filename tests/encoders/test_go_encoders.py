"""What holds for every encoder of Go, whatever its planes are: one compilation, symmetry, colour, garbage, names.

Games are played from a set-up position by random actions, legal or not, and once more with the board turned each way
and with the colours exchanged. Ladders take most of the time to compile, so they are left out here; the slow tests put
them in, and superko and suicide as well.

*Source:* none; the properties are those that docs/planes.md promises.
"""

import inspect
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import encoders, go
from research.go import symmetry
from research.go.setup import set_up

SIZE, NUM_GAMES, NUM_PLIES = 7, 3, 40
PLAIN = go.Rules(size=SIZE, ko="simple", max_moves=NUM_PLIES + 1)
STRICT = go.Rules(size=SIZE, ko="situational", suicide=True, max_moves=NUM_PLIES + 1)
TWIN = "alphago48_roc"  # differs from alphago48 in one number
SETUP = """
. . X O . . .
. X . X O O .
. X O O X . .
. . . . . . X
. O O X . X O
. . O X X O .
. . . . . O .
"""


def names() -> list[str]:
    """The encoders that read positions of Go."""
    return [name for name in encoders.names() if encoders.get(name).game_type is go.Go]


def has_ladders(name: str) -> bool:
    """Whether ladders can be left out of an encoder."""
    return "ladders" in inspect.signature(encoders.maker_of(name)).parameters


FAST = [(name, {"ladders": False} if has_ladders(name) else {}, PLAIN) for name in names() if name != TWIN]
SLOW = [(name, {}, rules) for name in names() for rules in (PLAIN, STRICT) if (name, {}, rules) not in FAST]
CASES = [pytest.param(*case, id=case[0]) for case in FAST]
CASES += [pytest.param(*case, id=f"{case[0]}-{case[2].ko}", marks=pytest.mark.slow) for case in SLOW]
every_encoder = pytest.mark.parametrize(("name", "options", "rules"), CASES)


@cache
def encode_of(name: str, options: tuple[tuple[str, Any], ...], rules: go.Rules) -> Any:
    """(batch of states) -> planes, compiled once for all tests."""
    encoder, game = encoders.get(name, **dict(options)), go.Go(rules)
    return jax.jit(jax.vmap(lambda state: encoder.encode(game, state)))


def encode(name: str, options: dict[str, Any], rules: go.Rules, states: go.GoState) -> np.ndarray:
    """The planes of a batch of states."""
    return np.asarray(encode_of(name, tuple(options.items()), rules)(states))


@cache
def played(rules: go.Rules) -> go.GoState:
    """Games seen from eight sides, then the same games with the colours exchanged: [9 * NUM_GAMES] states."""
    game, generator = go.Go(rules), np.random.default_rng(5)
    actions = generator.integers(0, SIZE * SIZE, (NUM_GAMES, NUM_PLIES)).astype(np.int32)
    actions[:, 6::13] = SIZE * SIZE
    for number in range(NUM_GAMES):  # games of several lengths; no game has an action -1
        actions[number, NUM_PLIES - 7 * number :] = -1
    stones = np.array([".XO".index(point) for point in SETUP.split()], np.int8).reshape(SIZE, SIZE)

    def play(stones: jax.Array, to_play: jax.Array, komi: jax.Array, actions: jax.Array) -> go.GoState:
        start = set_up(game, stones, to_play, komi)
        return jax.lax.scan(lambda state, action: (game.step(state, action), None), start, actions)[0]

    def turn(number: jax.Array) -> tuple[jax.Array, jax.Array]:
        turn_actions = jax.vmap(jax.vmap(symmetry.transform_action, (0, None, None)), (0, None, None))
        turned = symmetry.transform_planes(jnp.asarray(stones), number)
        return jnp.broadcast_to(turned, (NUM_GAMES, SIZE, SIZE)), turn_actions(jnp.asarray(actions), number, SIZE)

    boards, turned_actions = jax.jit(jax.vmap(turn))(jnp.arange(symmetry.NUM_SYMMETRIES))
    exchanged = np.array([0, 2, 1], np.int8)[np.asarray(boards[:1])]
    is_exchanged = np.repeat(np.arange(9) == 8, NUM_GAMES)
    return jax.jit(jax.vmap(play))(
        jnp.concatenate([boards, exchanged]).reshape(-1, SIZE, SIZE),
        jnp.asarray(is_exchanged, jnp.int32),
        jnp.asarray(np.where(is_exchanged, -6.5, 6.5), jnp.float32),
        jnp.concatenate([turned_actions, turned_actions[:1]]).reshape(-1, NUM_PLIES),
    )


def garbage(rules: go.Rules) -> go.GoState:
    """As many states as in `played` that no game leads to: boards without liberties, then nonsense in each field."""
    game, generator = go.Go(rules), np.random.default_rng(6)
    states = played(rules)
    count = len(states.to_play)
    stones = generator.integers(0, 3, (count, SIZE, SIZE)).astype(np.int8)
    stones[: count // 3] = generator.integers(1, 3, (count // 3, SIZE, SIZE))
    to_play = jnp.asarray(generator.integers(0, 2, count), jnp.int32)
    boards = jax.jit(jax.vmap(lambda stones, player: set_up(game, stones, player)))(jnp.asarray(stones), to_play)

    def nonsense(leaf: jax.Array) -> jax.Array:
        if leaf.dtype == jnp.bool_:
            return jnp.asarray(generator.integers(0, 2, leaf.shape), bool)
        if leaf.dtype == jnp.float32:
            return jnp.asarray(generator.normal(0, 1e6, leaf.shape), jnp.float32)
        limits = np.iinfo(leaf.dtype)
        return jnp.asarray(generator.integers(limits.min, limits.max, leaf.shape, leaf.dtype))

    is_board = np.arange(count) < count * 2 // 3
    return jax.tree.map(
        lambda board, leaf: jnp.where(is_board.reshape(-1, *[1] * (leaf.ndim - 1)), board, leaf),
        boards,
        jax.tree.map(nonsense, states)._replace(to_play=to_play),
    )


@every_encoder
def test_a_turned_game_gives_turned_planes(name: str, options: dict[str, Any], rules: go.Rules) -> None:
    planes = encode(name, options, rules, played(rules)).reshape(9, NUM_GAMES, SIZE, SIZE, -1)
    for number in range(symmetry.NUM_SYMMETRIES):
        for game in range(NUM_GAMES):
            expected = symmetry.transform_planes(jnp.asarray(planes[0, game]), number)
            np.testing.assert_array_equal(planes[number, game], expected, err_msg=f"symmetry {number}")
    assert (planes[0] != planes[1]).any()


@every_encoder
def test_exchanged_colours_exchange_the_planes_that_name_a_colour(
    name: str, options: dict[str, Any], rules: go.Rules
) -> None:
    planes = encode(name, options, rules, played(rules)).reshape(9, NUM_GAMES, SIZE, SIZE, -1)
    plane_names = encoders.get(name, **options).plane_names
    exchanged_words = str.maketrans({"[": "white", "]": "black"})
    for index, plane_name in enumerate(plane_names):
        counterpart = plane_name.replace("black", "[").replace("white", "]").translate(exchanged_words)
        if plane_name == "black to move":
            np.testing.assert_array_equal(planes[8, ..., index], 1 - planes[0, ..., index].astype(int))
        else:
            partner = planes[8, ..., plane_names.index(counterpart)]
            np.testing.assert_array_equal(planes[0, ..., index], partner, err_msg=plane_name)


@every_encoder
def test_garbage_gives_planes_all_the_same_and_nothing_is_compiled_again(
    name: str, options: dict[str, Any], rules: go.Rules
) -> None:
    encoder, states = encoders.get(name, **options), garbage(rules)
    planes = encode(name, options, rules, states)
    assert planes.shape == (9 * NUM_GAMES, SIZE, SIZE, encoder.num_planes)
    assert planes.dtype in (bool, np.uint8, np.float32)
    # A position's planes do not depend on what else is in the batch.
    backwards = encode(name, options, rules, jax.tree.map(lambda leaf: leaf[::-1], states))
    np.testing.assert_array_equal(backwards[::-1], planes)
    assert encode_of(name, tuple(options.items()), rules)._cache_size() == 1


@every_encoder
def test_globals_are_seen_by_the_player_to_move_from_every_side_alike(
    name: str, options: dict[str, Any], rules: go.Rules
) -> None:
    encoder, game, states = encoders.get(name, **options), go.Go(rules), played(rules)
    numbers = np.asarray(jax.jit(jax.vmap(lambda state: encoder.encode_globals(game, state)))(states))
    assert numbers.shape == (9 * NUM_GAMES, encoder.num_globals)
    assert numbers.dtype == np.float32
    for side in range(9):  # the last with colours exchanged, and komi with them
        np.testing.assert_array_equal(numbers.reshape(9, NUM_GAMES, -1)[side], numbers[:NUM_GAMES])


@pytest.mark.parametrize("name", names())
def test_planes_have_one_name_each_and_no_two_the_same(name: str) -> None:
    encoder = encoders.get(name)
    assert len(set(encoder.plane_names)) == encoder.num_planes
    assert len(set(encoder.global_names)) == encoder.num_globals
    digits = "".join(filter(str.isdigit, name))
    assert encoder.num_planes == int(digits)  # an encoder's name ends in the number of its planes
