"""The board of before the recent moves, found again from the sides on which the oldest of them took chains off."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import go
from research.go.recent import board_before
from research.go.state import NUM_RECENT

NUM_PLIES = 150


@cache
def replay(game: go.Go):
    """(state, actions) -> (packed boards after each action, what `board_before` says there, moves made so far)."""

    def look(state: go.GoState) -> tuple[jax.Array, jax.Array, jax.Array]:
        return state.recent_boards[0], board_before(game.grid, state), state.num_moves

    def ply(state: go.GoState, action: jax.Array) -> tuple[go.GoState, tuple[jax.Array, ...]]:
        after = game.step(state, action)
        return after, look(after)

    return jax.jit(lambda state, actions: (look(state), jax.lax.scan(ply, state, actions)[1]))


def compare(game: go.Go, state: go.GoState, actions: list[int]) -> int:
    """How many stones were taken off by a move that lies eight plies back at some time; all boards must be right."""
    padded = jnp.asarray(actions + [-1] * (NUM_PLIES - len(actions)), jnp.int32)
    first, rest = replay(game)(state, padded)
    boards, found, num_moves = (np.concatenate([one[None], many]) for one, many in zip(first, rest, strict=True))
    history = {int(number): board for number, board in zip(num_moves, boards, strict=True)}
    for number, before in zip(num_moves.tolist(), found, strict=True):
        wanted = history[number - NUM_RECENT] if number >= NUM_RECENT else np.zeros_like(before)
        np.testing.assert_array_equal(before, wanted, err_msg=f"after {number} moves")
    pairs = [(history[number], history[number + 1]) for number in range(len(history) - NUM_RECENT)]
    return int(sum(np.bitwise_count(before & ~after).sum() for before, after in pairs))


@pytest.mark.parametrize(("size", "suicide"), [(5, False), (3, True)])
def test_the_board_eight_plies_ago_is_found_again_at_every_ply(size: int, suicide: bool) -> None:
    game = go.Go(go.Rules(size=size, komi=0.5, ko="positional", suicide=suicide, max_moves=NUM_PLIES))
    num_taken = 0
    for seed in range(4):
        generator = np.random.default_rng(seed)
        actions = generator.integers(0, size * size, NUM_PLIES)  # legal or not; every eleventh a pass
        actions[10::11] = size * size
        num_taken += compare(game, game.init(), actions.tolist())
    assert num_taken > 20


def test_stones_that_were_set_up_come_back_when_they_were_captured() -> None:
    game = go.Go(go.Rules(size=5, komi=0.5, ko="positional", max_moves=NUM_PLIES))
    state = go.from_text(game.rules, "OO.XX\nXXXX.\n.....\n.OOO.\nOXXX.")
    capture = 2, 4 * 5 + 4  # Black takes two at the top, White three at the bottom
    assert compare(game, state, [*capture, 25, 12, 25, 13, 25, 14, 25, 10]) == 5


def test_a_suicide_is_undone_as_well() -> None:
    game = go.Go(go.Rules(size=5, komi=0.5, ko="positional", suicide=True, max_moves=NUM_PLIES))
    state = go.from_text(game.rules, "..XO.\n...XX\n.....\n.....\n.....", to_play="white")
    assert compare(game, state, [4, 25, 10, 25, 12, 25, 14, 25]) == 1
