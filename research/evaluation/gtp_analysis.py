"""GTP's analysis: lines about the moves that are thought of, as clients of Leela Zero and KataGo read them, and the
network's policy and value for GoGui.

An analysis adds searches to one opinion and shows what they have come to every interval, until the controller sends a
line. A player that does not search, or whose next search would say the same, shows what it has at the same pace.
Whatever happens there is one line at least, with one move at least: clients wait for it.

Numbers speak for the side to move. A KataGo network tells the score after each move that is shown, and who owns what;
what other networks do not tell is not shown.

*Source:* the lines as Leela Zero's `lz-analyze` and KataGo's `kata-analyze` print them; GoGui's documentation of
`gogui-analyze_commands`.
"""

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

from research.evaluation.gtp_network import Details, details_of
from research.evaluation.gtp_session import Session
from research.evaluation.gtp_thinkers import Opinion, begin, line_text
from research.evaluation.gtp_thinking import decide, finish, probability, searches, turn
from research.go import coords
from research.interop import gtp

CENTISECONDS = 100  # in a second: the unit of an analysis's interval
DEFAULT_INTERVAL = 100  # centiseconds
LONGEST_WAIT_S = 0.25  # between two looks at the input while an analysis has nothing more to think


class AnalysisRequest(NamedTuple):
    """What the arguments of an analysis say."""

    colour: str
    interval_s: float  # between two lines
    min_moves: int  # shown, as far as there are legal ones
    max_moves: int
    avoided: frozenset[int]  # actions not to be shown
    allowed: frozenset[int] | None  # the only ones to be shown; None: all
    ownership: bool = False  # whether a line ends with who owns what


def analyze(session: Session, arguments: tuple[str, ...]) -> Iterator[str]:
    """What it thinks, in KataGo's words, until a line comes in."""
    return _analysis(session, read_analysis(session, arguments), lz=False)


def lz_analyze(session: Session, arguments: tuple[str, ...]) -> Iterator[str]:
    """What it thinks, in Leela Zero's words, until a line comes in."""
    return _analysis(session, read_analysis(session, arguments), lz=True)


def genmove_analyze(session: Session, arguments: tuple[str, ...]) -> Iterator[str]:
    """What it thinks, then the move that it plays, in KataGo's words."""
    return _genmove_analysis(session, read_analysis(session, arguments), lz=False)


def lz_genmove_analyze(session: Session, arguments: tuple[str, ...]) -> Iterator[str]:
    """What it thinks, then the move that it plays, in Leela Zero's words."""
    return _genmove_analysis(session, read_analysis(session, arguments), lz=True)


def policy(session: Session, arguments: tuple[str, ...]) -> str:
    """Percents of the policy at each legal point that has one, for GoGui."""
    colour = gtp.only_colour(arguments) if arguments else session.game.to_play
    prior = session.thinker.look(session.question(colour)).prior
    percents = [(action, round(100 * prior[action])) for action in range(session.size**2)]
    shown = [(action, percent) for action, percent in percents if percent > 0]
    return " ".join(f"{coords.gtp_from_action(action, session.size)} {percent}" for action, percent in shown)


def value(session: Session, arguments: tuple[str, ...]) -> str:
    """Winning probability of whose turn it is, by the policy's network alone."""
    colour = gtp.only_colour(arguments) if arguments else session.game.to_play
    return f"{colour} {probability(session.thinker.look(session.question(colour)).value):.4f}"


def variation(session: Session, arguments: tuple[str, ...]) -> str:
    """The line that one search takes for the best, for GoGui."""
    colour = gtp.only_colour(arguments) if arguments else session.game.to_play
    opinion = decide(session, session.question(colour), None)
    return line_text(_line(opinion, opinion.ranking()[0]), session.size)


def explain_last_move(session: Session, arguments: tuple[str, ...]) -> str:
    """What it thought when it last moved."""
    opinion = session.opinion
    if opinion is None:
        return "no move yet"
    colour, played = session.answer
    best = opinion.ranking()[0]
    before = f" ({opinion.num_before} of them before)" if opinion.num_before else ""
    return (
        f"{colour} {played}: wins with {probability(opinion.value):.1%} after {opinion.num_searches} searches, "
        f"{opinion.num_simulations} simulations{before}; best line {line_text(_line(opinion, best), session.size)}"
    )


def read_analysis(session: Session, arguments: tuple[str, ...]) -> AnalysisRequest:
    """The arguments `[colour] [interval] [key value ...]`; *Raises:* GtpError for what cannot be understood."""
    words = list(arguments)
    colour = gtp.read_colour(words.pop(0)) if words and gtp.is_colour(words[0]) else session.game.to_play
    interval, limits = DEFAULT_INTERVAL, {"minmoves": 0, "maxmoves": session.size**2 + 1}
    if words and words[0].isdecimal():
        interval = gtp.read_integer((words.pop(0),), 0, gtp.SYNTAX_ERROR)
    shows_ownership = False
    lists: dict[str, set[int]] = {"avoid": set(), "allow": set()}
    while words:
        key, found = words.pop(0).lower(), tuple(words)
        if key in lists:
            owner, names = gtp.only_colour(found), (found[1] if len(found) > 1 else "").split(",")
            gtp.read_integer(found, 2, gtp.SYNTAX_ERROR)
            actions = {coords.action_from_point(gtp.read_vertex(name, session.size), session.size) for name in names}
            lists[key] |= actions if owner == colour else set()
            words = words[3:]
            continue
        if key == "interval":
            interval = gtp.read_integer(found, 0, gtp.SYNTAX_ERROR)
        elif key in limits:
            limits[key] = gtp.read_integer(found, 0, gtp.SYNTAX_ERROR)
        elif found:
            is_on = gtp.read_switch(found[0])  # mostly of something that is not shown here
            shows_ownership = is_on if key == "ownership" else shows_ownership
        if not found:
            raise gtp.GtpError(gtp.SYNTAX_ERROR)
        words = words[1:]
    return AnalysisRequest(
        colour=colour,
        interval_s=max(1, interval) / CENTISECONDS,
        min_moves=limits["minmoves"],
        max_moves=max(1, limits["maxmoves"]),
        avoided=frozenset(lists["avoid"]),
        allowed=frozenset(lists["allow"]) or None,
        ownership=shows_ownership,
    )


def info_line(opinion: Opinion, size: int, request: AnalysisRequest, lz: bool, details: Details | None = None) -> str:
    """One line about the moves looked at, best first; there is always one move on it."""
    ranked = [action for action in opinion.ranking() if action not in request.avoided]
    if request.allowed is not None:
        ranked = [action for action in ranked if action in request.allowed]
    num_seen = sum(opinion.visits[action] > 0 for action in ranked)
    shown = ranked[: min(request.max_moves, max(request.min_moves, num_seen, 1))]
    scores = details.score_words(shown) if details is not None and not lz else [""] * len(shown)
    entries = []
    for order, (action, score) in enumerate(zip(shown, scores, strict=True)):
        head = f"info move {coords.gtp_from_action(action, size)} {_numbers(opinion, action, score, lz)}"
        entries.append(f"{head} order {order} pv {line_text(_line(opinion, action), size)}")
    if details is not None and request.ownership and not lz:
        entries.append(f"ownership {details.ownership_words()}")
    return " ".join(entries)


def _numbers(opinion: Opinion, action: int, score: str, lz: bool) -> str:
    """What a line says of one move."""
    visits = max(1, int(opinion.visits[action]))  # the look at the position counts as one: clients divide by it
    winrate, prior = probability(float(opinion.values()[action])), float(opinion.prior[action])
    bound = max(0.0, winrate - 1.96 * math.sqrt(winrate * (1 - winrate) / visits))
    if lz:
        shares = {"winrate": winrate, "prior": prior, "lcb": bound}
        return f"visits {visits} " + " ".join(f"{key} {round(10000 * share)}" for key, share in shares.items())
    return (
        f"visits {visits} edgeVisits {visits} utility {2 * winrate - 1:.6f} winrate {winrate:.6f} {score}"
        f"prior {prior:.6f} lcb {bound:.6f} utilityLcb {2 * bound - 1:.6f} weight {visits}"
    )


def _analysis(session: Session, request: AnalysisRequest, lz: bool) -> Iterator[str]:
    """Lines until input is there."""
    question, thinker = session.question(request.colour), session.thinker
    opinion, details = begin(thinker, question), details_of(session, question)
    most = session.config.analysis_searches if thinker.deepens else 1
    while True:
        shown_at = time.monotonic()
        while True:
            may_think = thinker.searches and opinion.num_searches < most
            if may_think:
                thinker.think(question, opinion)
            left = request.interval_s - (time.monotonic() - shown_at)
            if left <= 0 or session.wait_for_input(0.0 if may_think else min(left, LONGEST_WAIT_S)):
                break
        yield info_line(opinion, session.size, request, lz, details)
        if session.wait_for_input(0.0):
            return


def _genmove_analysis(session: Session, request: AnalysisRequest, lz: bool) -> Iterator[str]:
    """One line a search, no faster than the interval, and the move."""
    started = shown_at = time.monotonic()
    question = session.question(request.colour)
    opinion, details = begin(session.thinker, question), details_of(session, question)
    for _ in searches(session, question, opinion, session.clock.budget_s(*turn(session, request.colour))):
        if time.monotonic() - shown_at >= request.interval_s:
            shown_at = time.monotonic()
            yield info_line(opinion, session.size, request, lz, details)
    yield info_line(opinion, session.size, request, lz, details)
    answer = finish(session, question, opinion)
    session.clock.spend(request.colour, time.monotonic() - started)
    yield f"play {answer}"


def _line(opinion: Opinion, action: int) -> list[int]:
    """The variation that begins with an action."""
    return opinion.variations.get(action, [action])
