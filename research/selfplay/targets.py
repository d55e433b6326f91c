"""Training targets from a rollout: the search's policy, and the result of the game each ply belonged to.

A game ended by two passes or by max_moves is finished and its result counts for every one of its plies in the
rollout. A game still running when the rollout ends has no result yet: its plies train the policy and weigh 0 for the
value; also later, when it has ended: so positions of long games, and openings above all, are under-weighted for the
value unless a rollout is longer than a game. The result travels backwards over the plies, from each game's end to its
start.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Shaped, UInt32

from research.encoders import Encoder
from research.game import Game
from research.selfplay.rollout import Trajectory


class Samples(NamedTuple):
    """Training samples; any leading axes."""

    # the position, for the player to move: packed on the way into the replay, and as the encoder draws it after that
    planes: Shaped[Array, "*axes rows columns planes"] | UInt32[Array, "*axes words"]
    policy: Float32[Array, "*axes actions"]  # target probabilities
    value: Float32[Array, "*axes"]  # result for the player to move: +1 won, 0 drawn, -1 lost
    value_weight: Float32[Array, "*axes"]  # 1 where the result is known, 0 where the game was cut off


def sample_shapes(game: Game, encoder: Encoder) -> Samples:
    """Shapes and dtypes of one sample as it is drawn, in place of its arrays."""

    def sample() -> Samples:
        planes = encoder.encode(game, game.init())
        return Samples(planes, jnp.zeros(game.num_actions, jnp.float32), jnp.float32(0), jnp.float32(0))

    return jax.eval_shape(sample)


def make_samples(trajectory: Trajectory) -> Samples:
    """One sample a ply and game, with leading axes [plies, games] and planes packed."""

    def step_back(carry: tuple[Array, Array], ply: tuple[Array, Array]) -> tuple[tuple, tuple]:
        later_outcome, later_is_known = carry
        is_over, outcome = ply
        outcome = jnp.where(is_over, outcome, later_outcome)
        is_known = is_over | later_is_known
        return (outcome, is_known), (outcome, is_known)

    last = trajectory.is_over[-1]
    nothing_known = (jnp.zeros_like(trajectory.outcome[-1]), jnp.zeros_like(last))
    _, (outcome, is_known) = jax.lax.scan(
        step_back, nothing_known, (trajectory.is_over, trajectory.outcome), reverse=True
    )
    sign = jnp.where(trajectory.to_play == 0, 1.0, -1.0)
    return Samples(
        planes=trajectory.planes,
        policy=trajectory.policy,
        value=outcome * sign,
        value_weight=is_known.astype(jnp.float32),
    )


def rollout_metrics(trajectory: Trajectory, samples: Samples, max_moves: int) -> dict[str, Array]:
    """Scalars about one rollout; shares are 0 to 1, means are over the games that ended in it (0 if none did)."""
    is_over = trajectory.is_over
    num_finished = jnp.sum(is_over)
    divisor = jnp.maximum(num_finished, 1)

    def share_of_finished(mask: Bool[Array, "plies games"]) -> Array:
        return jnp.sum(mask & is_over) / divisor

    policy = samples.policy
    entropy = -jnp.sum(policy * jnp.log(jnp.maximum(policy, jnp.finfo(policy.dtype).tiny)), axis=-1)
    finished_share = jnp.mean(samples.value_weight)
    return {
        "games_finished": num_finished,
        "game_length_plies": jnp.sum(jnp.where(is_over, trajectory.num_plies, 0)) / divisor,
        "game_length_max_plies": jnp.max(jnp.where(is_over, trajectory.num_plies, 0)),
        "first_player_win_share": share_of_finished(trajectory.outcome > 0),
        "draw_share": share_of_finished(trajectory.outcome == 0),
        "move_limit_share": share_of_finished(trajectory.num_plies >= max_moves),
        "finished_sample_share": finished_share,
        "truncated_sample_share": 1 - finished_share,
        "search_entropy_nats": jnp.mean(entropy),
        # Order does not matter, so the sum names the set of games that ended, however they were spread over devices.
        "game_hash": jnp.sum(jnp.where(is_over, trajectory.action_hash, jnp.uint32(0)), dtype=jnp.uint32),
    }
