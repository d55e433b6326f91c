"""Four planes of ladders for either player: what he could catch, what he could save, and what is lost to him.

The same four for the player to move and for the opponent, who is asked as if he were to move:

- points where he starts a ladder that works, against a chain of exactly two liberties;
- points where he gets a chain of his own that is in atari out for good;
- stones of the other colour with two liberties that he can catch;
- stones of the other colour in atari that cannot get away even if they move first.

Moves are legal ones of his. No ko ban binds the opponent: a ban is for the player to move, and for one move.

*Source:* the reading is that of research/go/ladders.py; which four planes, a table in an article on board
representation.
"""

from collections.abc import Sequence

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int16

from research.encoders.field_planes import Plane
from research.go import Go, GoState
from research.go import grid as grids
from research.go.fields import Field
from research.go.ladders import LadderConfig, mover_ban, read_ladders


def ladder_planes(fields: Sequence[Field]) -> tuple[Plane, ...]:
    """The four planes of the player to move, then the opponent's, from eight fields of one bit."""
    names = [*_names("own", "opponent's"), *_names("opponent's", "own")]
    return tuple(Plane(name, field, 1) for name, field in zip(names, fields, strict=True))


def ladder_masks(
    game: Go,
    state: GoState,
    liberties: Int16[Array, " band"],
    legal: tuple[Bool[Array, " band"], Bool[Array, " band"]],
    config: LadderConfig,
) -> list[Bool[Array, " band"]]:
    """What the eight planes hold, in their order.

    `liberties` are those of each stone's chain, `legal` the legal points of the player to move and of the opponent.
    """
    grid = game.grid
    ladders = read_ladders(grid, state.label, mover_ban(state.ko, state.to_play), config)
    is_black = state.to_play == 0
    by_view = [jnp.where(is_black, masks, masks[::-1]) for masks in ladders]
    laddered, captures, escapes = ([grids.to_cells(grid, mask)[grid.band] for mask in masks] for masks in by_view)
    found = []
    for own, opponent in ((0, 1), (1, 0)):
        caught = laddered[opponent]
        found += [captures[opponent] & legal[own], escapes[own] & legal[own]]
        found += [caught & (liberties == 2), caught & (liberties == 1)]
    return found


def _names(side: str, other: str) -> tuple[str, str, str, str]:
    """The names of the four planes of `side` ("own", "opponent's"), `other` being whose stones it can catch."""
    return (
        f"{side} moves that start a working ladder",
        f"{side} moves that escape from a ladder",
        f"{other} stones with 2 liberties that can be laddered",
        f"{other} stones in atari that cannot escape",
    )
