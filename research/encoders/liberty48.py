"""`liberty48`: liberties exactly counted, ladders of both sides, the last eight moves, and symmetry, in colours.

The idea: what AlphaGo's planes say in own and opponent, said in black and white, and counted without a last bin for
"eight or more": a chain of nine liberties is in no plane. Three planes tell whether the position looks the same after
a half turn, in a mirror along the edges, or in a mirror along a diagonal (in either of the two); so taken together,
that turning the board turns the planes and nothing else.

Legal points are those of the player to move. "The opponent" is asked as if he were to move, without a ko ban. The
point of a past move is shown also where its stone is gone; a pass leaves the plane empty.

*Source:* a table in an article on board representation; its gaps are filled as said here.
"""

from functools import partial

import jax.numpy as jnp
from jaxtyping import Array, Bool, UInt32

from research.encoders import packed
from research.encoders.encoder import Encoder, Planes
from research.encoders.field_planes import Plane, board_planes, draw_fields, exact, up_to
from research.encoders.ladder_moves import ladder_masks, ladder_planes
from research.encoders.ladder_options import takes_ladder_options
from research.encoders.legal_points import opponent_legal_band, own_legal_band
from research.encoders.planes import MOVE_NAMES
from research.go import Go, GoState
from research.go.after_move import after_moves_on_band
from research.go.fields import fields_of, pack
from research.go.ladders import LadderConfig
from research.go.liberties import chain_counts

MOST = 8  # liberties that have a plane

# What is found out about a point, in a word.
LIBERTIES, ENEMY_LEFT, LEFT, *LADDERS = fields_of(4, 4, 4, *[1] * 8)

_PLANES: tuple[Plane, ...] = (
    *board_planes("black stones", "white stones", "empty points", "ones"),
    *exact("liberties: {}", LIBERTIES, MOST),
    *exact("fewest liberties of the opponent beside own move: {}", ENEMY_LEFT, MOST),
    *exact("liberties after own move: {}", LEFT, MOST),
    *board_planes(*MOVE_NAMES),
    *ladder_planes(LADDERS),
    *board_planes(
        "position is the same after a half turn",
        "position is its own mirror image, left-right or up-down",
        "position is its own mirror image in a diagonal",
        "black to move",
    ),
)


@takes_ladder_options
def make_liberty48(ladders: LadderConfig | None) -> Encoder:
    """The encoder of that name."""
    names = tuple(plane.name for plane in _PLANES)
    return Encoder(name="liberty48", plane_names=names, game_type=Go, draw=partial(_draw, ladders=ladders))


def _draw(game: Go, state: GoState, ladders: LadderConfig | None) -> Planes:
    grid, legal = game.grid, own_legal_band(game, state)
    counts = chain_counts(grid, state.label)
    liberties = counts.liberties[grid.band]
    after = after_moves_on_band(grid, state.label, state.to_play, legal, counts, game.rules.suicide)
    words = {
        LIBERTIES: up_to(MOST, liberties),
        ENEMY_LEFT: up_to(MOST, after.enemy_liberties),
        LEFT: up_to(MOST, after.liberties),
    }
    if ladders is not None:
        both_legal = (legal, opponent_legal_band(game, state))
        words |= zip(LADDERS, ladder_masks(game, state, liberties, both_legal, ladders), strict=True)
    return draw_fields(grid, pack(words), _PLANES, state, _boards(game, state))


def _boards(game: Go, state: GoState) -> UInt32[Array, "num_boards size"]:
    """The planes that are boards, in their order."""
    size, stones = game.rules.size, state.recent_boards[0]
    constants = jnp.stack([jnp.bool_(True), *_symmetries(stones), state.to_play == 0])
    constants = jnp.broadcast_to(jnp.where(constants, packed.all_points(size), jnp.uint32(0))[:, None], (5, size))
    moves = packed.point_rows(state.recent_moves, size)
    return jnp.concatenate([stones, packed.empty_points(stones)[None], constants[:1], moves, constants[1:]])


def _symmetries(stones: UInt32[Array, "2 size"]) -> list[Bool[Array, ""]]:
    """Whether the position is left as it is by a half turn, by a mirror along the edges, by one along a diagonal."""
    upside_down, mirrored = stones[:, ::-1], packed.mirrored(stones)
    half_turn, transposed = mirrored[:, ::-1], packed.transposed(stones)
    return [
        (stones == half_turn).all(),
        (stones == upside_down).all() | (stones == mirrored).all(),
        (stones == transposed).all() | (half_turn == transposed).all(),
    ]
