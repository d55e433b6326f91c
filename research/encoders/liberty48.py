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
from jaxtyping import Array, Bool, Int8

from research.encoders.encoder import Encoder, Planes
from research.encoders.ladder_moves import ladder_masks, ladder_names
from research.encoders.legal_points import opponent_legal_points, own_legal_points
from research.encoders.point_words import MOVE_NAMES, draw_points, exact_masks, move_masks
from research.go import Go, GoState, board
from research.go import grid as grids
from research.go.after_move import after_moves
from research.go.ladders import LadderConfig, LadderKo
from research.go.liberties import chain_counts

MOST = 8  # liberties that have a plane

_PLANE_NAMES = (
    "black stones",
    "white stones",
    "empty points",
    "ones",
    *(f"liberties: {count}" for count in range(1, MOST + 1)),
    *(f"fewest liberties of the opponent beside own move: {count}" for count in range(1, MOST + 1)),
    *(f"liberties after own move: {count}" for count in range(1, MOST + 1)),
    *MOVE_NAMES,
    *ladder_names("own", "opponent's"),
    *ladder_names("opponent's", "own"),
    "position is the same after a half turn",
    "position is its own mirror image, left-right or up-down",
    "position is its own mirror image in a diagonal",
    "black to move",
)


def make_liberty48(
    ladders: bool = True,
    ladder_ko: LadderKo = "prey",
    ladder_max_plies: int | None = None,
    ladder_max_nodes: int = LadderConfig.max_nodes,
) -> Encoder:
    """The encoder of that name; the ladder options are those of LadderConfig, `ladders=False` leaves them empty.

    *Raises:* ValueError for limits that LadderConfig refuses.
    """
    config = LadderConfig(ko=ladder_ko, max_plies=ladder_max_plies, max_nodes=ladder_max_nodes) if ladders else None
    return Encoder(name="liberty48", plane_names=_PLANE_NAMES, game_type=Go, draw=partial(_draw, ladders=config))


def _draw(game: Go, state: GoState, ladders: LadderConfig | None) -> Planes:
    grid, stones = game.grid, board(state)
    legal = own_legal_points(game, state), opponent_legal_points(game, state)
    counts = chain_counts(grid, state.label)
    liberties = grids.to_points(grid, counts.liberties[grid.band])
    after = after_moves(grid, state.label, state.to_play, legal[0], counts)
    masks = [
        stones == 1,
        stones == 2,
        stones == 0,
        jnp.bool_(True),
        *exact_masks(liberties, MOST),
        *exact_masks(after.enemy_liberties, MOST),
        *exact_masks(after.liberties, MOST),
        *move_masks(game, state),
        *ladder_masks(game, state, liberties, legal, ladders),
        *_symmetries(stones),
        state.to_play == 0,
    ]
    return draw_points(masks, state)


def _symmetries(stones: Int8[Array, "size size"]) -> list[Bool[Array, ""]]:
    """Whether the position is left as it is by a half turn, by a mirror along the edges, by one along a diagonal."""
    transposed = stones.T
    half_turn = stones[::-1, ::-1]
    return [
        (stones == half_turn).all(),
        (stones == stones[::-1]).all() | (stones == stones[:, ::-1]).all(),
        (stones == transposed).all() | (half_turn == transposed).all(),
    ]
