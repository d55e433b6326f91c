"""`history48`: eight boards of the past, liberties, threats of atari, and ladders of both sides.

The idea: the past without what it repeats. The board of now is shown once, in colours, and then those of one to eight
plies ago; eight plies is one more than a position keeps, and that board is worked out from the move that ended it
(research/go/recent.py). Boards from before the start are zeros. What is near now is said by the player to move and
the opponent: chains of one to four liberties, moves that leave stones in atari, ladders, and where he may play.

"Leaves in atari" counts the stones of the chains beside the move that then have exactly one liberty; a chain that the
move takes off does not count. Short of a suicide these are the chains of two liberties: the move takes one, and no
stone beside an enemy chain can be captured with it but the chain itself. The opponent is asked as if he were to move,
without a ko ban.

*Source:* a table in an article on feature design; its gaps are filled as said here.
"""

from functools import partial

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, UInt32

from research.encoders import packed
from research.encoders.encoder import Encoder, Planes
from research.encoders.ladder_moves import ladder_masks, ladder_names
from research.encoders.legal_points import opponent_legal_points, own_legal_points
from research.encoders.point_words import draw_points, exact_masks
from research.go import Go, GoState, board
from research.go import grid as grids
from research.go.after_move import after_moves
from research.go.ladders import LadderConfig, LadderKo
from research.go.liberties import ChainCounts, chain_counts
from research.go.recent import board_before
from research.go.state import NUM_RECENT, PLAYERS, side_sign

MOST = 4  # liberties, and stones left in atari, that have a plane
NUM_DISTANCES = 4  # planes of the distance to the edge; the last is for all points further in

_PLANE_NAMES = (
    "black stones",
    "white stones",
    "empty points",
    *(f"{colour} stones, {k} plies ago" for colour in PLAYERS for k in range(1, NUM_RECENT + 1)),
    *(f"{side} liberties: {count}" for side in ("own", "opponent's") for count in range(1, MOST + 1)),
    *(f"opponent's stones left in atari by own move: {count}" for count in range(1, MOST + 1)),
    *(f"own stones left in atari by opponent's move: {count}" for count in range(1, MOST + 1)),
    *ladder_names("own", "opponent's"),
    *ladder_names("opponent's", "own"),
    "own legal moves",
    *(f"distance to the edge: {distance}" for distance in range(NUM_DISTANCES - 1)),
    f"distance to the edge: {NUM_DISTANCES - 1} or more",
)


def make_history48(
    ladders: bool = True,
    ladder_ko: LadderKo = "prey",
    ladder_max_plies: int | None = None,
    ladder_max_nodes: int = LadderConfig.max_nodes,
) -> Encoder:
    """The encoder of that name; the ladder options are those of LadderConfig, `ladders=False` leaves them empty.

    *Raises:* ValueError for limits that LadderConfig refuses.
    """
    config = LadderConfig(ko=ladder_ko, max_plies=ladder_max_plies, max_nodes=ladder_max_nodes) if ladders else None
    return Encoder(name="history48", plane_names=_PLANE_NAMES, game_type=Go, draw=partial(_draw, ladders=config))


def _draw(game: Go, state: GoState, ladders: LadderConfig | None) -> Planes:
    grid, stones = game.grid, board(state)
    counts = chain_counts(grid, state.label)
    liberties = grids.to_points(grid, counts.liberties[grid.band])
    legal = own_legal_points(game, state), opponent_legal_points(game, state)
    is_own, is_opponent = stones == 1 + state.to_play, stones == 2 - state.to_play
    masks = [
        stones == 1,
        stones == 2,
        stones == 0,
        *_past_masks(game, state),
        *exact_masks(jnp.where(is_own, liberties, 0), MOST),
        *exact_masks(jnp.where(is_opponent, liberties, 0), MOST),
        *(mask for left in _left_in_atari(game, state, counts, legal) for mask in exact_masks(left, MOST)),
        *ladder_masks(game, state, liberties, legal, ladders),
        legal[0],
        *_edge_distances(game.rules.size),
    ]
    return draw_points(masks, state)


def _past_masks(game: Go, state: GoState) -> list[Bool[Array, "size size"]]:
    """Black's stones one to eight plies ago, then White's."""
    boards: UInt32[Array, "8 2 size"] = jnp.append(
        state.recent_boards[1:], board_before(game.grid, state)[None], axis=0
    )
    bits = packed.column_bits(game.rules.size)
    return [(boards[k, colour, :, None] & bits) != 0 for colour in range(2) for k in range(NUM_RECENT)]


def _left_in_atari(
    game: Go, state: GoState, counts: ChainCounts, legal: tuple[Bool[Array, "size size"], Bool[Array, "size size"]]
) -> list[Int16[Array, "size size"]]:
    """Stones left in atari by the player's move at each point, and by the opponent's; 0 where it is not legal."""
    grid, players = game.grid, (state.to_play, 1 - state.to_play)
    if game.rules.suicide:  # what is taken off then gives liberties to the chains beside it
        sides = zip(players, legal, strict=True)
        return [after_moves(grid, state.label, *side, counts).enemy_in_atari for side in sides]
    near = grids.neighbours(grid, state.label)
    stones_with_two = jnp.where(counts.liberties == 2, counts.stones, jnp.int16(0))
    sizes = grids.neighbours(grid, stones_with_two)
    left = []
    for player, points in zip(players, legal, strict=True):
        sign = side_sign(player)
        total = jnp.zeros(len(grid.band_cells), jnp.int16)
        for index, (chain, size) in enumerate(zip(near, sizes, strict=True)):
            is_counted = chain * sign < 0
            for earlier in near[:index]:
                is_counted = is_counted & (chain != earlier)
            total = total + jnp.where(is_counted, size, jnp.int16(0))
        left.append(jnp.where(points, grids.to_points(grid, total), jnp.int16(0)))
    return left


def _edge_distances(size: int) -> list[Bool[Array, "size size"]]:
    """The points at each distance from the edge, the last mask for all that are further in."""
    line = np.minimum(np.arange(size), np.arange(size)[::-1])
    distance = np.minimum(np.minimum(line[:, None], line[None]), NUM_DISTANCES - 1)
    return [jnp.asarray(distance == value) for value in range(NUM_DISTANCES)]
