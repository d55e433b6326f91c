"""Rows of a node's arrays, read one by one or packed into one row of words: the same bits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.search.packing import read_each, read_packed, take_rows

NUM_NODES, NUM_GAMES = 6, 3
SHAPES = {"float32": (5,), "int32": (), "uint32": (2, 3), "int16": (7,), "uint16": (1,), "int8": (9,), "bool": (2, 5)}
SLOTS = np.array([[0, 5, 2], [3, 5, -1]], np.int32)


@pytest.fixture(scope="module")
def arrays():
    """An array of each type, of all sorts of bits."""
    chance, made = np.random.default_rng(0), {}
    for name, shape in SHAPES.items():
        shape = (NUM_NODES, NUM_GAMES, *shape)
        dtype = np.dtype(name)
        if name == "bool":
            made[name] = chance.random(shape) < 0.5
        else:
            made[name] = chance.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    made["float32"][3, 0] = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-42], np.float32)
    return made


@pytest.mark.parametrize("read", [read_each, read_packed])
def test_a_row_is_read_bit_for_bit(arrays, read):
    slots = np.maximum(SLOTS, 0)
    rows = jax.jit(read)(arrays, jnp.asarray(slots))
    for name, array in arrays.items():
        assert rows[name].dtype == array.dtype
        expected = array[slots, np.arange(NUM_GAMES)]
        assert np.asarray(rows[name]).tobytes() == expected.tobytes(), name


def test_a_slot_of_none_gives_any_row_and_no_other_is_touched(arrays):
    rows = jax.jit(take_rows)(arrays, jnp.asarray(SLOTS))
    np.testing.assert_array_equal(rows["int16"][1, :2], arrays["int16"][SLOTS[1, :2], np.arange(2)])
    assert rows["int16"].shape == (2, NUM_GAMES, 7)
