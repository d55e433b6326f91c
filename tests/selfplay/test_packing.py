"""Packing: what comes out is what went in, bit by bit, for every dtype and shape; rows have whole vectors."""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.selfplay.packing import ROW_MULTIPLE, pack, pack_row, row_length, unpack

# Lengths below a word, of whole words, and with a rest; shapes of boards with few and many planes, and of scalars.
SHAPES = [(), (1,), (31,), (32,), (33,), (64,), (2, 2, 1), (3, 3, 3), (5, 5, 17), (9, 9, 17), (19, 19, 48), (7, 2, 0)]
DTYPES = [jnp.bool_, jnp.uint8, jnp.float32]


class Mixed(NamedTuple):
    """A tree of arrays of all kinds."""

    planes: Any
    counts: Any
    policy: Any
    value: Any


def random_array(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> np.ndarray:
    """All values of the dtype are as likely; floats are any bits, so also infinities, NaN and subnormal numbers."""
    generator = np.random.default_rng(seed)
    if dtype == jnp.bool_:
        return generator.integers(0, 2, shape).astype(bool)
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return np.frombuffer(generator.bytes(size), dtype).reshape(shape).copy()


def assert_same_bits(first: Any, second: Any) -> None:
    """Two trees are equal bit by bit, NaN included."""
    for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_unpacking_gives_back_what_was_packed_bit_by_bit(dtype: Any) -> None:
    arrays = {str(shape): random_array(shape, dtype, seed) for seed, shape in enumerate(SHAPES)}
    packed = jax.jit(lambda arrays: {name: pack(array) for name, array in arrays.items()})(arrays)
    back = jax.jit(lambda packed: {name: unpack(packed[name], arrays[name]) for name in packed})(packed)
    assert_same_bits(back, arrays)
    bits = 1 if dtype == jnp.bool_ else 8 * np.dtype(dtype).itemsize
    for name, array in arrays.items():
        assert packed[name].shape == (math.ceil(array.size * bits / 32),)
        assert packed[name].dtype == jnp.uint32


@pytest.mark.parametrize("dtype", [jnp.bool_, jnp.uint8])
def test_each_value_has_bits_of_its_own(dtype: Any) -> None:
    num_values = 77
    every = jnp.eye(num_values).astype(dtype)
    packed = np.asarray(jax.jit(jax.vmap(pack))(every))
    assert (np.bitwise_count(packed).sum(axis=1) == 1).all()
    assert len({row.tobytes() for row in packed}) == num_values


def test_a_tree_is_packed_in_order_each_array_in_words_of_its_own() -> None:
    sample = Mixed(
        planes=random_array((3, 3, 5), jnp.bool_),  # 2 words
        counts=random_array((3, 3, 1), jnp.uint8),  # 3
        policy=random_array((10,), jnp.float32),
        value=np.float32(-1),
    )
    words = np.asarray(jax.jit(pack)(sample))
    assert len(words) == 2 + 3 + 10 + 1
    np.testing.assert_array_equal(words[5:15], sample.policy.view(np.uint32))
    assert words[15] == np.float32(-1).view(np.uint32)
    assert_same_bits(jax.jit(lambda words: unpack(words, sample))(words), sample)


def test_what_is_packed_already_stays_as_it_is_when_its_sample_is_packed() -> None:
    plain = Mixed(random_array((3, 3, 5), jnp.bool_), random_array((6,), jnp.uint8), np.float32([3, 4]), np.int32(5))

    @jax.jit
    def both_ways(plain: Mixed) -> tuple[Any, Any, Any]:
        halfway = plain._replace(planes=pack(plain.planes))
        return pack(halfway), pack(plain), unpack(pack_row(halfway), plain)

    packed_twice, packed, back = both_ways(plain)
    np.testing.assert_array_equal(packed_twice, packed)
    assert_same_bits(back, plain)


@pytest.mark.parametrize("num_values", [1, 32 * ROW_MULTIPLE, 32 * ROW_MULTIPLE + 1])
def test_a_row_is_filled_up_with_zeros_to_whole_vectors(num_values: int) -> None:
    row = np.asarray(jax.jit(pack_row)(np.ones(num_values, bool)))
    assert len(row) == row_length(jax.ShapeDtypeStruct((num_values,), bool)) == ROW_MULTIPLE * (1 + num_values // 4097)
    assert np.bitwise_count(row).sum() == num_values
    assert not row[math.ceil(num_values / 32) :].any()


@pytest.mark.parametrize("dtype", [jnp.int8, jnp.bfloat16])
def test_a_dtype_that_no_encoder_draws_is_refused(dtype: Any) -> None:
    with pytest.raises(ValueError, match=f"cannot hold {np.dtype(dtype)}; wanted bool, uint8 or 32 bits"):
        pack(jnp.zeros(3, dtype))
