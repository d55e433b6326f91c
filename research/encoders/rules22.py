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

from functools import partial

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, UInt32

from research.encoders import packed
from research.encoders.encoder import Encoder, Planes
from research.encoders.legal_points import own_legal_points
from research.encoders.planes import MOVE_NAMES
from research.go import Go, GoState
from research.go import grid as grids
from research.go.rare import where_needed
from research.go.settled import settled
from research.go.state import ko_action

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
    # Settled, or XLA:CPU would put the boards together anew for each of the values drawn from them.
    boards, values = settled(_boards(game, state), state.num_moves), _constants(game, state)
    bits = packed.column_bits(game.rules.size)
    return jnp.where((boards.T[:, None, :] & bits[:, None]) != 0, jnp.float32(1), values)


def _boards(game: Go, state: GoState) -> UInt32[Array, "22 size"]:
    """The planes that differ from point to point, packed; nothing for the constant ones."""
    size, stones = game.rules.size, state.recent_boards[0]
    points = packed.point_rows(jnp.append(state.recent_moves[:NUM_MOVES].astype(jnp.int32), ko_action(state)), size)
    atari = grids.pack_rows(game.grid, state.atari[game.grid.band])
    makers = _ko_makers(jnp.where(state.to_play == 0, stones, stones[::-1]), atari)
    own = makers[0] & ~points[NUM_MOVES]
    if game.has_superko:
        legal = partial(_legal_ko_makers, game)
        own = where_needed(legal, (own != 0).any(), own, own, state, games_at_a_time=GAMES_AT_A_TIME)
    nothing = np.zeros((len(_PLANE_NAMES), size), np.uint32)
    empty = packed.empty_points(stones)[None]
    return jnp.concatenate([stones, empty, nothing[3:5], points, own[None], makers[1:], nothing[13:]])


def _legal_ko_makers(game: Go, own: UInt32[Array, " size"], state: GoState) -> UInt32[Array, " size"]:
    """The points of `own` that superko allows."""
    return own & packed.pack_points(own_legal_points(game, state))


def _ko_makers(stones: UInt32[Array, "2 size"], atari: UInt32[Array, " size"]) -> UInt32[Array, "2 size"]:
    """Packed points where either colour takes a single stone with one that could be taken back but for the ko."""
    empty, enemies = packed.empty_points(stones), stones[::-1]
    in_atari = enemies & atari
    single = in_atari & ~packed.any_beside(enemies)
    friends_or_air = packed.any_beside(stones | empty)
    return empty & ~friends_or_air & packed.one_beside(in_atari) & packed.any_beside(single)


def _constants(game: Go, state: GoState) -> Float32[Array, " 22"]:
    """What each constant plane holds everywhere, 0 for the others."""
    rules, is_black = game.rules, state.to_play == 0
    held = {
        "ones": 1.0,
        "black to move": is_black,
        "own komi / 20": jnp.where(is_black, -state.komi, state.komi) / KOMI_SCALE,
        "komi is no whole number": state.komi != jnp.floor(state.komi),
        "suicide allowed": rules.suicide,
        "simple ko": rules.ko == "simple",
        "positional superko": rules.ko == "positional",
        "situational superko": rules.ko == "situational",
        "area scoring": rules.scoring in ("area", "area-pass-dead"),
        "territory scoring": rules.scoring == "territory",
        "last move was a pass": state.recent_moves[0] == game.grid.num_points,
    }
    values = jnp.zeros(len(_PLANE_NAMES), jnp.float32)
    for name, value in held.items():
        is_place = np.array([name == other for other in _PLANE_NAMES], np.float32)
        values = values + is_place * jnp.asarray(value, jnp.float32)
    return values
