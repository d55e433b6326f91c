"""What moves lead to, on drawings and on random positions, where the reference plays every move on a copy."""

from collections.abc import Callable
from typing import Any

import encoder_reference as reference
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from random_positions import boards_of, random_positions
from referee import Referee, new_game

from research.go import chains, joints
from research.go.after_move import AfterMove, after_moves
from research.go.grid import Grid
from research.go.text import stones_from_text


@jax.jit
def results(stones: jax.Array, player: jax.Array, legal: jax.Array) -> AfterMove:
    """What each move leads to, for a batch of positions."""
    grid = Grid(stones.shape[-1])
    return jax.vmap(lambda *args: after_moves(grid, chains.label_chains(grid, args[0]), *args[1:]))(
        stones, player, legal
    )


def differences(moments: list[Referee]) -> list[str]:
    """What differs from the reference, in words."""
    found = AfterMove(*map(np.asarray, results(*boards_of(moments))))
    report = []
    for index, game in enumerate(moments):
        for point, wanted in enumerate(reference.results_of(game)):
            place = divmod(point, game.columns)
            got = reference.Result(*(int(values[index][place]) for values in found))
            if got != wanted:
                report.append(f"{game.to_play} at {place}: {got}, wanted {wanted} on\n{game.diagram()}")
    return report


@pytest.mark.parametrize(("size", "num_games", "num_moments"), [(3, 20, 160), (5, 16, 480), (9, 4, 400)])
@pytest.mark.parametrize("suicide", [False, True])
def test_random_positions_agree_with_playing_every_move_on_a_copy(
    size: int, num_games: int, num_moments: int, suicide: bool
) -> None:
    moments = random_positions(size, num_games, 3 * size * size // 2, suicide)
    assert len(moments) >= num_moments
    assert not differences(moments[-num_moments:])[:3]


def test_what_a_tpu_does_instead_comes_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_a_tpu(*operands: Any, default: Callable | None = None, **branches: Callable) -> Any:
        return branches.get("tpu", default)(*operands)  # type: ignore[misc]

    monkeypatch.setattr(lax, "platform_dependent", of_a_tpu)
    results.clear_cache()
    assert not differences(random_positions(5, 8, 40)[-200:])[:3]


@pytest.mark.parametrize("num_at_once", [1, 7])
def test_joints_are_compared_with_all_others_however_short_the_list(
    num_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every empty point is a joint; whoever looks at few at a time must look often.
    position = """
        X . . X . .
        . . X . . X
        . X . . X .
        X . . X . .
        . . X . . X
        . X . . X .
    """
    monkeypatch.setattr(joints, "JOINTS_AT_ONCE", num_at_once)
    monkeypatch.setattr(joints, "JOINTS_IN_A_PIECE", num_at_once)
    moments = [new_game(6, board=position, ko="simple")]
    results.clear_cache()
    assert not differences(moments)


def test_stones_that_are_taken_leave_liberties_where_the_own_chain_touches_them() -> None:
    # Black takes five stones at the fifth point of the first row. Of their points the last two touch his chain there.
    position = """
        O O O O . .
        X X O X X .
        X X X . . .
        . . . . . .
        . . . . . .
        . . . . . .
    """
    stones = jnp.asarray(stones_from_text(position, 6))[None]
    found = results(stones, jnp.zeros(1, jnp.int32), stones == 0)
    assert found.captured[0, 0, 4] == 5
    assert found.stones[0, 0, 4] == 3
    assert (
        found.liberties[0, 0, 4] == 2 + 4
    )  # with the right of both stones on the right, and below both of the second row
    assert found.captured[0].sum() == 5
