"""What moves lead to, on drawings and on random positions, where the reference plays every move on a copy."""


import encoder_reference as reference
import jax
import numpy as np
import pytest
from random_positions import boards_of, random_positions
from referee import Referee

from research.go import chains
from research.go.after_move import AfterMove, after_moves
from research.go.grid import Grid


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


@pytest.mark.parametrize(("size", "num_games"), [(3, 20), (5, 16), (9, 4)])
@pytest.mark.parametrize("suicide", [False, True])
def test_random_positions_agree_with_playing_every_move_on_a_copy(size: int, num_games: int, suicide: bool) -> None:
    moments = random_positions(size, num_games, 3 * size * size // 2, suicide)
    assert not differences(moments)[:3]
