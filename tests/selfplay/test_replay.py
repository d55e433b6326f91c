"""The replay ring: what it keeps and forgets, how it is drawn from, and symmetries that keep a sample true.

Each sample carries its own number as its value target, so a test reads off where it went.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research import encoders
from research.selfplay.packing import unpack
from research.selfplay.replay import Replay, ReplayConfig, augment, augment_by_all, draw, empty_replay, insert
from research.selfplay.targets import Samples
from research.toys import Bandit, TicTacToe, TicTacToeState

NUM_GAMES, NUM_PLIES, NUM_ROLLOUTS = 4, 3, 2
ROLLOUT = NUM_GAMES * NUM_PLIES  # samples
EXAMPLE = Samples(jnp.zeros((2, 2, 1), bool), jnp.zeros(5), jnp.float32(0), jnp.float32(0))

GAME = TicTacToe()


def rollout_number(number: int) -> Samples:
    """A rollout's samples [plies, games]; all values are different over rollouts, none is 0."""
    value = 1.0 + number * ROLLOUT + jnp.arange(ROLLOUT, dtype=jnp.float32).reshape(NUM_PLIES, NUM_GAMES)
    return Samples(
        planes=jnp.broadcast_to((value % 2 == 1)[..., None, None, None], (NUM_PLIES, NUM_GAMES, 2, 2, 1)),
        policy=jnp.broadcast_to(value[..., None], (NUM_PLIES, NUM_GAMES, 5)),
        value=value,
        value_weight=value,
    )


def empty_ring(num_lanes: int) -> Replay:
    """A ring of NUM_ROLLOUTS rollouts."""
    return empty_replay(EXAMPLE, num_lanes, NUM_ROLLOUTS * ROLLOUT // num_lanes)


insert_jitted = jax.jit(insert)
draw_jitted = jax.jit(lambda replay, key, batch_size: draw(replay, key, batch_size, EXAMPLE), static_argnums=2)
unpack_ring = jax.jit(jax.vmap(jax.vmap(lambda row: unpack(row, EXAMPLE))))


@functools.cache
def ring_after(num_rollouts: int, num_lanes: int = NUM_GAMES) -> Replay:
    """The ring after so many rollouts."""
    if num_rollouts == 0:
        return empty_ring(num_lanes)
    return insert_jitted(ring_after(num_rollouts - 1, num_lanes), rollout_number(num_rollouts - 1))


def values_of(*rollouts: int) -> set[float]:
    """The values of all samples of these rollouts."""
    return {float(value) for number in rollouts for value in rollout_number(number).value.ravel()}


def held(replay: Replay) -> set[float]:
    """The values in the ring, without empty slots."""
    return {float(value) for value in unpack_ring(replay.rows).value.ravel()} - {0.0}


@pytest.mark.parametrize("num_lanes", [1, 2, 4])
def test_the_ring_holds_the_latest_rollouts_and_forgets_the_oldest_first(num_lanes: int) -> None:
    for num_rollouts in range(1, 6):
        latest = range(max(0, num_rollouts - NUM_ROLLOUTS), num_rollouts)
        assert held(ring_after(num_rollouts, num_lanes)) == values_of(*latest)


@pytest.mark.parametrize("num_lanes", [1, 2, 4])
def test_a_games_samples_stay_in_the_lane_of_its_device(num_lanes: int) -> None:
    lanes = np.asarray(unpack_ring(ring_after(3, num_lanes).rows).value)
    games_a_lane = NUM_GAMES // num_lanes
    for lane, values in enumerate(lanes):
        games = (values.astype(int) - 1) % NUM_GAMES
        assert set(games // games_a_lane) == {lane}


def test_all_parts_of_a_sample_travel_together() -> None:
    samples = draw_jitted(ring_after(3), jax.random.key(0), 64)
    value = np.asarray(samples.value)
    assert value.all()
    np.testing.assert_array_equal(samples.value_weight, value)
    np.testing.assert_array_equal(samples.policy, np.repeat(value[:, None], 5, axis=1))
    np.testing.assert_array_equal(np.asarray(samples.planes).all(axis=(1, 2, 3)), value % 2 == 1)


def test_the_count_wraps_above_a_full_ring_and_the_ring_goes_on_as_before() -> None:
    num_slots = ring_after(0).rows.shape[1]
    counts = [int(ring_after(number).num_written) for number in range(9)]
    assert counts == [0, 3, 6, 9, 6, 9, 6, 9, 6]
    assert max(counts) < 2 * num_slots
    assert held(ring_after(8)) == values_of(6, 7)
    values = unpack_ring(ring_after(8).rows).value
    np.testing.assert_array_equal(values[:, :3], rollout_number(6).value.T)
    np.testing.assert_array_equal(values[:, 3:], rollout_number(7).value.T)


def test_only_filled_slots_are_drawn_while_the_ring_fills() -> None:
    drawn = draw_jitted(ring_after(1), jax.random.key(1), 400)
    assert set(np.asarray(drawn.value)) == values_of(0)


@pytest.mark.parametrize("num_lanes", [1, 4])
def test_every_sample_of_a_full_ring_is_drawn_equally_often(num_lanes: int) -> None:
    num_draws = 24_000
    drawn = np.asarray(draw_jitted(ring_after(5, num_lanes), jax.random.key(2), num_draws).value)
    values, counts = np.unique(drawn, return_counts=True)
    assert set(values) == values_of(3, 4)
    expected = num_draws / len(values)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 60  # 23 degrees of freedom: more has a chance of 4 in 100,000


@pytest.mark.parametrize("batch_size", [2, 6, 20])
def test_the_batch_may_be_smaller_or_larger_than_the_games(batch_size: int) -> None:
    num_lanes = math.gcd(NUM_GAMES, batch_size)
    samples = draw_jitted(ring_after(3, num_lanes), jax.random.key(3), batch_size)
    assert samples.value.shape == (batch_size,)
    assert samples.planes.shape == (batch_size, 2, 2, 1)
    assert set(np.asarray(samples.value)) <= values_of(1, 2)


def test_other_keys_draw_other_samples_and_the_same_key_the_same() -> None:
    first, again, other = (draw_jitted(ring_after(3), jax.random.key(seed), 64).value for seed in (4, 4, 5))
    np.testing.assert_array_equal(first, again)
    assert (np.asarray(first) != np.asarray(other)).any()


def random_rollout(seed: int, dtype: str) -> Samples:
    """A rollout's samples [plies, games] with planes of any values, 2 x 3 points and 7 of them."""
    keys = jax.random.split(jax.random.key(seed), 3)
    bits = jax.random.bits(keys[0], (NUM_PLIES, NUM_GAMES, 2, 3, 7))
    planes = {"bool": bits % 2 == 1, "uint8": bits.astype(jnp.uint8), "float32": bits.astype(jnp.float32) / 7}[dtype]
    axes = (NUM_PLIES, NUM_GAMES)
    return Samples(
        planes, jax.random.uniform(keys[1], (*axes, 5)), jax.random.normal(keys[2], axes), jnp.ones(axes, jnp.float32)
    )


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32"])
def test_a_packed_ring_gives_the_batch_that_a_ring_of_plain_arrays_would_for_the_same_key(dtype: str) -> None:
    num_lanes, batch_size, key = 2, 16, jax.random.key(6)
    rollouts = [random_rollout(seed, dtype) for seed in range(NUM_ROLLOUTS + 1)]
    example = jax.tree.map(lambda leaf: leaf[0, 0], rollouts[0])

    @jax.jit
    def drawn_after(rollouts: list[Samples]) -> tuple[Samples, jax.Array]:
        ring = empty_replay(example, num_lanes, NUM_ROLLOUTS * ROLLOUT // num_lanes)
        for samples in rollouts:
            ring = insert(ring, samples)
        slots = jax.random.randint(key, (num_lanes, batch_size // num_lanes), 0, ring.rows.shape[1])
        return draw(ring, key, batch_size, example), slots

    drawn, slots = jax.device_get(drawn_after(rollouts))
    # The third rollout has taken the place of the first; a lane holds two neighbouring games, one after the other.
    for name, leaf in zip(Samples._fields, drawn, strict=True):
        blocks = [np.asarray(getattr(rollouts[number], name)).swapaxes(0, 1) for number in (2, 1)]
        lanes = np.concatenate([block.reshape(num_lanes, -1, *block.shape[2:]) for block in blocks], axis=1)
        plain = np.concatenate([lane[chosen] for lane, chosen in zip(lanes, slots, strict=True)])
        assert leaf.dtype == plain.dtype
        np.testing.assert_array_equal(leaf, plain, err_msg=name)


def test_an_empty_ring_is_refused() -> None:
    with pytest.raises(ValueError, match=r"replay\.num_rollouts is 0; it must be at least 1"):
        ReplayConfig(num_rollouts=0)


def all_symmetries_of(points: np.ndarray) -> dict[bytes, int]:
    """The eight pictures of a 3x3 array, by rotating and mirroring with NumPy: bytes -> number."""
    turned = [np.rot90(points, turns) for turns in range(4)]
    return {
        np.ascontiguousarray(picture).tobytes(): number for number, picture in enumerate(turned + [t.T for t in turned])
    }


@pytest.fixture(scope="module")
def augmented() -> tuple[Samples, Samples]:
    """Many copies of one position without symmetry, before and after augmentation."""
    #   X O .     the policy's weight on each point is the point's number, so planes, policy and position
    #   . X .     can be matched point by point
    #   . . .
    state = TicTacToeState(jnp.array([1, 2, 0, 0, 1, 0, 0, 0, 0], jnp.int8), jnp.int32(3))
    planes = encoders.get("tictactoe").encode(GAME, state)
    num_copies = 400
    samples = Samples(
        planes=jnp.broadcast_to(planes, (num_copies, *planes.shape)),
        policy=jnp.broadcast_to(jnp.arange(9, dtype=jnp.float32) / 36, (num_copies, 9)),
        value=jnp.linspace(-1, 1, num_copies),
        value_weight=jnp.linspace(0, 1, num_copies),
    )
    return samples, jax.jit(lambda samples, key: augment(GAME, samples, key))(samples, jax.random.key(0))


def test_augmentation_turns_planes_and_policy_by_the_same_symmetry(augmented: tuple[Samples, Samples]) -> None:
    before, after = jax.device_get(augmented)
    numbers = all_symmetries_of(before.policy[0].reshape(3, 3))
    encode = jax.jit(
        jax.vmap(lambda points: encoders.get("tictactoe").encode(GAME, TicTacToeState(points, jnp.int32(3))))
    )
    # Where each point went is read off the policy; the position is moved by that and encoded anew.
    origin = np.rint(after.policy * 36).astype(int)
    points = np.array([1, 2, 0, 0, 1, 0, 0, 0, 0], np.int8)[origin]
    np.testing.assert_array_equal(after.planes, encode(points))
    assert {policy.reshape(3, 3).tobytes() for policy in after.policy} == set(numbers)


def test_all_eight_symmetries_are_equally_likely(augmented: tuple[Samples, Samples]) -> None:
    _, counts = np.unique(np.asarray(augmented[1].policy), axis=0, return_counts=True)
    assert len(counts) == 8
    assert ((counts - 50) ** 2 / 50).sum() < 32  # 7 degrees of freedom: more has a chance of 4 in 100,000


def test_augmentation_by_all_gives_every_symmetry_once_in_their_order(augmented: tuple[Samples, Samples]) -> None:
    samples = jax.tree.map(lambda leaf: leaf[:3], augmented[0])
    every = jax.jit(lambda samples: augment_by_all(GAME, samples))(samples)
    assert every.policy.shape == (8 * 3, 9)
    for number in range(8):
        planes = jax.vmap(GAME.transform_planes, (0, None))(samples.planes, jnp.int32(number))
        policy = jax.vmap(GAME.transform_policy, (0, None))(samples.policy, jnp.int32(number))
        np.testing.assert_array_equal(every.planes[3 * number : 3 * number + 3], planes)
        np.testing.assert_array_equal(every.policy[3 * number : 3 * number + 3], policy)
    np.testing.assert_array_equal(every.value, np.tile(samples.value, 8))
    np.testing.assert_array_equal(every.value_weight, np.tile(samples.value_weight, 8))


def test_augmentation_leaves_the_value_alone(augmented: tuple[Samples, Samples]) -> None:
    before, after = augmented
    np.testing.assert_array_equal(after.value, before.value)
    np.testing.assert_array_equal(after.value_weight, before.value_weight)


def test_a_game_without_symmetries_is_not_turned() -> None:
    game = Bandit()
    samples = Samples(jnp.ones((4, 1, 3, 1), bool), jnp.ones((4, 3)) / 3, jnp.ones(4), jnp.ones(4))
    assert augment(game, samples, jax.random.key(0)) is samples
    np.testing.assert_array_equal(augment_by_all(game, samples).planes, samples.planes)
