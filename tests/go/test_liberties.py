"""Liberties and sizes of chains by crediting, against the reference and against boards that no game leads to."""

import encoder_reference as reference
import jax
import jax.numpy as jnp
import numpy as np
from random_positions import boards_of, random_positions

from research.go import chains, liberties
from research.go.grid import Grid
from research.go.liberties import ChainCounts, chain_counts
from research.go.text import stones_from_text

SIZE, NUM_BOARDS = 6, 300
GRID = Grid(SIZE)


@jax.jit
def counts(stones: jax.Array) -> tuple[ChainCounts, jax.Array]:
    """(Counts of the points of many boards, liberties by the slow way)."""

    def count(board: jax.Array) -> tuple[ChainCounts, jax.Array]:
        label = chains.label_chains(GRID, board)
        found = chain_counts(GRID, label)
        points = ChainCounts(*(values[GRID.cells] for values in found))
        return points, chains.count_liberties(GRID, label)[GRID.cells]

    return jax.vmap(count)(stones)


def test_random_positions_agree_with_the_reference() -> None:
    moments = random_positions(SIZE, 8, 60)[-NUM_BOARDS:]
    found, _ = counts(boards_of(moments).stones)
    for index, game in enumerate(moments):
        assert found.liberties[index].tolist() == reference.chain_liberties(game), game.diagram()
        assert found.stones[index].tolist() == reference.chain_stones(game), game.diagram()


def test_boards_that_no_game_leads_to_are_counted_as_the_slow_way_does() -> None:
    rng = np.random.default_rng(0)
    shares = ([0, 0.5, 0.5], [0, 1, 0], [0.1, 0.2, 0.7], [0.7, 0.2, 0.1])
    stones = np.concatenate([rng.choice(3, (NUM_BOARDS // 4, SIZE, SIZE), p=share) for share in shares])
    found, slow = counts(stones.astype(np.int8))
    np.testing.assert_array_equal(found.liberties, slow)
    assert (found.stones[NUM_BOARDS // 4] == SIZE * SIZE).all()  # one chain without a liberty fills the board
    assert not found.liberties[NUM_BOARDS // 4].any()


def test_a_liberty_that_touches_a_chain_four_times_counts_once() -> None:
    position = """
        X X X . . .
        X . X . . .
        X X X . . .
        . . . . . .
        . . . . . .
        . . . . . .
    """
    found, _ = counts(stones_from_text(position, SIZE)[None])
    assert found.liberties[0, :3].tolist() == [7, 7, 7]
    assert found.stones[0, 6:9].tolist() == [8, 0, 8]


def test_sums_by_comparing_all_cells_are_those_by_index() -> None:
    stones = np.random.default_rng(1).choice(3, (20, SIZE, SIZE), p=[0.2, 0.4, 0.4]).astype(np.int8)

    def sums(board: jax.Array) -> list[jax.Array]:
        label = chains.label_chains(GRID, board)
        words = jnp.arange(len(GRID.band_cells), dtype=jnp.int32) % 5 + (1 << liberties.LIBERTY_BITS)
        return [way(GRID, label, words) for way in (liberties._sum_by_index, liberties._sum_by_compare)]

    by_index, by_compare = jax.jit(jax.vmap(sums))(stones)
    is_stone = stones.reshape(20, -1) != 0
    np.testing.assert_array_equal(by_compare[:, GRID.cells][is_stone], by_index[:, GRID.cells][is_stone])
