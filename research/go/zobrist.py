"""Additive position hashes whose difference names the missing stone.

A board has three 32-bit words, each a sum modulo 2^32 of one key a stone: the black stones, the white stones, and both
colours with other keys. In the first two the key of cell p is p in the low nine bits and 23 mixed bits of p above, for
both colours. Sums have what the usual exclusive or has not, a direction: the word of a board that holds my stones and
one more at p exceeds mine by exactly the key of p, so p can be read off the low bits of the difference and checked
against the others. This is what lets superko be told without trying the moves (see superko.py). Two boards are taken
as equal when all three words are, 96 bits.

Keys are computed, not looked up: a table would be a gather, the slow operation on a TPU.

*Source:* A. L. Zobrist, "A new hashing method with application for game playing", 1970; the additive form after
Bellare and Micciancio's AdHash, 1997.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, UInt32

from research.go import grid as grids
from research.go.grid import Grid
from research.go.state import NUM_RECENT, GoState

Words = UInt32[Array | np.ndarray, "..."]  # keys are computed on the device, and on the host for constants

CELL_BITS = 9  # low bits of a key, which hold the cell; the others check it
CELL_MASK = np.uint32((1 << CELL_BITS) - 1)
STONE_SEED, COMMON_SEED = np.uint32(0x85EBCA6B), np.uint32(0xCC9E2D51)  # odd: of the two kinds of keys
WHITE_WEIGHT = np.uint32(0x9E3779B1)  # odd: tells white's stones from black's in the third word
WHITE_TO_PLAY = np.uint32(0x5BD1E995)  # side-to-move key, for White; Black's is 0
KO_WEIGHT = np.uint32(0x27D4EB2F)  # odd: tells a banned cell from a stone on it
PLACE_SEED = np.uint32(0x9E3779B9)
RECENT_SEEDS = (np.uint32(0xED558CCD), np.uint32(0x3C6EF35F), np.uint32(0xB5297A4D))  # odd: one a word of the key
WORD_WEIGHTS = np.array([1, 3, 5], np.uint32)  # odd: one key changes each word of a position key its own way


def cell_key(cell: Words) -> Words:
    """Key of a stone on `cell` in its own colour's word: 23 check bits above, the cell below."""
    return _mix(cell, STONE_SEED) & ~CELL_MASK | cell


def common_key(cell: Words) -> Words:
    """Key of a black stone on `cell` in the third word; a white one's is WHITE_WEIGHT times that."""
    return _mix(cell, COMMON_SEED)


def named_cell(difference: Words) -> tuple[Words, Bool[Array | np.ndarray, "..."]]:
    """(The cell whose stone makes a word larger by `difference`, whether there is one); below 512, perhaps no point."""
    cell = difference & CELL_MASK
    return cell, (_mix(cell, STONE_SEED) ^ difference) & ~CELL_MASK == 0


def hash_change(
    grid: Grid,
    cell: Int[Array, ""],
    is_placed: Bool[Array, ""],
    removed: Bool[Array, " cells"],
    is_removed_black: Bool[Array, ""],
    player: Int[Array, ""],
) -> UInt32[Array, "3"]:
    """What a move adds to the words: `player`'s stone on `cell` if placed, less the stones `removed`."""
    is_black = player == 0
    zero = jnp.uint32(0)
    stone = jnp.where(is_placed, cell_key(cell.astype(jnp.uint32)), zero)
    common = jnp.where(is_placed, common_key(cell.astype(jnp.uint32)), zero)
    lost, lost_common = removed_keys(grid, removed)
    black = jnp.where(is_black, stone, zero) - jnp.where(is_removed_black, lost, zero)
    white = jnp.where(is_black, zero, stone) - jnp.where(is_removed_black, zero, lost)
    both = common * _weight(is_black) - lost_common * _weight(is_removed_black)
    return jnp.stack([black, white, both])


def removed_keys(grid: Grid, mask: Bool[Array, " cells"]) -> tuple[UInt32[Array, ""], UInt32[Array, ""]]:
    """Sums over the cells of `mask` of their colour's keys, and of their (black) common keys."""
    cells = np.arange(grid.num_cells, dtype=np.uint32)[grid.band]
    sums = grids.reduce_slices(
        lax.add,
        0,
        lambda part, keys: jnp.where(part[None], keys, np.uint32(0)),
        mask[grid.band],
        np.stack([cell_key(cells), common_key(cells)]),
        lanes=grid.width,
    )
    return sums[0], sums[1]


def board_hash(grid: Grid, label: Int[Array, " cells"]) -> UInt32[Array, "3"]:
    """The three words of a board, from scratch."""
    black, black_common = removed_keys(grid, label > 0)
    white, white_common = removed_keys(grid, label < 0)
    return jnp.stack([black, white, black_common + white_common * WHITE_WEIGHT])


def situation(hashes: UInt32[Array, "3"], to_play: Int[Array, ""], ko_rule: str) -> UInt32[Array, "3"]:
    """What superko forbids to repeat: the board, under situational superko with the player to move."""
    if ko_rule != "situational":
        return hashes
    return hashes + jnp.stack([jnp.uint32(0), jnp.uint32(0), side_key(to_play)])


def side_key(to_play: Int[Array, ""]) -> UInt32[Array, ""]:
    """Key of the player to move."""
    return jnp.where(to_play == 0, np.uint32(0), WHITE_TO_PLAY)


def position_key(
    state: GoState, with_side: bool = True, with_ko: bool = True, num_recent: int = 0
) -> UInt32[Array, "3"]:
    """A 96-bit key of the position, for caches: of the board, and what else the cached value depends on.

    That is, if wanted, the player to move, the ko ban, and the last `num_recent` moves (0 to 8) with who made them and
    the boards before them, which encoders with a history read. Neither komi nor the superko history is part of it: two
    positions of one key may differ in what superko forbids. *Raises:* ValueError for more moves than a state keeps.
    """
    if not 0 <= num_recent <= NUM_RECENT:
        raise ValueError(f"num_recent={num_recent}: allowed is 0 to {NUM_RECENT}, the moves that a state keeps")
    key = state.hashes
    if with_side:
        key = key + side_key(state.to_play) * WORD_WEIGHTS
    if with_ko:
        ban = jnp.where(state.ko > 0, common_key(jnp.maximum(state.ko, 0).astype(jnp.uint32)), np.uint32(0))
        key = key + ban * KO_WEIGHT * WORD_WEIGHTS
    return key + _recent_key(state, num_recent) if num_recent else key


def _recent_key(state: GoState, num_recent: int) -> UInt32[Array, "3"]:
    """Key of the last moves and of the boards before them."""
    words = jnp.concatenate(
        [
            state.recent_boards[1 : num_recent + 1].reshape(-1),
            state.recent_moves[:num_recent].astype(jnp.uint32),
            state.recent_players[None].astype(jnp.uint32) & np.uint32((1 << num_recent) - 1),
            state.recent_captures[None] & np.uint32((1 << 4 * num_recent) - 1),
        ]
    )
    return words_key(words)


def words_key(words: UInt32[Array, " words"]) -> UInt32[Array, "3"]:
    """Key of some words in a row: a sum over them, each mixed with its place, so that their order tells."""
    placed = words ^ _mix(np.arange(words.shape[0], dtype=np.uint32), PLACE_SEED)
    return jnp.stack([_mix(placed, seed).sum(dtype=jnp.uint32) for seed in RECENT_SEEDS])


def _weight(is_black: Bool[Array, ""]) -> UInt32[Array, ""]:
    return jnp.where(is_black, np.uint32(1), WHITE_WEIGHT)


def _mix(cell: Words, seed: np.uint32) -> Words:
    """32 well-mixed bits of a cell or a word. Not linear in it, or sums of keys would collide."""
    bits = (cell + np.uint32(1)) * seed
    bits = (bits ^ bits >> np.uint32(15)) * np.uint32(0xC2B2AE35)
    return bits ^ bits >> np.uint32(13)
