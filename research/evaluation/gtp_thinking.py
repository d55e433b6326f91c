"""GTP's commands that make the player move, and the clock.

How long a move takes. Without a clock a move is one search, whose length is a setting of the player. With a clock it is
as many equal searches as fit into the move's share of the time (gtp_clock.py), by the time that the latest one took;
before each of them the clock is looked at again. If not even one fits, the policy alone plays, or what is known from
the search before. So an answer is late by one misjudged search at most. A player who would only repeat himself makes
one search.

*Source:* GTP version 2 draft 2, section 4.2; kgsGtp's documentation of its time settings.
"""

import math
import sys
import time
from collections.abc import Iterator

from research.evaluation.gtp_clock import Clock
from research.evaluation.gtp_game import other
from research.evaluation.gtp_scoring import judgement_of
from research.evaluation.gtp_session import Session
from research.evaluation.gtp_thinkers import Opinion, Question, begin
from research.go import coords
from research.interop import gtp

RESIGN = "resign"


def genmove(session: Session, arguments: tuple[str, ...]) -> str:
    """A move of the engine's, played at once, or `resign`."""
    return _play_best(session, gtp.only_colour(arguments))


def reg_genmove(session: Session, arguments: tuple[str, ...]) -> str:
    """The move that it would play; nothing is played and no clock runs."""
    colour = gtp.only_colour(arguments)
    question = session.question(colour)
    return coords.gtp_from_action(choose(session, decide(session, question, None), question), session.size)


def genmove_cleanup(session: Session, arguments: tuple[str, ...]) -> str:
    """A move while dead stones are taken off by playing: no pass as long as the opponent has some on the board."""
    colour = gtp.only_colour(arguments)
    dead = judgement_of(session).dead
    enemy = 1 if other(colour) == "black" else 2
    return _play_best(session, colour, may_pass=not (dead & (session.game.stones() == enemy)).any())


def time_settings(session: Session, arguments: tuple[str, ...]) -> str:
    """Main time, period, stones a period."""
    main_s, period_s, stones = (gtp.read_integer(arguments, place, gtp.NO_TIME_SETTINGS) for place in range(3))
    if min(main_s, period_s, stones) < 0:
        raise gtp.GtpError(gtp.NO_TIME_SETTINGS)
    return _start_clock(session, Clock.with_settings(float(main_s), float(period_s), stones))


def kgs_time_settings(session: Session, arguments: tuple[str, ...]) -> str:
    """`none`, `absolute M`, `byoyomi M T PERIODS` or `canadian M T STONES`."""
    kind = arguments[0] if arguments else ""
    needed = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}.get(kind)
    if needed is None:
        raise gtp.GtpError(gtp.SYNTAX_ERROR)
    numbers = [gtp.read_float(arguments, place + 1, gtp.SYNTAX_ERROR) for place in range(needed)]
    if any(number < 0 for number in numbers):
        raise gtp.GtpError(gtp.SYNTAX_ERROR)
    if kind == "none":
        return _start_clock(session, Clock())
    if kind == "absolute":
        return _start_clock(session, Clock.with_settings(numbers[0], 0.0, 0))
    # A byo-yomi period is a period of one stone; how often it may be overstepped is not counted on.
    num_stones = 1 if kind == "byoyomi" else max(1, int(numbers[2]))
    return _start_clock(session, Clock.with_settings(numbers[0], numbers[1], num_stones))


def time_left(session: Session, arguments: tuple[str, ...]) -> str:
    """What a colour has left: seconds, and stones of the period, 0 in main time."""
    colour = gtp.only_colour(arguments)
    seconds = gtp.read_float(arguments, 1, gtp.NO_TIME_LEFT)
    session.clock.set_left(colour, seconds, max(0, gtp.read_integer(arguments, 2, gtp.NO_TIME_LEFT)))
    session.prepare()
    return ""


def _start_clock(session: Session, clock: Clock) -> str:
    """Set the clock, with all compiled before it runs."""
    session.clock, thinker = clock, session.thinker
    if clock.is_timed and thinker.searches and not thinker.deepens:
        print(f"{thinker.name}: one search a move however much time there is; --rule puct uses it", file=sys.stderr)
    session.prepare()
    return ""


def _play_best(session: Session, colour: str, may_pass: bool = True) -> str:
    """Think, play, and say what; the clock runs."""
    started = time.monotonic()
    question = session.question(colour)
    opinion = decide(session, question, session.clock.budget_s(*turn(session, colour)))
    answer = finish(session, question, opinion, may_pass)
    session.clock.spend(colour, time.monotonic() - started)
    return answer


def turn(session: Session, colour: str) -> tuple[str, int, int]:
    """What the clock looks at."""
    return colour, session.size**2, session.game.num_moves


def decide(session: Session, question: Question, budget_s: float | None) -> Opinion:
    """The opinion that the time allows."""
    opinion = begin(session.thinker, question)
    for _ in searches(session, question, opinion, budget_s):
        pass
    return opinion


def searches(session: Session, question: Question, opinion: Opinion, budget_s: float | None) -> Iterator[int]:
    """Adds searches to `opinion`: one without a clock, else as many as fit; gives the number so far after each."""
    thinker, started = session.thinker, time.monotonic()
    if not thinker.searches:
        return
    most = session.config.max_searches if thinker.deepens and budget_s is not None else 1
    while opinion.num_searches < most:
        left = math.inf if budget_s is None else budget_s - (time.monotonic() - started)
        if left < thinker.search_s or session.is_interrupted():
            return
        thinker.think(question, opinion)
        yield opinion.num_searches


def finish(session: Session, question: Question, opinion: Opinion, may_pass: bool = True) -> str:
    """Play what the opinion says, or resign."""
    config, colour = session.config, question.colour
    session.opinion, session.answer = opinion, (colour, RESIGN)
    is_late = session.game.num_moves >= config.resign_after * session.size**2
    if is_late and probability(opinion.value) < config.resign_below:
        return RESIGN
    action = choose(session, opinion, question, may_pass)
    session.play(colour, coords.point_from_action(action, session.size))
    session.answer = colour, coords.gtp_from_action(action, session.size)
    return session.answer[1]


def choose(session: Session, opinion: Opinion, question: Question, may_pass: bool = True) -> int:
    """The action to play: legal whatever the opinion, and no pass where that would be wrong."""
    size = session.size
    chosen = session.thinker.choose(opinion)
    for action in (chosen, *opinion.ranking()):
        point = coords.point_from_action(action, size)
        if (may_pass or point is not None) and question.game.is_legal(question.colour, point):
            return action
    return size * size


def probability(value: float) -> float:
    """The winning probability that a value in [-1, 1] means."""
    return min(1.0, max(0.0, 0.5 + 0.5 * value))
