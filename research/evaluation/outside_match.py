"""A match between two engines over GTP: who has which colour in which game, openings, several games at once, results.

Games come in pairs: both of a pair begin with the same opening, with the colours swapped. The schedule is a function of
the number of a game and the match's seed alone, so a match goes on where it was stopped, in whatever order its games
were played. What is known about a match is what its records say; no other account is kept.

*Source:* own design; intervals as in match.py and elo.py.
"""

import queue
import random
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from research.evaluation.engines import Engine
from research.evaluation.gtp_game import HostGame
from research.evaluation.match import Tally
from research.evaluation.outside_game import GameConfig, MatchError, PlayedGame, play_game
from research.go.coords import Point, point_from_gtp
from research.go.rules import Rules
from research.interop import sgf

EDGE_SIZE = 7  # points a side from which on a random opening keeps off the first line

NO_GAMES = Tally(0, 0, 0)
STOP_S = 0.2  # between two tries to end engines that are in the middle of something

MakeEngine = Callable[[], Engine]


@dataclass(frozen=True)
class OpeningConfig:
    """How the games of a match begin.

    *Raises:* ValueError if a field is out of its range.
    """

    num_plies: int = 2  # random moves before the players take over; 0: none
    listed: tuple[tuple[Point, ...], ...] = ()  # openings in the place of random ones, taken in turn
    seed: int = 0  # of random openings, and of engines that can be told one

    def __post_init__(self) -> None:
        """Checks each field."""
        if self.num_plies < 0:
            raise ValueError(f"num_plies is {self.num_plies}; allowed: 0 or more")
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}; allowed: 0 or more")


class Pairing(NamedTuple):
    """One game of the schedule."""

    number: int  # of the game, from 1
    first_is_black: bool
    opening: tuple[Point, ...]
    seed: int  # for the engines


def pairing(number: int, rules: Rules, config: OpeningConfig) -> Pairing:
    """Game `number`, from 1: the first player is Black in the odd ones."""
    pair = (number - 1) // 2
    if config.listed:
        opening = config.listed[pair % len(config.listed)]
    else:
        opening = random_opening(rules, config.num_plies, random.Random(f"{config.seed} {pair}"))
    return Pairing(number, number % 2 == 1, opening, random.Random(f"{config.seed} game {number}").randrange(1, 2**31))


def random_opening(rules: Rules, num_plies: int, chance: random.Random) -> tuple[Point, ...]:
    """Random legal moves, no passes; on all but the smallest boards none on the first line."""
    game, edge = HostGame(rules), 1 if rules.size >= EDGE_SIZE else 0
    moves: list[Point] = []
    for _ in range(num_plies):
        points = [
            point
            for point in game.legal_points(game.to_play)
            if all(edge <= place < rules.size - edge for place in point)
        ]
        if not points:
            break
        moves.append(chance.choice(points))
        game.play(game.to_play, moves[-1])
    return tuple(moves)


def read_openings(text: str, rules: Rules) -> tuple[tuple[Point, ...], ...]:
    """Openings, one a line, as moves such as `E5 C3 pass`, Black first; what follows a `#` is left out.

    *Raises:* ValueError that names the line of a move that is none or is illegal.
    """
    openings = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        game = HostGame(rules)
        for word in words:
            try:
                point = point_from_gtp(word, rules.size)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None
            if not game.is_legal(game.to_play, point):
                raise ValueError(f"line {number}: {word} is illegal there")
            game.play(game.to_play, point)
        if words:
            openings.append(tuple(point for _, point in game.record.moves))
    if not openings:
        raise ValueError("no openings; wanted are lines of moves such as E5 C3")
    return tuple(openings)


def play_match(
    pairings: Iterable[Pairing],
    make_players: tuple[MakeEngine, MakeEngine],
    config: GameConfig,
    make_arbiter: MakeEngine | None = None,
    num_parallel: int = 1,
) -> Generator[tuple[Pairing, PlayedGame]]:
    """The games of `pairings` as they are finished, `num_parallel` at once, each with engines of its own.

    Engines end when the iterator does, or is closed. *Raises:* MatchError if an engine cannot begin a game.
    """
    waiting: queue.SimpleQueue[Pairing] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[Pairing, PlayedGame] | BaseException] = queue.SimpleQueue()
    num_games = 0
    for game in pairings:
        waiting.put(game)
        num_games += 1
    tables = [_Table(make_players, make_arbiter, config) for _ in range(min(num_parallel, num_games))]
    for table in tables:
        threading.Thread(target=table.run, args=(waiting, finished), daemon=True).start()
    try:
        for _ in range(num_games):
            result = finished.get()
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        for table in tables:
            table.stop()


class _Table:
    """Where games are played one after the other: two engines, and who judges, in a thread."""

    def __init__(
        self, make_players: tuple[MakeEngine, MakeEngine], make_arbiter: MakeEngine | None, config: GameConfig
    ):
        """Nothing runs yet."""
        self.players = [make() for make in make_players]
        self.arbiter = None if make_arbiter is None else make_arbiter()
        self.config = config
        self._is_stopped = threading.Event()
        self._is_done = threading.Event()

    def run(self, waiting: queue.SimpleQueue, finished: queue.SimpleQueue) -> None:
        """Play what is waiting, until nothing is or the table is stopped."""
        try:
            while not self._is_stopped.is_set():
                try:
                    game = waiting.get_nowait()
                except queue.Empty:
                    return
                first, second = self.players if game.first_is_black else self.players[::-1]
                players = {"black": first, "white": second}
                finished.put((game, play_game(players, self.config, game.opening, game.seed, self.arbiter)))
        except BaseException as error:  # the thread that waits for games is told, and raises it
            finished.put(error)
        finally:
            for engine in self._engines():
                engine.close()
            self._is_done.set()

    def stop(self) -> None:
        """End it; an unfinished game is lost."""
        self._is_stopped.set()
        while not self._is_done.wait(STOP_S):
            for engine in self._engines():
                engine.kill()

    def _engines(self) -> list[Engine]:
        return [*self.players, *([] if self.arbiter is None else [self.arbiter])]


@dataclass
class MatchSummary:
    """What the records of a match come to, as its first player sees it."""

    first: str
    second: str
    as_black: Tally = NO_GAMES
    as_white: Tally = NO_GAMES
    num_without_result: int = 0
    endings: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("score", "resignation", "forfeit"), 0))
    num_forfeits: dict[str, int] = field(default_factory=dict)  # lost so, by player
    num_plies: int = 0
    num_distinct_games: int = 0
    disputes: list[str] = field(default_factory=list)  # about the score, and reasons of forfeits

    @property
    def total(self) -> Tally:
        """Both colours together."""
        return self.as_black + self.as_white


def summarise_records(first: str, second: str, records: Sequence[sgf.Record]) -> MatchSummary:
    """The summary of the games between two players; *Raises:* MatchError for a record of other players."""
    summary = MatchSummary(first, second, num_forfeits={first: 0, second: 0})
    for record in records:
        black, white = player_name(record, "PB"), player_name(record, "PW")
        if (black, white) not in ((first, second), (second, first)):
            raise MatchError(f"{record.name}: a game of {black} and {white}; wanted are {first} and {second}")
        summary.num_plies += len(record.moves)
        comment = record.root.properties.get("GC", [""])[0].split("\n")
        summary.disputes += [f"{record.name}: {line}" for line in comment if " the referee " in line]
        if record.winner is None:
            summary.num_without_result += 1
            continue
        is_black = black == first
        won = {"draw": 0, "black": 1, "white": -1}[record.winner] * (1 if is_black else -1)
        tally = Tally(int(won > 0), int(won == 0), int(won < 0))
        if is_black:
            summary.as_black += tally
        else:
            summary.as_white += tally
        how = {"R": "resignation", "F": "forfeit"}.get((record.result or "").partition("+")[2], "score")
        summary.endings[how] += 1
        if how == "forfeit":
            summary.num_forfeits[second if won > 0 else first] += 1
            summary.disputes.append(f"{record.name}: {comment[0]}")
    summary.num_distinct_games = len({record.moves for record in records})
    return summary


def player_name(record: sgf.Record, property_name: str) -> str:
    """Who played Black (PB) or White (PW)."""
    return record.root.properties.get(property_name, [""])[0].strip()
