"""Positions out of records: a game of ours that follows the main line of a record, set-up and all.

Moves run on the device in one loop whose length is data, so that a board size compiles once. A record is freer than a
game: colours need not alternate, two passes need not end it, stones may be set up at any time. Setting up begins a new
history, as a diagram does; a pass too many only has the game go on.

*Source:* own design.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32

from research.go import coords
from research.go.game import Go
from research.go.rules import Rules
from research.go.state import GoState, board, with_to_play
from research.go.text import from_text, plain_text
from research.interop.sgf.events import Event, Play, Setting
from research.interop.sgf.record import Record
from research.interop.sgf.rulesets import rules_told
from research.interop.sgf.tree import SgfError

_STONES = {"empty": 0, "black": 1, "white": 2}
_PLAYER = {"black": 0, "white": 1}
_MIN_CAPACITY = 128  # moves that the first compiled loop takes; longer ones double it


class Followed(NamedTuple):
    """How far some moves could be played."""

    state: GoState
    num_played: Int32[Array, ""]  # fewer than there were if one was illegal


def rules_of(record: Record) -> Rules:
    """Rules on the device under which the record can be replayed: size, komi, ko and suicide are the record's.

    Territory is scored as area, without tax, since a game in progress has no score yet; rules that are not told, or not
    known, ban only what all rules ban. *Raises:* SgfError for a board that is no square of 2 to 19 lines.
    """
    if not isinstance(record.size, int):
        raise _error(record, f"games are on square boards; this one has {record.size[0]}x{record.size[1]} lines")
    default = Rules(size=2, ko="simple")
    told = rules_told(record.rules) or default
    area = told if told.scoring != "territory" else default
    capacity = max(len(record.moves) + 1, 2 * record.size**2)
    try:
        return Rules(
            size=record.size,
            komi=record.komi,
            ko=told.ko,
            suicide=told.suicide,
            scoring=area.scoring,
            tax=area.tax,
            max_moves=None if capacity == 2 * record.size**2 else capacity,
        )
    except ValueError as fault:
        raise _error(record, str(fault)) from None


def replay(game: Go, record: Record, num_moves: int | None = None) -> GoState:
    """The position after the first `num_moves` moves of a record (None: all), passes counted, and what is set up there.

    The player to move is who plays next in the record. *Raises:* SgfError if the board is of another size, if there are
    not so many moves, if a move is illegal (it says which), or if stones are set up without a liberty.
    """
    if record.size != game.rules.size:
        raise _error(record, f"the board has {record.size} lines, the game {game.rules.size}")
    num_moves = len(record.moves) if num_moves is None else num_moves
    if not 0 <= num_moves <= len(record.moves):
        raise _error(record, f"move {num_moves} was asked for; there are {len(record.moves)}")
    if num_moves > game.max_moves:
        raise _error(record, f"{num_moves} moves were asked for; the rules end a game after {game.max_moves}")
    state, num_played = game.init(record.komi), 0
    for settings, plays in _parts(record.events, num_moves):
        if settings:
            player = _PLAYER[plays[0][1]] if plays else int(state.to_play)
            state = _set_up(game, record, state, settings, player, num_played)
        state = _follow(game, record, state, plays, num_played)
        num_played += len(plays)
    player = _next_player(record, num_moves)
    return state if player is None else with_to_play(state, player)


def _parts(events: tuple[Event, ...], num_moves: int) -> list[tuple[list[Setting], list[Play]]]:
    """(Set-up, the moves after it) again and again, up to just before move `num_moves` + 1."""
    parts: list[tuple[list[Setting], list[Play]]] = [([], [])]
    for event in events:
        if event[0] == "set":
            if parts[-1][1]:
                parts.append(([], []))
            parts[-1][0].append(event)
        elif event[0] == "play":
            if num_moves == 0:
                break
            num_moves -= 1
            parts[-1][1].append(event)
    return parts


def _next_player(record: Record, num_moves: int) -> str | None:
    """Who plays after `num_moves` moves, as far as the record tells: by the next move, else by PL, else by handicap."""
    player = "white" if num_moves == 0 and {colour for colour, _ in record.setup} == {"black"} else None
    for event in record.events:
        if event[0] == "play" and num_moves == 0:
            return event[1]
        num_moves -= event[0] == "play"
        if event[0] == "to_play" and num_moves == 0:
            player = event[1]
    return player


def _set_up(game: Go, record: Record, state: GoState, settings: list[Setting], player: int, num_played: int) -> GoState:
    """The position with stones put on and taken off; its history begins anew."""
    stones = np.array(board(state))
    for _, colour, point in settings:
        stones[point] = _STONES[colour]
    try:
        return from_text(game.rules, plain_text(stones), player, komi=record.komi)
    except ValueError as fault:
        raise _error(record, f"the set-up after move {num_played} is no position: {fault}") from None


def _follow(game: Go, record: Record, state: GoState, plays: list[Play], num_played: int) -> GoState:
    """The position after `plays`; *Raises:* SgfError that names the first illegal one."""
    capacity = _MIN_CAPACITY
    while capacity < len(plays):
        capacity *= 2
    actions, players = np.zeros((2, capacity), np.int32)
    for ply, (_, colour, point) in enumerate(plays):
        actions[ply], players[ply] = coords.action_from_point(point, game.rules.size), _PLAYER[colour]
    followed = _make_follow(_for_moves(game.rules))(
        state, jnp.asarray(actions), jnp.asarray(players), jnp.int32(len(plays))
    )
    num_followed = int(followed.num_played)
    if num_followed == len(plays):
        return followed.state
    _, colour, point = plays[num_followed]
    number = num_played + num_followed + 1
    reason = next((found.text for found in record.findings if found.move == number), "not allowed by the rules")
    name = coords.gtp_from_point(point, game.rules.size)
    place = record.source.place(record.move_positions[number - 1])
    raise SgfError(f"{place}: move {number}, {colour} at {name}, is illegal: {reason}")


@lru_cache(maxsize=32)
def _make_follow(game: Go) -> Callable[..., Followed]:
    """The compiled loop over moves: (state, actions, players, how many count) -> how far they could be played."""

    def follow(
        state: GoState, actions: Int32[Array, " plies"], players: Int32[Array, " plies"], num_moves: Int32[Array, ""]
    ) -> Followed:
        def play(followed: Followed) -> Followed:
            state, ply = followed
            turned = with_to_play(state, players[ply])
            before = state._replace(
                to_play=turned.to_play, ko=turned.ko, passes=jnp.where(state.passes >= 2, 0, state.passes)
            )
            after = game.step(before, actions[ply])
            return Followed(after, jnp.where(after.num_moves > state.num_moves, ply + 1, -1 - ply))

        def is_going_on(followed: Followed) -> Bool[Array, ""]:
            return (followed.num_played >= 0) & (followed.num_played < num_moves)

        state, num_played = lax.while_loop(is_going_on, play, Followed(state, jnp.int32(0)))
        return Followed(state, jnp.where(num_played < 0, -1 - num_played, num_played))

    return jax.jit(follow)


def _for_moves(rules: Rules) -> Go:
    """The game by `rules` less what moves do not depend on, so that fewer games are compiled for."""
    return Go(Rules(size=rules.size, komi=0.0, ko=rules.ko, suicide=rules.suicide, max_moves=rules.max_moves))


def _error(record: Record, text: str) -> SgfError:
    return SgfError(f"{record.name}: {text}" if record.name else text)
