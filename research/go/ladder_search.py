"""One ladder read depth first, one move at a time: a state machine that many chains can go through side by side.

A chain's reading begins on the board as it is with its first mover, the prey if the chain is in atari and the hunter
if it has two liberties. All his moves are tried, and each gets an answer; deeper, one move that works is enough. On the
way down, a look ahead settles most choices without playing them:

- The hunter at one liberty leaves the prey the other. If the prey would have three liberties there, the choice fails.
  If it would have one at most, no hunter is in atari beside it and the new stone is safe, the choice works. Both hold
  only while nothing is captured; otherwise the choice is played. The one that leaves fewer liberties is tried first.
- The prey captures first, for that is what ends a ladder soonest if anything does, and extends last, and then only if
  that would leave it two liberties. With three it has escaped.

Nothing is stored to go back to. Where a choice is left open, the number of its ply is; when the line below it has
failed, the game's board is fetched again and the line played again up to there. With the look ahead this happens less
than twice in a real position and costs a tenth of all moves, which is less than a stack of boards would cost at each.

*Source:* own design.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int16, Int32

from research.go import ladder_board as boards
from research.go.ladder_board import NO_CELL, Field, Outlook, Prey, Step
from research.go.settled import settled

ESCAPED = 3  # liberties with which the prey has escaped
NUM_BRANCHES = 32  # choices in one line that can be left open
NO_LIMIT = np.int16(1)  # a hunter's key is negative


@dataclass(frozen=True)
class Limits:
    """How one chain is read."""

    is_plain: bool  # simple ko throughout, instead of kos for the prey
    num_plies: int  # a line that is longer lets the prey escape
    num_nodes: int  # moves made while one first move is read, those made again included; that many: not caught
    num_lanes: int  # chains read side by side


class Lane(NamedTuple):
    """One chain being read, and where its reading stands."""

    is_busy: Bool[Array, ""]
    game: Int32[Array, ""]  # number of the board that it is on
    prey: Int16[Array, ""]  # key of the chain
    is_white: Bool[Array, ""]  # its colour
    moves_first: Bool[Array, ""]  # it is in atari, and so its owner begins; else the hunter
    bans: Int32[Array, "2"]  # cells that the hunter, and the prey, may not take first
    at: Step  # the board
    goes_home: Bool[Array, ""]  # the game's board must be fetched before anything else
    ply: Int32[Array, ""]  # moves on the board since then
    move: Int32[Array, ""]  # to be played now, NO_CELL for none
    reply: Int32[Array, ""]  # the prey's only answer to it, to be played at once; NO_CELL for none
    frees_none: Bool[Array, ""]  # as Move.frees_none
    line: Int16[Array, " plies"]  # the moves that lead to the position in question
    resumed: Int32[Array, ""]  # its ply; the line is played up to there
    limit: Int16[Array, ""]  # captors from this key on have been tried there; NO_LIMIT: nothing has
    open_ply: Int32[Array, " branches"]  # where a choice was left open, from the first move on
    open_limit: Int16[Array, " branches"]  # `limit` there
    num_open: Int32[Array, ""]
    num_nodes: Int32[Array, ""]  # moves made for the current first move
    total_nodes: Int32[Array, ""]  # moves made for the chain
    is_cut: Bool[Array, ""]  # some first move was given up


class Answer(NamedTuple):
    """First moves that were found to work: for the hunter to catch the prey, for the prey to escape."""

    works: Bool[Array, "2"]
    cells: Int32[Array, "2"]


class _Choice(NamedTuple):
    """What the player to move makes of a position."""

    is_settled: Bool[Array, ""]  # there is nothing to try
    is_caught: Bool[Array, ""]  # the result then; means nothing before the first move
    move: Int32[Array, ""]  # what to try otherwise; NO_CELL: to look again, under `limit`
    reply: Int32[Array, ""]  # all that the prey could do then, NO_CELL if that is not known
    frees_none: Bool[Array, ""]  # as Move.frees_none
    is_open: Bool[Array, ""]  # there is more to try if that fails
    limit: Int16[Array, ""]  # captors from this key on will have been tried
    works: Bool[Array, "2"]  # whether a move on the prey's first, and last, liberty is known to work


class _Position(NamedTuple):
    """What a choice is made from."""

    lane: Lane
    seen: Prey
    outlook: Outlook
    near_low: Int16[Array, "4"]  # around the prey's first liberty
    near_high: Int16[Array, "4"]  # around its last one


def idle_lane(field: Field, limits: Limits) -> Lane:
    """A lane that reads nothing."""
    zero, no = jnp.int32(0), jnp.bool_(False)
    return Lane(
        is_busy=no,
        game=zero,
        prey=jnp.int16(0),
        is_white=no,
        moves_first=no,
        bans=jnp.zeros(2, jnp.int32),
        at=boards.empty(field),
        goes_home=no,
        ply=zero,
        move=zero,
        reply=zero,
        frees_none=no,
        line=jnp.zeros(limits.num_plies + 1, jnp.int16),
        resumed=zero,
        limit=jnp.int16(NO_LIMIT),
        open_ply=jnp.zeros(NUM_BRANCHES, jnp.int32),
        open_limit=jnp.zeros(NUM_BRANCHES, jnp.int16),
        num_open=zero,
        num_nodes=zero,
        total_nodes=zero,
        is_cut=no,
    )


def begin(lane: Lane, game: Int32[Array, ""], bans: Int32[Array, "2"], value: Int16[Array, ""]) -> Lane:
    """`lane` about to read the chain of a stone that is `value` on the board of `game`; `bans` by colour."""
    is_white = value < 0
    value = jnp.where(is_white, boards.swap_colours(value), value)
    zero = jnp.int32(0)
    return lane._replace(
        is_busy=jnp.bool_(True),
        game=game,
        prey=value | 1,
        is_white=is_white,
        moves_first=boards.in_atari(value),
        bans=jnp.where(is_white, bans, bans[::-1]),
        goes_home=jnp.bool_(True),
        ply=zero,
        resumed=zero,
        limit=jnp.int16(NO_LIMIT),
        num_open=zero,
        num_nodes=zero,
        total_nodes=zero,
        is_cut=jnp.bool_(False),
    )


def think(field: Field, limits: Limits, lane: Lane, number: Int32[Array, ""]) -> tuple[Lane, Answer]:
    """The lane with its next move, or on its way back to a choice that was left open; and what became known.

    `number` here and below as in settled.py.
    """
    lane = lane._replace(at=lane.at._replace(board=boards.mark_atari(field, lane.at)))
    position = _look(field, lane, number)
    choice = settled(_choose(limits, position), number)
    lane = position.lane
    is_again = lane.ply < lane.resumed
    is_full = choice.is_open & (lane.num_open == NUM_BRANCHES)
    is_given_up = (lane.ply > 0) & ((lane.num_nodes >= limits.num_nodes) | is_full & ~is_again)
    is_settled = choice.is_settled & ~is_again | is_given_up
    is_caught = choice.is_caught & ~is_given_up

    again = lane.line.at[lane.ply].get(mode="clip").astype(jnp.int32)
    move, reply = jnp.where(is_again, again, choice.move), jnp.where(is_again, NO_CELL, choice.reply)
    plies = jnp.where(is_again, len(lane.line), lane.ply + np.arange(2, dtype=np.int32))
    line = lane.line.at[plies].set(jnp.stack([move, reply]).astype(jnp.int16), mode="drop")
    lane = lane._replace(
        move=move,
        reply=reply,
        frees_none=choice.frees_none & ~is_again,
        line=line,
        is_cut=lane.is_cut | is_given_up,
    )
    back, is_answer = _go_back(lane, is_caught, is_given_up)
    ahead = _go_on(lane, choice, is_again)
    is_first = (lane.ply == 0) & ~is_again
    is_working = is_settled & is_answer & (is_caught != lane.moves_first)
    answer = Answer(
        works=jnp.where(is_first, choice.works, jnp.stack([is_working, jnp.bool_(False)])),
        cells=jnp.where(is_first, jnp.stack([position.seen.low, position.seen.high]), lane.line[0].astype(jnp.int32)),
    )
    return jax.tree.map(lambda gone, going: jnp.where(is_settled, gone, going), back, ahead), answer


def act(field: Field, lane: Lane, root: Int16[Array, " field"], number: Int32[Array, ""]) -> Lane:
    """The lane after its move, or on `root`, its game's board."""
    fetched = jnp.where(lane.is_white, boards.swap_colours(root), root)
    fetched = jnp.where(fetched == lane.prey, lane.prey - 1, fetched)
    move = boards.Move(
        cell=jnp.where(lane.goes_home, NO_CELL, lane.move),
        by_prey=_is_prey_turn(lane, lane.ply),
        reply=jnp.where(lane.goes_home, NO_CELL, lane.reply),
        frees_none=lane.frees_none,
    )
    at = boards.step(field, jnp.where(lane.goes_home, fetched, lane.at.board), move, lane.prey, number)
    is_waiting = ~lane.goes_home & (lane.move == NO_CELL)
    num_made = (move.cell != NO_CELL).astype(jnp.int32) + (move.reply != NO_CELL)
    return lane._replace(
        at=at._replace(ko=jnp.where(is_waiting, lane.at.ko, at.ko)),
        goes_home=jnp.bool_(False),
        ply=lane.ply + num_made,
        num_nodes=lane.num_nodes + num_made,
        total_nodes=lane.total_nodes + num_made,
    )


def _look(field: Field, lane: Lane, number: Int32[Array, ""]) -> _Position:
    """What there is to see on the lane's board."""
    board = settled(lane.at.board, number)
    limit = jnp.where(_is_prey_turn(lane, lane.ply), lane.limit, NO_LIMIT)
    seen = settled(boards.look_at_prey(field, board, lane.at.member, limit), number)
    near = settled(tuple(boards.around(field, board, cell) for cell in (seen.low, seen.high)), number)
    outlook = boards.look_ahead(field, board, lane.prey, seen, near[0], near[1], number)
    return _Position(lane._replace(at=lane.at._replace(board=board)), seen, outlook, *near)


def _choose(limits: Limits, position: _Position) -> _Choice:
    """What to do, whoever is to move."""
    lane = position.lane
    prey, hunter = _prey_choice(limits, position), _hunter_choice(position)
    choice = _Choice(*(jnp.where(_is_prey_turn(lane, lane.ply), *both) for both in zip(prey, hunter, strict=True)))
    is_too_long = ~choice.is_settled & (lane.ply >= limits.num_plies)
    return choice._replace(is_settled=choice.is_settled | is_too_long, is_caught=choice.is_caught & ~is_too_long)


def _prey_choice(limits: Limits, position: _Position) -> _Choice:
    """Capture, from the highest key down; then extend."""
    lane, seen, outlook, near, _ = position
    is_first = lane.ply == 0
    has_one = seen.num_liberties == 1
    if limits.is_plain:
        ban, is_ko = jnp.where(is_first, lane.bans[1], lane.at.ko), jnp.bool_(False)
    else:
        ban, is_ko = jnp.int32(NO_CELL), (lane.ply > 1) & (lane.at.ko != NO_CELL)
    can_extend = has_one & (seen.low != ban) & boards.breathes(near, jnp.bool_(True), lane.prey)
    captures = ((near < 0) & boards.in_atari(near)).any()
    gets_out = can_extend & (outlook.after_low >= ESCAPED)
    extends = can_extend & ~gets_out & (captures | (outlook.after_low == ESCAPED - 1))

    has_captor = has_one & (seen.captor != 0)
    # A capture on the liberty itself is an extension, and comes as such.
    can_capture = has_captor & (outlook.capture != ban) & (outlook.capture != seen.low)
    is_out = ~is_first & ((seen.num_liberties > 1) | is_ko | gets_out)
    return _Choice(
        is_settled=is_out | ~has_captor & ~extends,
        is_caught=~is_out,
        move=jnp.where(can_capture, outlook.capture, jnp.where(has_captor, NO_CELL, seen.low)),
        reply=jnp.int32(NO_CELL),
        frees_none=has_captor & outlook.frees_none,
        is_open=can_capture & ((seen.last_captor != seen.captor) | extends),
        limit=seen.captor,
        works=jnp.stack([is_first & gets_out, jnp.bool_(False)]),
    )


def _hunter_choice(position: _Position) -> _Choice:
    """The liberty that leaves the prey less, then the other."""
    lane, seen, outlook, near_low, near_high = position
    has_two = seen.num_liberties == 2
    ban = jnp.where(lane.ply == 0, lane.bans[0], lane.at.ko)
    is_back = lane.limit != NO_LIMIT
    tried = jnp.where(is_back, lane.line.at[lane.ply].get(mode="clip"), NO_CELL).astype(jnp.int32)

    def judge(cell, near, near_other, num_after):
        """(Whether a stone on `cell` is known to work, is worth a try, how much it leaves the prey, is answered so)."""
        is_legal = has_two & (cell != ban) & boards.breathes(near, jnp.bool_(False), lane.prey)
        captures = ((near > boards.OFF_BOARD) & boards.in_atari(near)).any()
        # Nothing of the hunter's will be in atari, so that the prey can only extend, and takes nothing by it.
        is_safe = (
            ((near == 0).sum() >= 2) & (seen.captor == 0) & ~((near_other < 0) & boards.in_atari(near_other)).any()
        )
        works = is_legal & ~captures & is_safe & (num_after < ESCAPED - 1)
        fails = ~is_legal | ~captures & (num_after >= ESCAPED)
        is_answered = is_safe & ~captures & (num_after == ESCAPED - 1)
        return works, ~works & ~fails & (cell != tried), num_after + ESCAPED * captures, is_answered

    low_works, tries_low, after_low, answers_low = judge(seen.low, near_low, near_high, outlook.after_high)
    high_works, tries_high, after_high, answers_high = judge(seen.high, near_high, near_low, outlook.after_low)
    is_low = tries_low & ~(tries_high & (after_high < after_low))
    is_caught = (seen.num_liberties < 2) | low_works | high_works
    return _Choice(
        is_settled=~has_two | ~tries_low & ~tries_high | is_caught & (lane.ply > 0),
        is_caught=is_caught,
        move=jnp.where(is_low, seen.low, seen.high),
        reply=jnp.where(is_low & answers_low, seen.high, jnp.where(~is_low & answers_high, seen.low, NO_CELL)),
        frees_none=jnp.bool_(False),
        is_open=tries_low & tries_high,
        limit=jnp.int16(0),
        works=jnp.stack([low_works, high_works]),
    )


def _go_on(lane: Lane, choice: _Choice, is_again: Bool[Array, ""]) -> Lane:
    """The lane about to make its move."""
    is_new = ~is_again
    is_left_open = is_new & choice.is_open
    is_here = is_left_open & (np.arange(NUM_BRANCHES) == lane.num_open)
    is_waiting = is_new & (choice.move == NO_CELL)
    return lane._replace(
        limit=jnp.where(is_again, lane.limit, jnp.where(is_waiting, choice.limit, NO_LIMIT)),
        open_ply=jnp.where(is_here, lane.ply, lane.open_ply),
        open_limit=jnp.where(is_here, choice.limit, lane.open_limit),
        num_open=lane.num_open + is_left_open,
        num_nodes=jnp.where(is_new & (lane.ply == 0), 0, lane.num_nodes),
    )


def _go_back(lane: Lane, is_caught: Bool[Array, ""], is_given_up: Bool[Array, ""]) -> tuple[Lane, Bool[Array, ""]]:
    """(the lane where somebody has another choice now that the line has ended so, if the result is a first move's)."""
    is_unhappy = _is_prey_turn(lane, lane.open_ply) == is_caught
    is_choice = (np.arange(NUM_BRANCHES) < lane.num_open) & ((lane.open_ply == 0) | is_unhappy & ~is_given_up)
    index = jnp.where(is_choice, np.arange(NUM_BRANCHES, dtype=np.int32), -1).max()
    is_over = index < 0
    is_here = np.arange(NUM_BRANCHES) == index
    ply = jnp.where(is_here, lane.open_ply, 0).sum(dtype=jnp.int32)
    zero = jnp.int32(0)
    back = lane._replace(
        is_busy=~is_over,
        goes_home=jnp.bool_(True),
        ply=zero,
        move=zero,
        reply=zero,
        resumed=ply,
        limit=jnp.where(is_here, lane.open_limit, 0).sum(dtype=jnp.int16),
        num_open=jnp.maximum(index, 0),
    )
    return back, (lane.ply > 0) & (ply == 0)


def _is_prey_turn(lane: Lane, ply: Int32[Array, "..."]) -> Bool[Array, "..."]:
    return (ply % 2 == 0) == lane.moves_first
