"""A ring of the latest training samples, on the device.

The ring is laid out as [lanes, slots, words]: a sample is one row of words (packing.py). Each rollout is written as one
block of slots in every lane, by one dynamic update at an index that all lanes share, and each lane is read at its own
random slots. The lane axis is what the devices split ("data"), so neither writing nor reading moves a sample between
devices, and what is drawn does not depend on their number.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int32, UInt32

from research.game import Game
from research.selfplay.packing import pack_row, row_length, unpack
from research.selfplay.targets import Samples


@dataclass(frozen=True)
class ReplayConfig:
    """Size of the ring."""

    num_rollouts: int = 16  # rollouts kept; the oldest is overwritten first

    def __post_init__(self) -> None:
        """Raise ValueError if nothing would be kept."""
        if self.num_rollouts < 1:
            raise ValueError(f"replay.num_rollouts is {self.num_rollouts}; it must be at least 1")


class Replay(NamedTuple):
    """The ring and how much was ever written to it."""

    rows: UInt32[Array, "lanes slots words"]  # a sample a row, packed
    num_written: Int32[Array, ""]  # slots a lane written since the start, overwritten ones included


def empty_replay(example: Samples, num_lanes: int, num_slots: int) -> Replay:
    """A ring of zeros for samples like `example`: one sample's arrays or their shapes."""
    return Replay(jnp.zeros((num_lanes, num_slots, row_length(example)), jnp.uint32), jnp.int32(0))


def insert(replay: Replay, samples: Samples) -> Replay:
    """The ring with a rollout's samples [plies, games, ...] over its oldest block; slots must be whole blocks."""
    num_lanes, num_slots, num_words = replay.rows.shape
    # Neighbouring games share a lane, so a device that owns the games owns the lane too.
    block = jax.vmap(jax.vmap(pack_row))(samples).swapaxes(0, 1).reshape(num_lanes, -1, num_words)
    block_length = block.shape[1]
    start = jax.lax.rem(replay.num_written, num_slots)
    written = jax.lax.dynamic_update_slice_in_dim(replay.rows, block, start, axis=1)
    # The count wraps to one full ring above zero, so that it never overflows and stays a multiple of the block.
    num_written = replay.num_written + block_length
    return Replay(written, jnp.where(num_written >= 2 * num_slots, num_written - num_slots, num_written))


def draw(replay: Replay, key: Array, batch_size: int, example: Samples) -> Samples:
    """`batch_size` samples like `example`, uniformly with replacement from what the ring holds; the key is consumed."""
    num_lanes, num_slots, num_words = replay.rows.shape
    num_filled = jnp.minimum(replay.num_written, num_slots)
    slots = jax.random.randint(key, (num_lanes, batch_size // num_lanes), 0, num_filled)
    rows = jax.vmap(lambda lane, index: lane[index])(replay.rows, slots).reshape(batch_size, num_words)
    return jax.vmap(lambda row: unpack(row, example))(rows)


def augment(game: Game, samples: Samples, key: Array) -> Samples:
    """Each sample under a random symmetry of the board; the key is consumed."""
    if game.num_symmetries == 1:
        return samples
    symmetry = jax.random.randint(key, samples.value.shape, 0, game.num_symmetries)
    return samples._replace(
        planes=jax.vmap(game.transform_planes)(samples.planes, symmetry),
        policy=jax.vmap(game.transform_policy)(samples.policy, symmetry),
    )


def augment_by_all(game: Game, samples: Samples) -> Samples:
    """The samples under every symmetry of the board, `num_symmetries` times as many, in the order of the symmetries."""
    number = jnp.arange(game.num_symmetries, dtype=jnp.int32)
    every = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (game.num_symmetries, *leaf.shape)), samples)
    turned = every._replace(
        planes=jax.vmap(jax.vmap(game.transform_planes, (0, None)))(every.planes, number),
        policy=jax.vmap(jax.vmap(game.transform_policy, (0, None)))(every.policy, number),
    )
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), turned)
