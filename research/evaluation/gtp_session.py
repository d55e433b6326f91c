"""What a GTP engine remembers between commands: the game, its rules and komi, the clock, and who thinks.

Every command is a function of this and of its arguments that returns the reply's text, or a stream of lines, and
raises GtpError; the commands stand in the gtp_*.py files beside this one and are listed in gtp_engine.py.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from research.evaluation.gtp_clock import Clock
from research.evaluation.gtp_game import HostGame, Record
from research.evaluation.gtp_rules import RuleSet, rule_set_named
from research.evaluation.gtp_thinkers import Opinion, Question, Thinker
from research.interop import gtp

MAX_KOMI = 400.0  # points; KataGo's limit too


@dataclass(frozen=True)
class EngineConfig:
    """Settings of the engine.

    *Raises:* ValueError if a field is out of its range.
    """

    resign_below: float = 0.0  # winning probability under which it resigns, 0 never
    resign_after: float = 0.25  # moves made, as a share of the board's points, before which it does not
    max_searches: int = 16  # searches a move that a clock may grant; without a clock it is one
    analysis_searches: int = 1000  # searches after which an analysis thinks no further

    def __post_init__(self) -> None:
        """Checks each field."""
        for name in ("resign_below", "resign_after"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: 0 to 1")
        for name in ("max_searches", "analysis_searches"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: 1 or more")


@dataclass
class Session:
    """One controller's game; commands change it."""

    thinker: Thinker
    config: EngineConfig
    rule_set: RuleSet
    size: int
    komi: float = 7.5
    num_handicap: int = 0  # stones that were set by a handicap command or by a record
    clock: Clock = field(default_factory=Clock)
    game: HostGame = field(init=False)
    opinion: Opinion | None = None  # behind the latest move of the engine's own
    answer: tuple[str, str] = ("black", "pass")  # colour and vertex of that move
    started: float = field(default_factory=time.process_time)
    is_over: bool = False  # `quit` was asked for
    # Waits so many seconds for input, and tells whether there is some; a caller who streams must ask it.
    wait_for_input: Callable[[float], bool] = lambda seconds: True
    is_interrupted: Callable[[], bool] = lambda: False  # whether the controller asks to stop thinking

    def __post_init__(self) -> None:
        """An empty board."""
        self.clear()

    def clear(self) -> None:
        """Take everything off; size, komi and rules stay. Whoever thinks begins a new game, too."""
        self.thinker.forget(keeps_evaluations=True)
        self.num_handicap = 0
        self.opinion = None
        self.clock.reset()
        self.rebuild(Record())

    def rebuild(self, record: Record) -> None:
        """Have the game be what `record` says."""
        self.game = HostGame(self.rule_set.sized(self.size), record)

    def resize(self, size: int) -> None:
        """An empty board of another size; *Raises:* GtpError if the player cannot play there."""
        if not self.thinker.can_play(size):
            raise gtp.GtpError(gtp.UNACCEPTABLE_SIZE)
        self.size = size
        self.clear()
        self.prepare()

    def set_rules(self, rule_set: RuleSet) -> None:
        """Go on by other rules: what stands and was played stays."""
        self.rule_set = rule_set
        self.rebuild(self.game.record)
        self.prepare()

    def prepare(self) -> None:
        """Have the player compile what the game needs now, if a clock would else run meanwhile."""
        if self.clock.is_timed:
            self.thinker.prepare(self.question(self.game.to_play))

    def set_up(self, record: Record, num_handicap: int) -> None:
        """Begin with stones on the board."""
        self.num_handicap = num_handicap
        self.rebuild(record)

    def play(self, colour: str, point: tuple[int, int] | None) -> None:
        """Make a move; *Raises:* GtpError if it is illegal, and the board is as it was."""
        if not self.game.is_legal(colour, point):
            raise gtp.GtpError(gtp.ILLEGAL_MOVE)
        was_no_result = self.game.is_no_result
        self.game.play(colour, point)
        if self.game.is_no_result and not was_no_result:
            print("the position has come up three times: no result by simple ko", file=sys.stderr, flush=True)

    def undo(self, num_moves: int) -> None:
        """Take moves back; *Raises:* GtpError if there are not so many."""
        if not 0 <= num_moves <= self.game.num_moves:
            raise gtp.GtpError(gtp.CANNOT_UNDO)
        record = self.game.record
        self.rebuild(record._replace(moves=record.moves[: self.game.num_moves - num_moves]))

    def question(self, colour: str) -> Question:
        """What the thinker is asked when it is `colour`'s turn."""
        return Question(self.game, colour, self.white_points(), self.rule_set.is_friendly)

    def white_points(self) -> float:
        """Points that White gets: komi, and what the rules give for handicap stones."""
        num_stones = max(self.num_handicap, free_stones(self.game.record))
        return self.komi + self.rule_set.compensation(num_stones)


def free_stones(record: Record) -> int:
    """Black stones that stand before White's first: set up without white ones, or played in a row at the start.

    White may pass once at a time between them. KataGo takes such games for handicap games, from two stones on.
    """
    if any(colour == "white" for colour, _ in record.setup):
        return 0
    num_stones, has_white_passed = len(record.setup), False
    for colour, point in record.moves:
        if colour == "white" and (point is not None or has_white_passed):
            break
        has_white_passed = colour == "white"
        num_stones += colour == "black" and point is not None
    return num_stones


# What a command answers: a text, or lines one by one, the reply's end being theirs.
Answer = str | Iterator[str]
Command = Callable[[Session, tuple[str, ...]], Answer]


def new_session(thinker: Thinker, config: EngineConfig, size: int, rule_set: RuleSet | None = None) -> Session:
    """A session on an empty board, by Tromp and Taylor's rules if none are given."""
    return Session(thinker, config, rule_set or rule_set_named("tromp-taylor"), size)
