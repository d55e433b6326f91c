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
from research.encoders.field_planes import Plane, board_planes, draw_fields, exact, up_to
from research.encoders.ladder_moves import ladder_masks, ladder_planes
from research.encoders.ladder_options import takes_ladder_options
from research.encoders.legal_points import opponent_legal_band, own_legal_band
from research.go import Go, GoState
from research.go import grid as grids
from research.go.after_move import after_moves_on_band
from research.go.fields import fields_of, pack
from research.go.ladders import LadderConfig
from research.go.liberties import ChainCounts, chain_counts
from research.go.recent import board_before
from research.go.state import NUM_RECENT, PLAYERS, side_sign

MOST = 4  # liberties, and stones left in atari, that have a plane
NUM_DISTANCES = 4  # planes of the distance to the edge; the last is for all points further in

# What is found out about a point, in a word: in LIBERTIES, those of own chains and then those of the opponent's.
LIBERTIES, ENEMY_IN_ATARI, OWN_IN_ATARI, IS_LEGAL, *LADDERS = fields_of(4, 3, 3, 1, *[1] * 8)

_PLANES: tuple[Plane, ...] = (
    *board_planes("black stones", "white stones", "empty points"),
    *board_planes(*(f"{colour} stones, {k} plies ago" for colour in PLAYERS for k in range(1, NUM_RECENT + 1))),
    *exact("own liberties: {}", LIBERTIES, MOST),
    *exact("opponent's liberties: {}", LIBERTIES, MOST, first=1 + MOST),
    *exact("opponent's stones left in atari by own move: {}", ENEMY_IN_ATARI, MOST),
    *exact("own stones left in atari by opponent's move: {}", OWN_IN_ATARI, MOST),
    *ladder_planes(LADDERS),
    Plane("own legal moves", IS_LEGAL, 1),
    *board_planes(
        *(f"distance to the edge: {distance}" for distance in range(NUM_DISTANCES - 1)),
        f"distance to the edge: {NUM_DISTANCES - 1} or more",
    ),
)


@takes_ladder_options
def make_history48(ladders: LadderConfig | None) -> Encoder:
    """The encoder of that name."""
    names = tuple(plane.name for plane in _PLANES)
    return Encoder(name="history48", plane_names=names, game_type=Go, draw=partial(_draw, ladders=ladders))


def _draw(game: Go, state: GoState, ladders: LadderConfig | None) -> Planes:
    grid = game.grid
    counts = chain_counts(grid, state.label)
    liberties = counts.liberties[grid.band]
    legal = own_legal_band(game, state), opponent_legal_band(game, state)
    is_opponent = state.label[grid.band] * side_sign(state.to_play) < 0
    by_own_move, by_opponents_move = _left_in_atari(game, state, counts, legal)
    numbers = {
        LIBERTIES: jnp.where(liberties > MOST, 0, jnp.where(is_opponent, liberties + MOST, liberties)),
        ENEMY_IN_ATARI: up_to(MOST, by_own_move),
        OWN_IN_ATARI: up_to(MOST, by_opponents_move),
        IS_LEGAL: legal[0],
    }
    if ladders is not None:
        numbers |= zip(LADDERS, ladder_masks(game, state, liberties, legal, ladders), strict=True)
    return draw_fields(grid, pack(numbers), _PLANES, state, _boards(game, state))


def _boards(game: Go, state: GoState) -> UInt32[Array, "num_boards size"]:
    """The planes that are boards, in their order."""
    stones = state.recent_boards[0]
    past = jnp.append(state.recent_boards[1:], board_before(game.grid, state)[None], axis=0)
    black_then_white = past.swapaxes(0, 1).reshape(2 * NUM_RECENT, -1)
    empty = packed.empty_points(stones)[None]
    return jnp.concatenate([stones, empty, black_then_white, _edge_distances(game.rules.size)])


def _left_in_atari(
    game: Go, state: GoState, counts: ChainCounts, legal: tuple[Bool[Array, " band"], Bool[Array, " band"]]
) -> list[Int16[Array, " band"]]:
    """Stones left in atari by the player's move at each point, and by the opponent's; 0 where it is not legal."""
    grid, players = game.grid, (state.to_play, 1 - state.to_play)
    if game.rules.suicide:  # what is taken off then gives liberties to the chains beside it
        sides = zip(players, legal, strict=True)
        return [after_moves_on_band(grid, state.label, *side, counts).enemy_in_atari for side in sides]
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
        left.append(jnp.where(points, total, jnp.int16(0)))
    return left


def _edge_distances(size: int) -> UInt32[np.ndarray, "distances size"]:
    """The points at each distance from the edge, packed, the last board for all that are further in."""
    line = np.minimum(np.arange(size), np.arange(size)[::-1])
    distance = np.minimum(np.minimum(line[:, None], line), NUM_DISTANCES - 1)
    is_there = distance == np.arange(NUM_DISTANCES)[:, None, None]
    return (is_there * packed.column_bits(size)).sum(-1, dtype=np.uint32)
