"""`rules22`: the board, the last moves, what ko forbids, and the rules themselves, in absolute colours.

The idea: a network that is to play by any rules must be told them. So beside the stones and the last five moves stand
constant planes for komi, suicide, the ko rule and the way of counting; and since kos are where rules differ, the
banned point and the moves that would ban one. Planes are float32 because of komi, which is the player to move's own,
in twenties of points; all others are 0 or 1.

"Banned" is what simple ko bans, whatever the ko rule; moves that superko forbids are merely not legal. A move creates
a ban if it takes one stone, stands alone, and has the taken stone's point as its only liberty. All such moves are
found at once on packed boards: no friend and no empty point beside them, and exactly one enemy stone in atari, which
is alone too. The opponent's are those that he would have if he were to move, any ban ignored. Area counting is "area"
and "area-pass-dead".

*Source:* a table in an article on feature design; its gaps are filled as said here.
"""

from collections.abc import Callable
from functools import partial

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int, Int32, UInt32

from research.encoders import packed
from research.encoders.encoder import Encoder, Planes
from research.encoders.planes import MOVE_NAMES
from research.go import Go, GoState, superko
from research.go import grid as grids
from research.go.legality import look_around
from research.go.rare import where_needed
from research.go.settled import settled
from research.go.state import History, ko_action
from research.go.zobrist import situation

NUM_MOVES = 5
GAMES_AT_A_TIME = 32  # asked about superko together: one game in ten has a move to start a ko
KOMI_SCALE = 20.0  # points

_PLANE_NAMES = (
    "black stones",
    "white stones",
    "empty points",
    "ones",
    "black to move",
    *MOVE_NAMES[:NUM_MOVES],
    "point banned by ko",
    "own legal moves that create a ko ban",
    "opponent's legal moves that create a ko ban",
    "own komi / 20",
    "komi is no whole number",
    "suicide allowed",
    "simple ko",
    "positional superko",
    "situational superko",
    "area scoring",
    "territory scoring",
    "last move was a pass",
)


def make_rules22() -> Encoder:
    """The encoder of that name; it has no options."""
    return Encoder(name="rules22", plane_names=_PLANE_NAMES, game_type=Go, draw=_draw)


def _draw(game: Go, state: GoState) -> Planes:
    """The planes, out of boards packed by columns: one word a column, bit r for row r.

    Float planes are four times as many bytes as others, so how they are written decides what they cost. The words of
    all columns and planes stand in the order in which a row of points is written, and a row is one pass over them that
    tests one bit. XLA:CPU makes vectors of that, and goes value by value where each point has its planes to look for.
    """
    size, num_planes = game.rules.size, len(_PLANE_NAMES)
    # Settled, or XLA:CPU would put the words together anew for each of the values drawn from them.
    words = settled(_words(game, state), state.num_moves).reshape(-1)
    is_komi = np.tile(np.arange(num_planes) == _PLANE_NAMES.index("own komi / 20"), size)
    komi = jnp.where(state.to_play == 0, 0 - state.komi, state.komi) / KOMI_SCALE
    is_set = (words & packed.column_bits(size)[:, None]) != 0
    rows = jnp.where(is_set, jnp.where(is_komi, komi, jnp.float32(1)), jnp.float32(0))
    # Settled, or the last axis would be split first and written in short pieces.
    return settled(rows, state.num_moves).reshape(size, size, num_planes)


def _words(game: Go, state: GoState) -> UInt32[Array, "size 22"]:
    """What each column of each plane holds, bit r being row r; komi's plane is full."""
    size = game.rules.size
    stones, atari = _columns(game, state)
    past = packed.point_rows(_transposed(state.recent_moves[:NUM_MOVES], size), size)
    ban = packed.point_rows(_transposed(ko_action(state)[None], size), size)
    makers = _ko_makers(jnp.where(state.to_play == 0, stones, stones[::-1]), atari)
    own, opponent = settled((makers[0] & ~ban[0], makers[1]), state.num_moves)
    if game.has_superko and state.history.shape[1]:
        own = _without_repeats(game, own, state)
    boards = jnp.stack([*stones, packed.empty_points(stones)], axis=1)
    kos = jnp.stack([ban[0], own, opponent], axis=1)
    before, after = (
        jnp.broadcast_to(jnp.where(jnp.stack(held), packed.all_points(size), jnp.uint32(0)), (size, len(held)))
        for held in _constants(game, state)
    )
    return jnp.concatenate([boards, before, past.T, kos, after], axis=1)


def _columns(game: Go, state: GoState) -> tuple[UInt32[Array, "2 size"], UInt32[Array, " size"]]:
    """(Black's and White's stones, the stones in atari), a word a column."""
    label, atari = (grids.to_points(game.grid, values[game.grid.band]) for values in (state.label, state.atari))
    points = jnp.stack([label > 0, label < 0, atari])
    bits = packed.column_bits(game.rules.size)[:, None]
    columns = jnp.where(points, bits, np.uint32(0)).sum(1, dtype=jnp.uint32)
    return columns[:2], columns[2]


def _transposed(actions: Int[Array, " num_actions"], size: int) -> Int32[Array, " num_actions"]:
    """The actions with rows and columns exchanged; what is no point stays so."""
    actions = actions.astype(jnp.int32)
    row = lax.div(actions, jnp.int32(size))
    is_point = (actions >= 0) & (actions < size * size)
    return jnp.where(is_point, (actions - row * size) * size + row, actions)


def _without_repeats(game: Go, own: UInt32[Array, " size"], state: GoState) -> UInt32[Array, " size"]:
    """The moves `own`, which would start a ko, without those that superko forbids.

    On a CPU or a GPU one word of the situation is looked for first, in the games that have such a move, and all three
    only in those where it was found, which is next to never. A TPU looks for all at once.
    """
    one_word = partial(_unless, game, lambda target, history: (history.entries[2] == target[2]).any())
    exact = partial(_unless, game, lambda target, history: superko.has_occurred(target, (history,)))

    def by_one_word(own, state):
        kept = where_needed(one_word, (own != 0).any(), own, own, state, games_at_a_time=GAMES_AT_A_TIME)
        return where_needed(exact, (kept != own).any(), own, own, state)

    def at_once(own, state):
        return where_needed(exact, (own != 0).any(), own, own, state)

    return lax.platform_dependent(own, state, tpu=at_once, default=by_one_word)


def _unless(game: Go, has_occurred: Callable, own: UInt32[Array, " size"], state: GoState) -> UInt32[Array, " size"]:
    """The moves `own` but for those after which has_occurred(situation, history)."""
    grid, column = game.grid, np.arange(game.rules.size, dtype=np.int32)

    def ask(carry):
        left, kept = carry
        lowest = left & ~(left - 1)
        row = lax.population_count(lowest - 1).astype(jnp.int32)
        cell = jnp.where(left != 0, (row + 1) * grid.width + column, grid.width).max()
        hashes = superko.hashes_after(grid, game.rules, state, cell, look_around(grid, state, cell))
        target = situation(hashes, 1 - state.to_play, game.rules.ko)
        repeats = has_occurred(target, History(state.history, state.history_length))
        point = jnp.where(column == lax.rem(cell, jnp.int32(grid.width)), lowest, np.uint32(0))
        return left & ~point, jnp.where(repeats, kept & ~point, kept)

    return lax.while_loop(lambda carry: (carry[0] != 0).any(), ask, (own, own))[1]


def _ko_makers(stones: UInt32[Array, "2 size"], atari: UInt32[Array, " size"]) -> UInt32[Array, "2 size"]:
    """Packed points where either colour takes a single stone with one that could be taken back but for the ko."""
    empty, enemies = packed.empty_points(stones), stones[::-1]
    in_atari = enemies & atari
    single = in_atari & ~packed.any_beside(enemies)
    friends_or_air = packed.any_beside(stones | empty)
    return empty & ~friends_or_air & packed.one_beside(in_atari) & packed.any_beside(single)


def _constants(game: Go, state: GoState) -> tuple[list[Bool[Array, ""]], list[Bool[Array, ""]]]:
    """What the constant planes hold everywhere, komi's being full: those before the last moves, those at the end."""
    rules = game.rules
    before = [True, state.to_play == 0]
    after = [
        True,  # komi
        state.komi != jnp.floor(state.komi),
        rules.suicide,
        rules.ko == "simple",
        rules.ko == "positional",
        rules.ko == "situational",
        rules.scoring in ("area", "area-pass-dead"),
        rules.scoring == "territory",
        state.recent_moves[0] == game.grid.num_points,
    ]
    return [jnp.asarray(held) for held in before], [jnp.asarray(held) for held in after]
