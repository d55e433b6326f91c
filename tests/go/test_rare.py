"""Rare work is done for the games that need it, and comes to the same as doing it for all and choosing."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.go.rare import GAMES_AT_A_TIME, where_needed

COLUMNS = np.arange(3, dtype=np.int32)


def work(number, values):
    """Two results of different shapes."""
    return {"sum": values.sum() + number, "values": values * number + COLUMNS}


def of_one_game(is_needed, number, values):
    otherwise = {"sum": jnp.int32(-1), "values": -values}
    return where_needed(work, is_needed, otherwise, number, values)


def games(num_games, is_needed):
    """(flags, numbers, values) of a batch."""
    numbers = np.arange(num_games, dtype=np.int32)
    values = np.arange(3 * num_games, dtype=np.int32).reshape(num_games, 3)
    return jnp.asarray(is_needed), jnp.asarray(numbers), jnp.asarray(values)


def expected(is_needed, numbers, values):
    """The same, game by game."""
    sums = np.where(is_needed, values.sum(1) + numbers, -1)
    return sums, np.where(is_needed[:, None], values * numbers[:, None] + COLUMNS, -values)


@pytest.mark.parametrize("num_games", [1, GAMES_AT_A_TIME, GAMES_AT_A_TIME + 1, 41])
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_batch_gives_what_each_game_gives(num_games, share):
    operands = games(num_games, np.random.default_rng(num_games).random(num_games) < share)
    found = jax.jit(jax.vmap(of_one_game))(*operands)
    sums, values = expected(*(np.asarray(operand) for operand in operands))
    np.testing.assert_array_equal(found["sum"], sums)
    np.testing.assert_array_equal(found["values"], values)


@pytest.mark.parametrize("is_needed", [False, True])
def test_one_game_needs_no_batch(is_needed):
    operands = games(5, np.full(5, is_needed))
    found = of_one_game(*(operand[3] for operand in operands))
    sums, values = expected(*(np.asarray(operand) for operand in operands))
    assert found["sum"] == sums[3]
    np.testing.assert_array_equal(found["values"], values[3])


def test_batches_of_batches_and_what_all_games_share():
    flags, numbers, values = games(12, np.arange(12) % 3 == 0)
    flags, numbers = flags.reshape(3, 4), numbers.reshape(3, 4)
    shared = values[5]
    nested = jax.vmap(jax.vmap(of_one_game, (0, 0, None)), (0, 0, None))(flags, numbers, shared)
    flat = jax.vmap(of_one_game, (0, 0, None))(flags.reshape(12), numbers.reshape(12), shared)
    np.testing.assert_array_equal(nested["values"].reshape(12, 3), flat["values"])
    np.testing.assert_array_equal(flat["sum"], np.where(np.arange(12) % 3 == 0, int(shared.sum()) + np.arange(12), -1))


def test_devices_that_play_their_own_games_say_nothing_to_each_other():
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("data",))
    rows = jax.sharding.PartitionSpec("data")
    split = jax.shard_map(jax.vmap(of_one_game), mesh=mesh, in_specs=rows, out_specs=rows, check_vma=False)
    operands = games(20 * len(jax.devices()), np.arange(20 * len(jax.devices())) % 7 == 0)
    program = jax.jit(split).lower(*operands).compile()
    text = program.as_text() or ""
    assert not any(word in text for word in ("all-reduce", "all-gather", "all-to-all", "collective-permute"))
    sums, _ = expected(*(np.asarray(operand) for operand in operands))
    np.testing.assert_array_equal(program(*operands)["sum"], sums)
