"""Games on GNU Go's board, and what research.go says of the same games.

Random games: GNU Go says at every ply which points each player may play on, how many stones each has captured and what
stands on the board; research.go replays the actions and must say the same. Who is to move chooses at random, in half of
the games close to the last move, so that kos are fought. Finished games: GNU Go plays against itself until it has
captured all that is dead, and its score must be research.go's.

Two known differences are rules of GNU Go, both of its superko. It tries a move for superko as it reads ahead, where
suicide is no move, so no superko keeps a suicide from repeating a board. And it remembers 500 moves, of which it drops
the oldest 51 when it has no room for another. Points that only GNU Go allows for one of these are told apart from
unexplained ones (`Difference.rule`).

*Source:* none; both rules were found by such games, the second by some of 1,500 plies on boards of 2x2 to 5x5.
"""

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from engines import PLAYERS, OnDevice, Setting, rules_of
from gnugo import GnuGo
from random_games import is_near
from referee import EMPTY, Referee, diagram, new_game, other, put_stone

from research import go
from research.evaluation.gnugo import KO_OPTIONS, SUICIDE_OPTIONS

PASS_RATE = 0.02
NEAR_RATES = (0.0, 0.6)  # how often a move is close to the last one, game by game
NUM_REMEMBERED = 449  # moves that GNU Go's superko looks back at least; at most 500
MISSES_SUICIDES = "GNU Go asks no superko of a suicide"
FORGETS = "GNU Go's superko forgets boards after 449 to 500 moves"
FINISHED_OPTIONS = ("--level", "1", "--chinese-rules", "--capture-all-dead", "--never-resign")
FINISHED_KOMI = 6.5


class GnuGoGame(NamedTuple):
    """A game, and what GNU Go said of the position before each action."""

    actions: list[int]
    legal: Any  # bool[plies, 2, points]: for black and for white
    captured: Any  # int[plies, 2]: stones that black and that white has taken off, the other's suicides included
    board: Any  # int8[plies, points]


class Difference(NamedTuple):
    """Something that GNU Go and research.go do not agree on."""

    ply: int
    text: str  # what, on which board
    rule: str | None  # of GNU Go's that explains it


class FinishedGame(NamedTuple):
    """A game that GNU Go played against itself to the end."""

    num_moves: int
    gnugo_score: float  # points, for Black
    score: float  # by research.go, of the board as it stands
    board: str  # a diagram


def options_of(setting: Setting) -> tuple[str, ...]:
    """What GNU Go is started with to play by the same ko and suicide rule."""
    return KO_OPTIONS[setting.ko], SUICIDE_OPTIONS[setting.suicide]


def empty_setting(size: int, ko: str, suicide: bool, max_moves: int, komi: float = 7.5) -> Setting:
    """A game from the empty board."""
    return Setting(size, size, diagram(EMPTY * size**2, size), ko=ko, suicide=suicide, komi=komi, max_moves=max_moves)


def random_gnugo_game(gnugo: GnuGo, setting: Setting, rng: random.Random) -> GnuGoGame:
    """A game of `setting.max_moves` plies, filled up with passes if it ends before by two.

    What is played is legal by both GNU Go and the referee, so that one difference does not lead to the next.
    """
    gnugo.clear()
    game = new_game(setting.rows, ko=setting.ko, suicide=setting.suicide, max_moves=setting.max_moves)
    near_rate = rng.choice(NEAR_RATES)
    seen = GnuGoGame([], [], [], [])
    while game.num_moves < game.max_moves and not game.is_over():
        player = PLAYERS.index(game.to_play)
        legal = np.zeros((2, game.pass_action), bool)
        board = np.zeros(game.pass_action, np.int8)
        for who in (0, 1):
            legal[who, gnugo.legal(who)] = True
            board[gnugo.stones(who)] = 1 + who
        seen.legal.append(legal)
        seen.board.append(board)
        seen.captured.append([gnugo.num_captured_by(who) for who in (0, 1)])
        action = _choose(game, np.flatnonzero(legal[player]).tolist(), seen.actions[-1:], near_rate, rng)
        seen.actions.append(action)
        gnugo.play(player, action)
        game = game.step(action)
    return seen._replace(legal=np.array(seen.legal), captured=np.array(seen.captured), board=np.array(seen.board))


def differences(setting: Setting, games: Sequence[GnuGoGame]) -> list[Difference]:
    """Everything on which research.go and GNU Go do not agree, game by game."""
    pass_action = setting.rows**2
    actions = [game.actions + [pass_action] * (setting.max_moves - len(game.actions)) for game in games]
    legal, board, num_moves = jax.device_get(make_watch(rules_of(setting))(jnp.array(actions, jnp.int32)))
    found = []
    for number, game in enumerate(games):
        num_plies = len(game.actions)
        found += _compare(setting, game, legal[number, :num_plies], board[number, :num_plies], num_moves[number])
    return found


def finished_game(size: int, seed: int) -> FinishedGame:
    """A game of GNU Go against itself; *Raises:* ValueError if it plays what research.go holds illegal."""
    device = OnDevice(empty_setting(size, "simple", False, max_moves=8 * size**2, komi=FINISHED_KOMI))
    player, num_moves = 0, 0
    with GnuGo(size, (*FINISHED_OPTIONS, "--seed", str(seed))) as gnugo:
        gnugo.ask(f"komi {FINISHED_KOMI}")
        while not device.is_over():
            action = gnugo.choose(player)
            if action is None or not device.legal()[action]:
                raise ValueError(f"GNU Go played {action}, illegal on\n{device.board()}")
            device.play(action)
            player, num_moves = 1 - player, num_moves + 1
        return FinishedGame(num_moves, gnugo.score(), device.score(), device.board())


@cache
def make_watch(rules: go.Rules) -> Any:
    """A jitted actions [games, plies] -> what is so before each: (legal for black and white, boards, plies played)."""
    game = go.Go(rules)

    def look_then_step(state: go.GoState, action: Any) -> tuple[go.GoState, tuple]:
        legal = [game.legal_actions(go.with_to_play(state, jnp.int32(who)))[:-1] for who in (0, 1)]
        return game.step(state, action), (jnp.stack(legal), go.board(state).reshape(-1), state.num_moves)

    return jax.jit(jax.vmap(lambda actions: jax.lax.scan(look_then_step, game.init(), actions)[1]))


def _choose(game: Referee, legal: list[int], last: list[int], near_rate: float, rng: random.Random) -> int:
    """A random action that both allow; a pass now and then, but two in a row only if there is nothing else."""
    if game.num_passes == 0 and rng.random() < PASS_RATE:
        return game.pass_action
    near = [point for point in legal if is_near(game, point, last[0])] if last and rng.random() < near_rate else []
    for points in (near, legal):
        for point in rng.sample(points, len(points)):
            if game.is_legal(point):
                return point
    return game.pass_action


def _compare(setting: Setting, game: GnuGoGame, legal: Any, board: Any, num_moves: Any) -> list[Difference]:
    """The differences in one game."""
    found, memory = [], []
    referee = new_game(setting.rows, ko=setting.ko, suicide=setting.suicide, max_moves=setting.max_moves)
    num_placed = np.zeros(2, int)
    for ply, action in enumerate(game.actions):
        on_board = [(board[ply] == 1 + who).sum() for who in (0, 1)]
        captured = (num_placed - on_board)[::-1]
        if num_moves[ply] != ply or (board[ply] != game.board[ply]).any() or (captured != game.captured[ply]).any():
            found.append(Difference(ply, f"stones or captures differ on\n{referee.diagram()}", None))
        for who, point in np.argwhere(legal[ply] != game.legal[ply]).tolist():
            moment = referee if PLAYERS[who] == referee.to_play else referee.with_to_play(PLAYERS[who])
            is_allowed = bool(game.legal[ply, who, point])
            text = (
                f"(row, column) {divmod(point, setting.rows)} for {PLAYERS[who]}: legal for GNU Go is {is_allowed} on"
            )
            rule = _rule(moment, point, memory) if is_allowed else None
            found.append(Difference(ply, f"{text}\n{referee.diagram()}", rule))
        memory.append(referee.memory_of(referee.board, referee.to_play))
        num_placed[PLAYERS.index(referee.to_play)] += action != referee.pass_action
        referee = referee.step(action)
    return found


def _rule(game: Referee, point: int, memory: list[frozenset]) -> str | None:
    """What explains that GNU Go allows `point` and research.go does not; None if that must not be.

    `memory` holds what superko remembers of the positions before, oldest first.
    """
    if game.why_illegal(point) != "superko":
        return None
    board, _, lost = put_stone(game, point)
    if lost:
        return MISSES_SUICIDES
    is_recent = any(game.memory_of(board, other(game.to_play)) & old for old in memory[-NUM_REMEMBERED:])
    return None if is_recent else FORGETS
