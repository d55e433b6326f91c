"""Seven features of a move that a person would name, for all legal points at once: numbers, not planes.

They are what a small model or a rule book needs of a move: the 3x3 pattern that it is played into, whether it captures,
connects or makes an eye, the liberties that it gets and those of the weakest enemy beside it, and how far it is from
the edge.

The pattern of a point is the contents of the eight points around it, where off the board is a fourth content beside
empty, black and white. Patterns that differ by one of the eight symmetries or by exchanging the colours are one, and
have one number. The numbers are given in order of first appearance when all surroundings are gone through that can
occur on a board: those of an inner point, then of a point on the upper edge, then of the upper left corner; within
each, in the order of the numbers that the eight contents (empty 0, own 1, enemy 2, off the board 3) write in base four,
the point above left being the highest digit and the rest following in reading order. So the empty surroundings of an
inner point are pattern 0.

What makes an eye is asked of the board after the move, all boards packed, 361 of them side by side: an eye depends on
eyes further away, so a look at the neighbourhood would not do.

*Source:* own design; 3x3 patterns with off-board points as in Gelly et al., "Modification of UCT with Patterns in
Monte-Carlo Go" (2006).
"""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32, UInt32

from research.encoders.legal_points import own_legal_points
from research.go import Go, GoState
from research.go import grid as grids
from research.go.after_move import after_moves
from research.go.chains import NO_CHAIN, is_member
from research.go.eyes import true_eye_rows
from research.go.grid import Grid
from research.go.liberties import ChainCounts, chain_counts
from research.go.state import side_sign

EMPTY, OWN, ENEMY, OFF = range(4)
AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # (row, column) steps, reading order
NUM_CODES = 4 ** len(AROUND)
NO_PATTERN = -1  # in `pattern_numbers`, for surroundings that cannot occur


class HandFeatures(NamedTuple):
    """What a move of the player to move is like, at each point; 0 (False) where it is not legal."""

    pattern: Int16[Array, "size size"]  # number of the 3x3 pattern around the point
    can_capture: Bool[Array, "size size"]  # the move takes stones
    can_connect: Bool[Array, "size size"]  # two or more own chains lie beside the point
    creates_eye: Bool[Array, "size size"]  # a point around it becomes a true eye of the player
    liberties_after: Int16[Array, "size size"]  # of the resulting own chain; 0 for a suicide
    enemy_liberties: Int16[Array, "size size"]  # before the move: fewest among enemy chains beside it, 0 for none
    distance_to_edge: Int16[Array, "size size"]  # points between the point and the nearest edge


def hand_features(game: Go, state: GoState) -> HandFeatures:
    """The features of every legal move of the player to move."""
    grid, player, legal = game.grid, state.to_play, own_legal_points(game, state)
    counts = chain_counts(grid, state.label)
    after = after_moves(grid, state.label, player, legal, counts, game.rules.suicide)
    num_own, enemy_liberties = _chains_beside(grid, state.label, counts, player)
    line = np.minimum(np.arange(grid.size), np.arange(grid.size)[::-1])
    features = HandFeatures(
        pattern=_patterns(grid, state.label, player),
        can_capture=after.captured > 0,
        can_connect=num_own > 1,
        creates_eye=_creates_eye(grid, state, counts),
        liberties_after=after.liberties,
        enemy_liberties=enemy_liberties,
        distance_to_edge=jnp.asarray(np.minimum(line[:, None], line[None]), jnp.int16),
    )
    return HandFeatures(*(jnp.where(legal, feature, jnp.zeros_like(feature)) for feature in features))


@cache
def pattern_numbers() -> np.ndarray:
    """Number of the pattern of each code of surroundings, int16[65536]; NO_PATTERN for codes that cannot occur."""
    digits = np.arange(NUM_CODES)[:, None] >> 2 * np.arange(len(AROUND))[::-1] & 3
    lowest = np.full(NUM_CODES, NUM_CODES)  # code among those of the same pattern
    for order in _symmetries():
        for contents in ([EMPTY, OWN, ENEMY, OFF], [EMPTY, ENEMY, OWN, OFF]):
            lowest = np.minimum(lowest, _codes(np.array(contents)[digits[:, order]]))
    above, left = np.array([row < 0 for row, _ in AROUND]), np.array([column < 0 for _, column in AROUND])
    places = (np.zeros(len(AROUND), bool), above, above | left)  # what is off the board there
    codes = np.concatenate([np.flatnonzero(((digits == OFF) == is_off).all(1)) for is_off in places])
    _, first = np.unique(lowest[codes], return_index=True)
    numbers = np.full(NUM_CODES, NO_PATTERN, np.int16)
    numbers[lowest[codes[np.sort(first)]]] = np.arange(len(first))
    return numbers[lowest]


def _symmetries() -> list[np.ndarray]:
    """The eight orders in which the points of AROUND may be read."""
    square = np.arange(9).reshape(3, 3)
    turned = [np.rot90(side, turns).reshape(-1) for side in (square, square.T) for turns in range(4)]
    # The middle is no point of AROUND, so the numbers behind it move up.
    return [order[order != 4] - (order[order != 4] > 4) for order in turned]


def _codes(contents: np.ndarray) -> np.ndarray:
    """The numbers that contents [..., 8] write in base four."""
    return (contents << 2 * np.arange(len(AROUND))[::-1]).sum(-1)


def _patterns(grid: Grid, label: Int16[Array, " cells"], player: Int32[Array, ""]) -> Int16[Array, "size size"]:
    """Number of the pattern around each point."""
    view = label * side_sign(player)
    content = jnp.where(view > 0, OWN, jnp.where(view < 0, ENEMY, jnp.where(grid.on_board, EMPTY, OFF)))
    # The corners look one cell beyond the mailbox.
    padded, length = jnp.pad(content, 1, constant_values=OFF), len(grid.band_cells)
    code = jnp.zeros(length, jnp.int32)
    for row, column in AROUND:
        start = 1 + grid.width + row * grid.width + column
        code = code << 2 | padded[start : start + length]
    return jnp.asarray(pattern_numbers())[grids.to_points(grid, code)]


def _chains_beside(
    grid: Grid, label: Int16[Array, " cells"], counts: ChainCounts, player: Int32[Array, ""]
) -> tuple[Int16[Array, "size size"], Int16[Array, "size size"]]:
    """(Different own chains beside each point, fewest liberties of the enemy chains beside it, 0 for none)."""
    none = np.int16(np.iinfo(np.int16).max)
    num_own, fewest = jnp.zeros(len(grid.band_cells), jnp.int16), jnp.full(len(grid.band_cells), none)
    near = grids.neighbours(grid, label)
    for index, (chain, liberties) in enumerate(zip(near, grids.neighbours(grid, counts.liberties), strict=True)):
        view = chain * side_sign(player)
        is_own = view > 0
        for earlier in near[:index]:
            is_own = is_own & (chain != earlier)
        num_own = num_own + is_own
        fewest = jnp.minimum(fewest, jnp.where(view < 0, liberties, none))
    return grids.to_points(grid, num_own), grids.to_points(grid, jnp.where(fewest == none, jnp.int16(0), fewest))


def _creates_eye(grid: Grid, state: GoState, counts: ChainCounts) -> Bool[Array, "size size"]:
    """Whether a move of the player to move at each empty point makes a true eye next to it or diagonal to it."""
    sign = side_sign(state.to_play)
    own, enemy = jnp.where(state.to_play == 0, state.recent_boards[0], state.recent_boards[0, ::-1])

    def play(cell):
        """The packed boards, own and enemy stones, after a move at `cell`."""
        near = cell + grid.offsets
        view, in_atari = state.label[near] * sign, counts.liberties[near] == 1
        is_open = (view == 0) & jnp.asarray(grid.on_board)[near]
        taken = jnp.where((view < 0) & in_atari, state.label[near], NO_CHAIN)
        breathes = (is_open | (view > 0) & ~in_atari | (view < 0) & in_atari).any()
        lost = jnp.where((view > 0) & ~breathes, state.label[near], NO_CHAIN)
        removed = [grids.pack_rows(grid, is_member(state.label[grid.band], ids)) for ids in (lost, taken)]
        stone = jnp.where(breathes, grids.pack_cell(grid, cell), jnp.uint32(0))
        return (own | stone) & ~removed[0], enemy & ~removed[1]

    own_after, enemy_after = jax.vmap(play)(jnp.asarray(grid.cells))
    gained = true_eye_rows(grid, own_after, enemy_after) & ~true_eye_rows(grid, own, enemy)
    makes_eye = ((gained & _rows_around(grid)) != 0).any(-1)
    return makes_eye.reshape(grid.size, grid.size)


def _rows_around(grid: Grid) -> UInt32[np.ndarray, "points size"]:
    """For each point a packed board with the points of AROUND set."""
    rows = np.zeros((grid.num_points, grid.size), np.uint32)
    for point in range(grid.num_points):
        row, column = divmod(point, grid.size)
        for down, right in AROUND:
            if 0 <= row + down < grid.size and 0 <= column + right < grid.size:
                rows[point, row + down] |= np.uint32(1 << (column + right))
    return rows
