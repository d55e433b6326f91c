"""`alphago48` and `alphago48_roc`: the forty-eight planes of the first AlphaGo, and a forty-ninth for a value network.

The idea: what a Go player would count at a glance, put before the network instead of left for it to learn: how long ago
a stone was played, the liberties of its chain, what a move takes, whether it puts itself in atari, what liberties it
will have, ladders, and whether it fills an own eye. Numbers are spread over eight planes, the last for "eight or more".
"Own" is the player to move; planes about moves are empty where the move is not legal.

The paper does not say where a capture of no stones goes. In `alphago48` it is in no plane, as with the other counts; in
`alphago48_roc` the planes begin with it, as RocAlphaGo documents, and the last is for seven or more.

A stone's age is that of the last move on its point, for it can only be played where nothing stands. The state knows the
last eight moves; ages of eight and more, set-up stones among them, share a plane, so nothing else has to be kept.

*Source:* Silver et al., "Mastering the game of Go with deep neural networks and tree search", Nature 529 (2016),
Extended Data Table 2; the second reading of capture sizes: RocAlphaGo, AlphaGo/preprocessing.
"""

from functools import partial

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, UInt32

from research.encoders.encoder import Encoder, Planes
from research.encoders.field_planes import ALWAYS, Plane, draw_fields, one_hot
from research.encoders.ladder_options import takes_ladder_options
from research.encoders.legal_points import own_legal_band
from research.go import Go, GoState
from research.go import grid as grids
from research.go.after_move import after_moves_on_band
from research.go.eyes import true_eye_rows
from research.go.fields import Field, fields_of, pack
from research.go.grid import Grid
from research.go.ladders import LadderConfig, mover_ban, read_ladders
from research.go.liberties import chain_counts
from research.go.settled import settled
from research.go.state import side_sign

NUM_PLANES = 48  # without that of a value network
NO_ACTION = -2  # of a cell that is no point: no move either, which -1 would be
MOST = 8  # the last plane of a count
OWN, OPPONENT, EMPTY = 1, 2, 0  # numbers of STONE

OF_STONES = 16  # where stones' numbers begin, in the fields that they share with moves
OF_ATARI = 7  # likewise the sizes of chains that a move leaves in atari, above the liberties of others less one

# What is found out about a point, in a word of sixteen bits: it has a stone, or a move may be asked about.
STONE, AGE_OR_TAKEN, LIBERTIES_OR_LEFT, STARTS_LADDER, ESCAPES_LADDER, IS_SENSIBLE, IS_BLACK = fields_of(
    2, 5, 5, 1, 1, 1, 1
)
ATARI = Field(
    LIBERTIES_OR_LEFT.first + 3, 2
)  # of these bits the lower is set alone where a move leaves itself in atari


@takes_ladder_options
def make_alphago48(ladders: LadderConfig | None, value_plane: bool = False) -> Encoder:
    """The encoder of that name; `value_plane` adds the plane for a value network, who is to move."""
    return _make("alphago48", range(1, MOST + 1), value_plane, ladders)


@takes_ladder_options
def make_alphago48_roc(ladders: LadderConfig | None, value_plane: bool = False) -> Encoder:
    """The encoder of that name, whose capture sizes begin with none; options as `make_alphago48`."""
    return _make("alphago48_roc", range(MOST), value_plane, ladders)


def _make(name: str, taken: range, value_plane: bool, ladders: LadderConfig | None) -> Encoder:
    """The encoder whose planes of capture sizes are for the numbers `taken`."""
    if not isinstance(value_plane, bool):
        raise ValueError(f"value_plane={value_plane!r}: allowed is True or False")
    planes = _planes(taken)[: NUM_PLANES + value_plane]
    names = tuple(plane.name for plane in planes)
    return Encoder(name, names, game_type=Go, draw=partial(_draw, planes=planes, most_taken=taken[-1], ladders=ladders))


def _planes(taken: range) -> tuple[Plane, ...]:
    """All planes, with that of a value network last."""
    counts = range(1, MOST + 1)
    return (
        Plane("own stones", STONE, OWN),
        Plane("opponent's stones", STONE, OPPONENT),
        Plane("empty points", STONE, EMPTY),
        Plane("ones", ALWAYS, 0),
        *one_hot("plies since the stone was played: {}", AGE_OR_TAKEN, counts, first=1 + OF_STONES),
        *one_hot("liberties of the stone's chain: {}", LIBERTIES_OR_LEFT, counts, first=1 + OF_STONES),
        *one_hot("stones that the move takes: {}", AGE_OR_TAKEN, taken, first=1 + taken[0]),
        *one_hot("own stones in atari by the move: {}", LIBERTIES_OR_LEFT, counts, first=1 + OF_ATARI),
        Plane("liberties after the move: 1", ATARI, 1),
        *one_hot("liberties after the move: {}", LIBERTIES_OR_LEFT, counts[1:]),
        Plane("the move starts a working ladder", STARTS_LADDER, 1),
        Plane("the move escapes from a ladder", ESCAPES_LADDER, 1),
        Plane("the move fills no own eye", IS_SENSIBLE, 1),
        Plane("zeros", ALWAYS, 1),
        Plane("black to move", IS_BLACK, 1),
    )


def _draw(game: Go, state: GoState, planes: tuple[Plane, ...], most_taken: int, ladders: LadderConfig | None) -> Planes:
    # All in the layout of the band: rows of nineteen are no multiple of anything.
    grid, band, legal = game.grid, game.grid.band, own_legal_band(game, state)
    view = state.label[band] * side_sign(state.to_play)
    counts = chain_counts(grid, state.label)
    after = after_moves_on_band(grid, state.label, state.to_play, legal, counts, game.rules.suicide)
    own, opponent = jnp.where(state.to_play == 0, state.recent_boards[0], state.recent_boards[0, ::-1])
    starts, escapes = _ladder_moves(game, state, legal, ladders)
    is_stone = view != 0
    taken = jnp.where(legal, 1 + jnp.minimum(after.captured, most_taken), 0)
    in_atari = OF_ATARI + jnp.minimum(after.stones, MOST)
    left = jnp.where(after.liberties == 1, in_atari, jnp.clip(after.liberties - 1, 0, MOST - 1))
    numbers = {
        STONE: jnp.where(view > 0, jnp.int16(OWN), jnp.where(view < 0, jnp.int16(OPPONENT), jnp.int16(EMPTY))),
        AGE_OR_TAKEN: jnp.where(is_stone, OF_STONES + _ages(grid, state), taken),
        LIBERTIES_OR_LEFT: jnp.where(is_stone, OF_STONES + jnp.minimum(counts.liberties[band], MOST), left),
        STARTS_LADDER: starts,
        ESCAPES_LADDER: escapes,
        IS_SENSIBLE: legal & ~_band_of(grid, true_eye_rows(grid, own, opponent)),
        IS_BLACK: jnp.broadcast_to(state.to_play == 0, view.shape),
    }
    return draw_fields(grid, pack(numbers), planes, state)


def _ages(grid: Grid, state: GoState) -> Int16[Array, " band"]:
    """Plies since the last move on each cell, the last ply being 1; MOST for so many, for more, and for none."""
    actions = np.full(grid.num_cells, NO_ACTION, np.int16)
    actions[grid.cells] = np.arange(grid.num_points)
    ages = jnp.full(len(grid.band_cells), MOST, jnp.int16)
    for age in range(MOST - 1, 0, -1):
        ages = jnp.where(state.recent_moves[age - 1] == actions[grid.band], jnp.int16(age), ages)
    return ages


def _band_of(grid: Grid, rows: UInt32[Array, " size"]) -> Bool[Array, " band"]:
    """A packed board in the layout of the band, settled because a reader in one row would divide to find its row."""
    bits = (rows[:, None] >> np.arange(grid.width, dtype=np.uint32) & 1) > 0
    return settled(bits, rows[0].astype(jnp.int32)).reshape(-1)


def _ladder_moves(
    game: Go, state: GoState, legal: Bool[Array, " band"], config: LadderConfig | None
) -> tuple[Bool[Array, " band"], Bool[Array, " band"]]:
    """(The legal moves that start a working ladder, those that get out of one); none if `config` is None."""
    if config is None:
        return jnp.zeros_like(legal), jnp.zeros_like(legal)
    ladders = read_ladders(game.grid, state.label, mover_ban(state.ko, state.to_play), config, state.to_play)
    is_black = state.to_play == 0
    starts = jnp.where(is_black, ladders.captures[1], ladders.captures[0])
    escapes = jnp.where(is_black, ladders.escapes[0], ladders.escapes[1])
    starts, escapes = (grids.to_cells(game.grid, moves)[game.grid.band] & legal for moves in (starts, escapes))
    return starts, escapes
