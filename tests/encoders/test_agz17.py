"""`agz17`: published cases, a plain oracle on random games, and its symmetries.

*Source:* tests/data/encoders (see the README there).
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import encoders, go
from research.go import symmetry

DATA = Path(__file__).parents[1] / "data" / "encoders"
POSITIONS = json.loads((DATA / "agz17_positions.json").read_text())
GAMES = json.loads((DATA / "agz17_games.json").read_text())
ENCODER = encoders.get("agz17")
NOTHING = -1  # an illegal action: it leaves the state as it is, so shorter games can be padded with it
MAX_PLIES = 90  # of the longest recorded game
PLAYERS = {"B": "black", "W": "white"}


class Line(NamedTuple):
    """A game move by move: entry k is after k actions."""

    boards: np.ndarray  # [plies + 1, size, size]
    to_play: np.ndarray  # [plies + 1]
    planes: np.ndarray  # [plies + 1, size, size, 17]
    final: go.GoState


@cache
def game_of(size: int) -> go.Go:
    """Go as the cases play it."""
    return go.Go(go.Rules(size=size, ko="simple"))


@cache
def player_of(size: int) -> Any:
    """(state, actions) -> Line, compiled once a size."""
    game = game_of(size)

    def look(state: go.GoState) -> tuple[Any, ...]:
        return go.board(state), game.to_play(state), ENCODER.encode(game, state)

    def play(state: go.GoState, actions: jax.Array) -> Line:
        def ply(state: go.GoState, action: jax.Array) -> tuple[go.GoState, Any]:
            after = game.step(state, action)
            return after, look(after)

        final, seen = jax.lax.scan(ply, state, actions)
        columns = (jnp.concatenate([first[None], later]) for first, later in zip(look(state), seen, strict=True))
        return Line(*columns, final)

    return jax.jit(play)


def actions_of(moves: list[Any], size: int) -> jax.Array:
    """Actions of a case's moves ([row, column] or "pass"), padded with NOTHING."""
    actions = [size * size if move == "pass" else move[0] * size + move[1] for move in moves]
    return jnp.asarray(actions + [NOTHING] * (MAX_PLIES - len(actions)), jnp.int32)


def expected_planes(case: dict[str, Any]) -> np.ndarray:
    """A case's planes, channels last."""
    size = case["size"]
    planes = np.zeros((size, size, 17), bool)
    for index, rows in case["planes"].items():
        planes[..., int(index)] = rows if isinstance(rows, int) else [[bit == "1" for bit in row] for row in rows]
    return planes


def oracle(boards: np.ndarray, to_play: int) -> np.ndarray:
    """The planes after the last of `boards` (all boards of the game so far), from the definition."""
    size = boards.shape[-1]
    planes = np.zeros((size, size, 17), bool)
    own, opponent = (1, 2) if to_play == 0 else (2, 1)
    for plies_ago in range(min(8, len(boards))):
        planes[..., 2 * plies_ago] = boards[-1 - plies_ago] == own
        planes[..., 2 * plies_ago + 1] = boards[-1 - plies_ago] == opponent
    planes[..., 16] = to_play == 0
    return planes


def random_actions(key: jax.Array, size: int) -> jax.Array:
    """MAX_PLIES actions: random points, legal or not, and every tenth a pass."""
    points = jax.random.randint(key, (MAX_PLIES,), 0, size * size)
    return jnp.where(jnp.arange(MAX_PLIES) % 10 == 9, size * size, points)


@pytest.mark.parametrize("case", POSITIONS, ids=lambda case: case["title"])
def test_published_positions(case: dict[str, Any]) -> None:
    size = case["size"]
    setup = "\n".join(case["setup"] or ["." * size] * size)
    state = go.from_text(game_of(size).rules, setup, to_play=PLAYERS[case["first_player"]])
    line = player_of(size)(state, actions_of(case["moves"], size))
    np.testing.assert_array_equal(line.planes[-1], expected_planes(case))


@pytest.mark.parametrize("case", GAMES, ids=lambda case: case["id"])
def test_published_games(case: dict[str, Any]) -> None:
    size = case["size"]
    line = player_of(size)(game_of(size).init(), actions_of(case["moves"], size))
    assert ["".join(".XO"[stone] for stone in row) for row in np.asarray(line.boards[-1])] == case["rows"]
    np.testing.assert_array_equal(line.planes[-1], expected_planes(case))


@pytest.mark.parametrize("seed", range(4))
def test_random_games_agree_with_the_definition_at_every_ply(seed: int) -> None:
    line = player_of(5)(game_of(5).init(), random_actions(jax.random.key(seed), 5))
    num_moves = 0
    boards = [np.asarray(line.boards[0])]
    for index in range(MAX_PLIES + 1):
        if index and line.to_play[index] != line.to_play[index - 1]:  # a move was made, not a padded nothing
            boards.append(np.asarray(line.boards[index]))
            num_moves += 1
        expected = oracle(np.stack(boards), int(line.to_play[index]))
        np.testing.assert_array_equal(line.planes[index], expected, err_msg=f"action {index}")
    assert num_moves > 16


def test_planes_are_bool_with_a_name_each_and_black_to_move_last() -> None:
    planes = ENCODER.encode(game_of(5), game_of(5).init())
    assert (planes.shape, planes.dtype) == ((5, 5, 17), jnp.bool_)
    assert ENCODER.plane_names[:3] == (
        "own stones, 0 plies ago",
        "opponent stones, 0 plies ago",
        "own stones, 1 plies ago",
    )
    assert ENCODER.plane_names[16] == "black to move"


def test_a_pass_repeats_the_board_and_turns_own_into_opponent() -> None:
    setup = "X....\n.....\n..O..\n.....\n....."
    state = go.from_text(game_of(5).rules, setup)
    line = player_of(5)(state, actions_of(["pass"], 5))
    before, after = line.planes[0], line.planes[-1]
    np.testing.assert_array_equal(after[..., [0, 1]], before[..., [1, 0]])
    np.testing.assert_array_equal(after[..., [2, 3]], after[..., [0, 1]])
    assert not after[..., 4:].any()


def test_exchanged_colours_give_the_same_planes_but_the_last() -> None:
    actions = random_actions(jax.random.key(10), 5)
    setup = "X...O\n.....\n..O..\n.....\n....X"
    swapped_setup = setup.translate(str.maketrans("XO", "OX"))
    line = player_of(5)(go.from_text(game_of(5).rules, setup, to_play="black"), actions)
    swapped = player_of(5)(go.from_text(game_of(5).rules, swapped_setup, to_play="white"), actions)
    np.testing.assert_array_equal(line.planes[..., :16], swapped.planes[..., :16])
    np.testing.assert_array_equal(line.planes[..., 16], ~np.asarray(swapped.planes[..., 16]))


@pytest.mark.parametrize("index", range(symmetry.NUM_SYMMETRIES))
def test_a_turned_game_gives_turned_planes(index: int) -> None:
    actions = random_actions(jax.random.key(11), 5)
    turned_actions = jax.vmap(symmetry.transform_action, (0, None, None))(actions, index, 5)
    line = player_of(5)(game_of(5).init(), actions)
    turned = player_of(5)(game_of(5).init(), turned_actions)
    expected = jax.vmap(symmetry.transform_planes, (0, None))(jnp.asarray(line.planes), index)
    np.testing.assert_array_equal(turned.planes, expected)


def test_a_restarted_game_shows_nothing_of_the_last_one() -> None:
    game = game_of(5)
    line = player_of(5)(game.init(), random_actions(jax.random.key(12), 5))
    assert line.planes[-1][..., :16].any()
    restarted = ENCODER.encode(game, game.restart(line.final, jnp.bool_(True)))
    np.testing.assert_array_equal(restarted, ENCODER.encode(game, game.init()))
    kept = ENCODER.encode(game, game.restart(line.final, jnp.bool_(False)))
    np.testing.assert_array_equal(kept, line.planes[-1])


def test_eager_compiled_and_batched_encodings_are_equal() -> None:
    game = game_of(5)
    finals = [player_of(5)(game.init(), random_actions(jax.random.key(seed), 5)).final for seed in range(3)]
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *finals)
    encode = jax.jit(jax.vmap(ENCODER.encode, (None, 0)), static_argnums=0)
    for state, planes in zip(finals, encode(game, batch), strict=True):
        np.testing.assert_array_equal(planes, ENCODER.encode(game, state))
    assert encode._cache_size() == 1
