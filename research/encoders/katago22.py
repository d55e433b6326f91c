"""`katago22`: the 22 planes and 19 globals that KataGo's networks of version 8 and later read (its inputs V7).

The idea: everything is seen by the player to move, and no plane says whose turn it is; komi and rules are globals.
Beside stones, liberties and the last five moves the planes say what a network finds hard to read off a board: ladders
now and up to two plies ago, the moves that start working ladders, and whose each point is if the board stays as it is,
stones in the other's pass-alive area being dead.

What stays zero: plane 8, which KataGo does not use, and planes 7, 20 and 21, which belong to the clean-up phases of
territory rules, as do the globals 9, 12 and 13; global 17 is for a button. research.go plays area rules without one.

- Plane 6 holds the point of a simple ko and every empty point that superko alone forbids. In a search tree it knows
  the situations of the tree's own path only.
- Planes 14 to 16 read the board and those one and two plies ago, each with its own ko ban, which binds both players.
  Where the past is not shown (see katago_history.py) the last board that is shown stands in. The ban that a position
  was set up with is forgotten after the first move.
- Planes 18 and 19 show KataGo's area under every area scoring; under a group tax empty points in seki are nobody's.

*Source:* KataGo 1.17.2, NNInputs::fillRowV7, as facts; Wu, "Accelerating Self-Play Learning in Go" (2019), appendix A.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int8, Int32, UInt32

from research.encoders import packed
from research.encoders.encoder import Encoder, Planes
from research.encoders.katago_globals import GLOBAL_NAMES, GlobalConfig, draw_globals
from research.encoders.katago_history import MAX_HISTORY, HistoryConfig, Past, shown_past
from research.encoders.ladder_options import takes_ladder_options
from research.encoders.legal_points import own_legal_band
from research.go import Go, GoState, benson, chains, group_tax
from research.go import grid as grids
from research.go.ladders import LadderConfig, Ladders, read_ladders, shared_ban
from research.go.legality import legal_points
from research.go.liberties import liberty_counts
from research.go.settled import settled
from research.go.state import NO_KO, ko_action

_PLANE_NAMES = (
    "on the board",
    "own stones",
    "opponent stones",
    "chain has 1 liberty",
    "chain has 2 liberties",
    "chain has 3 liberties",
    "forbidden by ko or superko",
    "ko recapture blocked (zeros)",
    "unused (zeros)",
    *(f"move {turn} turns ago" for turn in range(1, MAX_HISTORY + 1)),
    "caught in a ladder",
    "caught in a ladder 1 ply ago",
    "caught in a ladder 2 plies ago",
    "own move starts a working ladder",
    "own area",
    "opponent area",
    "own stones when the second clean-up began (zeros)",
    "opponent stones when the second clean-up began (zeros)",
)


@partial(takes_ladder_options, has_ko=False)
def make_katago22(
    ladders: LadderConfig | None,
    max_history: int = MAX_HISTORY,
    draw_weight: float | int = 0.5,
    conservative_pass: bool = False,
    passing_hacks: bool = False,
    friendly_pass_ok: bool = False,
    playout_doubling_advantage: float | int = 0.0,
    pass_alive_suicide: bool | None = None,
) -> Encoder:
    """The encoder of that name.

    The options that have to do with passes, and `max_history`, are those of HistoryConfig; `draw_weight` and
    `playout_doubling_advantage` those of GlobalConfig. `pass_alive_suicide`: whether areas are judged as if suicide
    were legal, as some networks want it; None: by the rules.

    *Raises:* ValueError for an option out of its range.
    """
    if not isinstance(pass_alive_suicide, bool | None):
        raise ValueError(f"pass_alive_suicide={pass_alive_suicide!r}: allowed is True, False or None")
    history = HistoryConfig(max_history, conservative_pass, friendly_pass_ok, passing_hacks)
    global_config = GlobalConfig(draw_weight, playout_doubling_advantage)
    return Encoder(
        name="katago22",
        plane_names=_PLANE_NAMES,
        game_type=Go,
        draw=partial(_draw, history=history, ladders=ladders, suicide=pass_alive_suicide),
        global_names=GLOBAL_NAMES,
        draw_globals=lambda game, state: draw_globals(game, state, shown_past(game, state, history), global_config),
    )


def _draw(
    game: Go, state: GoState, history: HistoryConfig, ladders: LadderConfig | None, suicide: bool | None
) -> Planes:
    size = game.rules.size
    past = shown_past(game, state, history)
    none, all_points = jnp.zeros(size, jnp.uint32), jnp.full(size, (1 << size) - 1, jnp.uint32)
    stones = _by_view(state, state.recent_boards[0])
    caught = [none] * 4 if ladders is None else _ladder_rows(game, state, past, ladders)
    areas = _by_view(state, _area_rows(game, state, suicide))
    liberties, moves = _liberty_rows(game, state), packed.point_rows(past.moves, size)
    rows = [
        all_points,
        *stones,
        *liberties,
        _forbidden_rows(game, state),
        none,
        none,
        *moves,
        *caught,
        *areas,
        none,
        none,
    ]
    drawn = settled(jnp.stack(rows, axis=1), state.to_play)
    return (drawn[:, None, :] & packed.column_bits(size)[:, None]) != 0


def _by_view(state: GoState, by_colour: Array) -> Array:
    """What is Black's and White's, the player's to move first."""
    return jnp.where(state.to_play == 0, by_colour, by_colour[::-1])


def _liberty_rows(game: Go, state: GoState) -> list[UInt32[Array, " size"]]:
    """The stones whose chain has one, two, three liberties, packed."""
    counts = settled(liberty_counts(game.grid, state.label)[game.grid.band], state.to_play)
    return [grids.pack_rows(game.grid, counts == number) for number in (1, 2, 3)]


def _forbidden_rows(game: Go, state: GoState) -> UInt32[Array, " size"]:
    """The points that ko or superko alone forbids, also after the end, packed."""
    ban = packed.point_rows(ko_action(state)[None], game.rules.size)[0]
    if not game.has_superko:
        return ban
    repeats = legal_points(game.grid, game.rules, state) & ~own_legal_band(game, state)
    return ban | grids.pack_rows(game.grid, repeats)


def _area_rows(game: Go, state: GoState, suicide: bool | None) -> UInt32[Array, "2 size"]:
    """Black's and White's area, packed."""
    grid, rules, stones = game.grid, game.rules, state.recent_boards[0]
    parts = benson.area_rows(grid, state.label, stones, rules.suicide if suicide is None else suicide)
    owned = benson.owner_rows(parts, stones)
    if rules.tax == "none":
        return owned
    return group_tax.kept_rows(owned, stones, grids.pack_rows(grid, state.atari[grid.band]))


def _ladder_rows(game: Go, state: GoState, past: Past, config: LadderConfig) -> list[UInt32[Array, " size"]]:
    """The stones caught now, one and two plies ago, and the player's moves that start a working ladder, packed."""
    grid = game.grid
    older = [_older_board(game, state, past, plies) for plies in (1, 2)]
    label = jnp.stack([state.label, *(chains.label_chains(grid, stones) for stones, _ in older)])
    ko = jnp.stack([state.ko, *(ko for _, ko in older)])
    read: Ladders = jax.vmap(lambda label, ko: read_ladders(grid, label, shared_ban(ko), config))(label, ko)
    caught = [packed.pack_points(read.laddered[board].any(0)) for board in range(3)]
    for plies in (1, 2):
        caught[plies] = jnp.where(past.num_turns >= plies, caught[plies], caught[plies - 1])
    return [*caught, packed.pack_points(read.captures[0, 1 - state.to_play])]


def _older_board(game: Go, state: GoState, past: Past, plies: int) -> tuple[Int8[Array, "size size"], Int32[Array, ""]]:
    """(The board that many plies ago, the cell that was banned there), both empty unless the past is shown so far."""
    boards = state.recent_boards
    rows = jnp.where(past.num_turns >= plies, boards[plies], jnp.uint32(0))
    player = state.recent_players >> plies & 1
    ban = _ban_after(game, boards[plies + 1], boards[plies], player)
    is_black, is_white = grids.unpack_rows(game.grid, rows[0]), grids.unpack_rows(game.grid, rows[1])
    return is_black + 2 * is_white.astype(jnp.int8), jnp.where(past.num_turns >= plies, ban, NO_KO)


def _ban_after(
    game: Go, before: UInt32[Array, "2 size"], after: UInt32[Array, "2 size"], player: Int32[Array, ""]
) -> Int32[Array, ""]:
    """The cell that simple ko bans after `player` has turned the packed boards `before` into `after`.

    That is where the one stone was that a new stone took which stands alone and has no other liberty.
    """
    own, enemy = after[player], after[1 - player]
    new = own & ~before[player]
    taken = before[1 - player] & ~enemy
    beside = packed.any_beside(new[None])[0]
    num_liberties = _num_points(beside & packed.empty_points(after))
    is_ko = (_num_points(taken) == 1) & ~(beside & own).any() & (num_liberties == 1)
    return jnp.where(is_ko, _cell_of(game, taken), NO_KO)


def _num_points(rows: UInt32[Array, " size"]) -> Int32[Array, ""]:
    """How many points are set."""
    return lax.population_count(rows).sum(dtype=jnp.uint32).astype(jnp.int32)


def _cell_of(game: Go, rows: UInt32[Array, " size"]) -> Int32[Array, ""]:
    """The cell of the only point that is set."""
    column = lax.population_count(rows - 1).astype(jnp.int32)
    cells = game.grid.width * np.arange(1, game.rules.size + 1, dtype=np.int32) + column
    return jnp.where(rows > 0, cells, 0).sum(dtype=jnp.int32)
