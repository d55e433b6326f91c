"""Globals as planes, for networks that read planes alone: each number stands on every point of a plane of its own.

The convolutions of a network then see what a network with an input for globals would be told apart. Planes become
float32, as some of the globals are no whole numbers.

*Source:* AlphaGo Zero's plane for who is to move, which is such a number.
"""

from functools import lru_cache

import jax.numpy as jnp

from research.encoders.encoder import Encoder, Planes
from research.game import Game, State


@lru_cache  # one for each encoder, so that what is compiled for it is found again
def with_global_planes(encoder: Encoder) -> Encoder:
    """The encoder with a plane for each global after its own planes; `encoder` itself if it has no globals."""
    if encoder.draw_globals is None:
        return encoder
    draw_globals = encoder.draw_globals

    def draw(game: Game, state: State) -> Planes:
        planes, numbers = encoder.draw(game, state), draw_globals(game, state)
        everywhere = jnp.broadcast_to(numbers, (*planes.shape[:2], len(numbers)))
        return jnp.concatenate([planes.astype(jnp.float32), everywhere], axis=-1)

    return Encoder(encoder.name, (*encoder.plane_names, *encoder.global_names), encoder.game_type, draw)
