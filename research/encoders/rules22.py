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

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, UInt32

from research.encoders import packed
from research.encoders.encoder import Encoder, Planes
from research.encoders.legal_points import own_legal_points
from research.encoders.planes import MOVE_NAMES
from research.go import Go, GoState
from research.go import grid as grids
from research.go.state import ko_action

NUM_MOVES = 5
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
    rows, values = _point_rows(game, state), _constants(game, state)
    bits = packed.column_bits(game.rules.size)
    return jnp.where((rows[:, None, :] & bits[:, None]) != 0, jnp.float32(1), values)


def _point_rows(game: Go, state: GoState) -> UInt32[Array, "size 22"]:
    """The planes that differ from point to point, packed; zeros for the constant ones."""
    size, stones = game.rules.size, state.recent_boards[0]
    points = packed.point_rows(jnp.append(state.recent_moves[:NUM_MOVES].astype(jnp.int32), ko_action(state)), size)
    atari = grids.pack_rows(game.grid, state.atari[game.grid.band])
    own_first = jnp.where(state.to_play == 0, stones, stones[::-1])
    own, opponent = _ko_makers(own_first, atari)
    own = own & ~points[NUM_MOVES]
    if game.has_superko:
        own = own & packed.pack_points(own_legal_points(game, state))
    none = jnp.zeros(size, jnp.uint32)
    drawn = [stones[0], stones[1], packed.empty_points(stones), none, none, *points, own, opponent]
    # A long list of single planes: XLA:CPU would put a short one together anew for each of the values drawn from it.
    return jnp.stack([*drawn, *[none] * (len(_PLANE_NAMES) - len(drawn))], axis=1)


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
