"""One game between two engines over GTP: they are asked for moves, our own rules judge them, and a record remains.

The referee is the board of research/evaluation/gtp_game.py. Whoever plays an illegal move, answers what is no move,
refuses a legal move of the opponent's, ends or does not answer in time has lost by forfeit, and the record says why.
Two passes end the game; the referee counts it, by area every stone that stands as alive, by territory as
gtp_scoring.py judges. An arbiter, some engine that is asked which stones are dead, overrides that. What the players
themselves think of the score is noted where it differs.

*Source:* the referee's part in GoGui's twogtp and in gomill's ringmaster; what is lost by forfeit as on CGOS.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool

from research.evaluation.engines import Engine, EngineError, EngineFault, EngineRefusal
from research.evaluation.gtp_game import BLACK, WHITE, HostGame, Move, other
from research.evaluation.gtp_rules import RuleSet, as_json, rule_set_named
from research.evaluation.gtp_scoring import judge, score_text
from research.go import host_scoring
from research.go.coords import Point, action_from_point, gtp_from_point, point_from_gtp
from research.interop import sgf

NUM_SET_UPS = 2  # tries to begin a game: the second with a fresh process
COLOURS = ("black", "white")
FORFEIT, RESIGNATION, NO_RESULT = "F", "R", "Void"


class MatchError(ValueError):
    """No game can be played so; the message says why."""


@dataclass(frozen=True)
class GameConfig:
    """What every game of a match is played by.

    *Raises:* ValueError if a field is out of its range.
    """

    size: int = 9  # points a side
    komi: float = 7.5  # points for White
    rule_set: RuleSet = field(default_factory=lambda: rule_set_named("chinese-ogs"))
    max_moves: int | None = None  # plies after which the board is counted as it stands; None: 4 * size * size
    seconds_a_move: int | None = None  # that the engines are told to take; None: as they like
    move_timeout_s: float = 120.0  # seconds for a move after which a player has lost
    set_up_timeout_s: float = 300.0  # seconds for any other command

    def __post_init__(self) -> None:
        """Checks each field."""
        replace(self.rule_set.sized(self.size), komi=self.komi)
        if self.max_moves is not None and self.max_moves < 1:
            raise ValueError(f"max_moves is {self.max_moves}; allowed: 1 or more, or None")
        for name in ("move_timeout_s", "set_up_timeout_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: more than 0")
        if self.seconds_a_move is not None and not 0 < self.seconds_a_move < self.move_timeout_s:
            raise ValueError(f"seconds_a_move is {self.seconds_a_move}; allowed: more than 0, less than move_timeout_s")

    @property
    def num_moves_allowed(self) -> int:
        """Plies after which a game is over whatever stands on the board."""
        return 4 * self.size**2 if self.max_moves is None else self.max_moves


class PlayedGame(NamedTuple):
    """A game from its first move to its result."""

    moves: tuple[Move, ...]
    result: str  # as SGF has it: B+3.5, W+R, B+F, 0, Void
    reason: str  # how it ended, for a person
    scores: dict[str, str]  # by colour: the player's own final_score, of games that passes ended
    seconds: dict[str, float]  # by colour: for the moves that it was asked for
    num_asked: dict[str, int]  # by colour: those moves


class _EndError(Exception):
    """The game ends here, before two passes."""

    def __init__(self, loser: str, how: str, reason: str):
        super().__init__(reason)
        self.result = f"{_letter(other(loser))}+{how}"


class _Watch:
    """What is measured of each colour."""

    def __init__(self):
        self.seconds = dict.fromkeys(COLOURS, 0.0)
        self.num_asked = dict.fromkeys(COLOURS, 0)


def play_game(
    players: dict[str, Engine],
    config: GameConfig,
    opening: Sequence[Point] = (),
    seed: int = 0,
    arbiter: Engine | None = None,
) -> PlayedGame:
    """A game from the moves of `opening` on; `players` by colour.

    `seed` is for engines whose chance can be told one. *Raises:* MatchError if a player cannot even begin.
    """
    for player in players.values():
        set_up(player, config, seed)
    game, watch = HostGame(config.rule_set.sized(config.size)), _Watch()
    scores: dict[str, str] = {}
    try:
        for point in opening:
            _tell(players, COLOURS, point, game, config)
        while not _is_over(game, config):
            point = _timed_choice(players, game, config, watch)
            _tell(players, (other(game.to_play),), point, game, config)
        if game.num_passes >= 2:
            scores = {colour: _own_score(player, config) for colour, player in players.items()}
        result, reason = _count(game, config, arbiter)
    except _EndError as end:
        result, reason = end.result, str(end)
    return PlayedGame(game.record.moves, result, reason, scores, watch.seconds, watch.num_asked)


def set_up(player: Engine, config: GameConfig, seed: int) -> None:
    """An empty board by the match's rules; *Raises:* MatchError if the engine refuses or fails, twice."""
    for attempt in range(NUM_SET_UPS):
        try:
            for command in _set_up_commands(player, config, seed):
                try:
                    player.ask(command, config.set_up_timeout_s)
                except EngineRefusal as refusal:
                    raise MatchError(f"{player.name} refuses {command!r}: {refusal}") from None
            return
        except EngineFault as fault:
            if attempt + 1 == NUM_SET_UPS:
                raise MatchError(str(fault)) from None


def record_of(game: PlayedGame, config: GameConfig, names: dict[str, str], properties: dict[str, str]) -> sgf.Record:
    """The game as SGF; `properties` go into its root."""
    rules = replace(config.rule_set.sized(config.size), komi=config.komi)
    return sgf.from_actions(
        [action_from_point(point, config.size) for _, point in game.moves],
        rules,
        result=game.result,
        properties={"PB": names["black"], "PW": names["white"], **properties, "GC": comment_of(game, names)},
    )


def comment_of(game: PlayedGame, names: dict[str, str]) -> str:
    """What the record says about the game: how it ended, other opinions of the score, time."""
    lines = [game.reason]
    lines += [
        f"{names[colour]} as {colour} says {score}, the referee {game.result}"
        for colour, score in game.scores.items()
        if is_other_score(score, game.result)
    ]
    means = (f"{colour} {game.seconds[colour] / max(1, game.num_asked[colour]):.3f}" for colour in COLOURS)
    return "\n".join([*lines, f"seconds a move: {', '.join(means)}"])


def is_other_score(score: str, result: str) -> bool:
    """Whether an engine's `final_score` says something else than a counted result; silence says nothing."""
    if not score or result == NO_RESULT:
        return False
    return _lead_of(score) != _lead_of(result)


def _set_up_commands(player: Engine, config: GameConfig, seed: int) -> list[str]:
    """What an engine is told before a game; *Raises:* EngineFault."""
    commands = [f"boardsize {config.size}", "clear_board"]
    if player.knows("kata-set-rules", config.set_up_timeout_s):
        # Nobody may take a pass for agreement on dead stones: what stands is counted.
        commands.append(f"kata-set-rules {as_json(replace(config.rule_set, is_friendly=False))}")
    commands.append(f"komi {config.komi:g}")
    if player.knows("set_random_seed", config.set_up_timeout_s):
        commands.append(f"set_random_seed {seed}")
    if config.seconds_a_move is not None and player.knows("time_settings", config.set_up_timeout_s):
        commands.append(f"time_settings 0 {config.seconds_a_move} 1")
    return commands


def _timed_choice(players: dict[str, Engine], game: HostGame, config: GameConfig, watch: _Watch) -> Point:
    """Where the player to move moves; *Raises:* _EndError if it does not."""
    colour, started = game.to_play, time.monotonic()
    try:
        return _choice(players[colour], game, config)
    finally:
        watch.seconds[colour] += time.monotonic() - started
        watch.num_asked[colour] += 1


def _choice(player: Engine, game: HostGame, config: GameConfig) -> Point:
    """Where the player moves; *Raises:* _EndError if it resigns or does what it may not."""
    colour = game.to_play
    try:
        answer = player.ask(f"genmove {colour}", config.move_timeout_s)
    except EngineFault as fault:
        raise _EndError(colour, FORFEIT, str(fault)) from None
    except EngineRefusal as refusal:
        raise _EndError(colour, FORFEIT, f"{player.name} refuses to move: {refusal}") from None
    if answer.lower() == "resign":
        raise _EndError(colour, RESIGNATION, f"{player.name} resigned")
    try:
        point = point_from_gtp(answer, game.size)
    except ValueError:
        raise _EndError(colour, FORFEIT, f"{player.name} played {answer[:40]!r}, which is no move") from None
    if not game.is_legal(colour, point):
        raise _EndError(colour, FORFEIT, f"{player.name} played {answer}, which is illegal")
    return point


def _tell(players: dict[str, Engine], told: tuple[str, ...], point: Point, game: HostGame, config: GameConfig) -> None:
    """Make a legal move, and say it to the colours of `told`; *Raises:* _EndError if one of them does not take it."""
    command = f"play {game.to_play} {gtp_from_point(point, game.size)}"
    game.play(game.to_play, point)
    for colour in told:
        try:
            players[colour].ask(command, config.set_up_timeout_s)
        except EngineRefusal as refusal:
            reason = f"{players[colour].name} refuses the legal move {command!r}: {refusal}"
            raise _EndError(colour, FORFEIT, reason) from None
        except EngineFault as fault:
            raise _EndError(colour, FORFEIT, str(fault)) from None


def _is_over(game: HostGame, config: GameConfig) -> bool:
    """Whether nobody is to move any more."""
    return game.num_passes >= 2 or game.is_no_result or game.num_moves >= config.num_moves_allowed


def _count(game: HostGame, config: GameConfig, arbiter: Engine | None) -> tuple[str, str]:
    """(Result, how the game ended)."""
    if game.is_no_result:
        return NO_RESULT, "no result: a position came up for the third time"
    reason = "two passes" if game.num_passes >= 2 else f"counted after {game.num_moves} moves"
    dead = None
    if arbiter is not None:
        try:
            dead = dead_by(arbiter, game, config)
            reason += f"; dead stones by {arbiter.name}"
        except (MatchError, EngineError, ValueError) as error:
            reason += f"; no dead stones by {arbiter.name}: {error}"
    return score_text(judge(game, config.komi, dead).lead), reason


def dead_by(arbiter: Engine, game: HostGame, config: GameConfig) -> Bool[np.ndarray, "size size"]:
    """The stones that an engine holds for dead; *Raises:* MatchError, EngineError, ValueError for an unclear answer."""
    set_up(arbiter, config, seed=0)
    for colour, point in game.record.moves:
        arbiter.ask(f"play {colour} {gtp_from_point(point, game.size)}", config.set_up_timeout_s)
    dead = np.zeros((game.size, game.size), bool)
    stones = game.stones()
    for name in arbiter.ask("final_status_list dead", config.set_up_timeout_s).split():
        point = point_from_gtp(name, game.size)
        if point is None or not stones[point]:
            raise ValueError(f"it calls {name} dead, where no stone is")
        for chain in (chain for colour in (BLACK, WHITE) for chain in host_scoring.parts(stones == colour)):
            if point in chain:
                dead[tuple(np.array(sorted(chain)).T)] = True
    return dead


def _own_score(player: Engine, config: GameConfig) -> str:
    """What a player's `final_score` says, "" if it does not."""
    try:
        if player.knows("final_score", config.set_up_timeout_s):
            return player.ask("final_score", config.set_up_timeout_s)
    except EngineError:
        pass
    return ""


def _lead_of(score: str) -> float | None:
    """By how much Black leads according to a score's text, None if it is none."""
    winner, _, points = score.strip().partition("+")
    if winner.lower() in ("0", "draw", "jigo"):
        return 0.0
    try:
        return {"B": 1, "W": -1}[winner.upper()] * float(points)
    except (KeyError, ValueError):
        return None


def _letter(colour: str) -> str:
    return colour[0].upper()
