"""`bandit`: the two planes of a bandit's position.

The idea: before the pull every position is the same, so all that the planes can say is that an arm may be pulled
(ones at every arm) and afterwards which one was.

*Source:* own design.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool

from research.encoders.encoder import Encoder, Planes
from research.toys import Bandit, BanditState


def make_bandit() -> Encoder:
    """The encoder of that name; it has no options."""
    return Encoder(name="bandit", plane_names=("can be pulled", "was pulled"), game_type=Bandit, draw=_draw)


def _draw(game: Bandit, state: BanditState) -> Planes:
    is_pulled: Bool[Array, " arms"] = jnp.arange(game.num_actions) == state.pulled
    can_be_pulled = jnp.broadcast_to(~game.is_over(state), is_pulled.shape)
    return jnp.stack([can_be_pulled, is_pulled], axis=-1)[None]
