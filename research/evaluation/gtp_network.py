"""GTP's questions to the network itself: what it says of a position before any search, and which stones it calls dead.

`kata-raw-nn` answers line by line as KataGo does. A KataGo network tells everything, under the symmetry that is asked
for, or under each of the eight (`all`; KataGo puts an empty line between these, which would end the reply, so there is
none here). Another player has a policy and a value, and sees the board as it lies.

*Source:* the lines as KataGo 1.17.2 prints them; GoGui's documentation of `gogui-analyze_commands`.
"""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float

from research.evaluation.dead_stones import dead_by_ownership
from research.evaluation.gtp_game import HostGame, Record
from research.evaluation.gtp_session import Session
from research.evaluation.gtp_thinkers import Question
from research.evaluation.katago_thinker import KataGoThinker, average
from research.go import symmetry
from research.interop import gtp
from research.networks.katago import Evaluation, turned_round

SYMMETRY_NAMES = tuple(str(number) for number in range(symmetry.NUM_SYMMETRIES))  # KataGo's own numbers
ALL = "all"
NO_SYMMETRY = "Expected one argument 'all' or symmetry index [0-7] for kata-raw-nn but got '{}'"


class Details:
    """What a KataGo network tells of a question beside policy and value; each is asked for once, when it is shown."""

    def __init__(self, thinker: KataGoThinker, question: Question):
        """Nothing is asked yet."""
        self._thinker, self._question = thinker, question
        self._after: dict[int, Evaluation] = {}  # evaluations of the positions after moves, for who made the move
        self._ownership = ""

    def score_words(self, actions: Sequence[int]) -> list[str]:
        """The score after each of these moves, for the player to move, in the words of an analysis."""
        unseen = [action for action in actions if action not in self._after]
        self._after |= zip(unseen, self._thinker.evaluate_moves(self._question, unseen), strict=True)
        words = []
        for found in (self._after[action] for action in actions):
            deviation = math.sqrt(max(0.0, float(found.score_mean_square) - float(found.score_mean) ** 2))
            words.append(
                f"scoreMean {found.lead:.4f} scoreStdev {deviation:.4f} scoreLead {found.lead:.4f} "
                f"scoreSelfplay {found.score_mean:.4f} "
            )
        return words

    def ownership_words(self) -> str:
        """Whose each point will be, row by row from the top, 1 the player's to move."""
        if not self._ownership:
            owned = average_ownership(self._thinker, self._question)
            self._ownership = " ".join(f"{number:.4f}" for number in owned.ravel())
        return self._ownership


def details_of(session: Session, question: Question) -> Details | None:
    """The details of a question; None if the player tells none."""
    return Details(session.thinker, question) if isinstance(session.thinker, KataGoThinker) else None


def raw_nn(session: Session, arguments: tuple[str, ...]) -> str:
    """Policy and value before any search, as KataGo prints them, for White."""
    word = arguments[0].lower() if len(arguments) == 1 else ""
    if word not in (*SYMMETRY_NAMES, ALL):
        raise gtp.GtpError(NO_SYMMETRY.format(" ".join(arguments)))
    question = session.question(session.game.to_play)
    if not isinstance(session.thinker, KataGoThinker):
        if word not in (SYMMETRY_NAMES[0], ALL):
            raise gtp.GtpError("only symmetry 0 is known")
        return _short_text(session, question)
    numbers = range(symmetry.NUM_SYMMETRIES) if word == ALL else (int(word),)
    evaluations = session.thinker.evaluate(question, [symmetry.FROM_KATAGO[number] for number in numbers])
    return "\n".join(
        _text(number, evaluation if question.colour == "white" else turned_round(evaluation), question)
        for number, evaluation in zip(numbers, evaluations, strict=True)
    )


def show_ownership(session: Session, arguments: tuple[str, ...]) -> str:
    """Who will own each point, from 1 (Black) to -1 (White), for GoGui to paint."""
    colour = gtp.only_colour(arguments) if arguments else session.game.to_play
    if not isinstance(session.thinker, KataGoThinker):
        raise gtp.GtpError("this player knows nothing of ownership")
    owned = average_ownership(session.thinker, session.question(colour))
    sign = 1 if colour == "black" else -1
    return "\n".join(" ".join(f"{sign * number:.3f}" for number in row) for row in owned)


def average_ownership(thinker: KataGoThinker, question: Question) -> Float[np.ndarray, "size size"]:
    """Whose each point will be, 1 the player's to move, -1 the opponent's: the mean over all symmetries."""
    return np.asarray(average(thinker.evaluate(question, range(symmetry.NUM_SYMMETRIES))).ownership)


def judged_dead(session: Session) -> Bool[np.ndarray, "size size"] | None:
    """The stones that the network calls dead, where the rules leave that to the players; None if nobody is asked.

    It is asked as if the board had been set up, so that passes behind do not tell it that all stays as it is.
    """
    game, rule_set, thinker = session.game, session.rule_set, session.thinker
    leaves_it_open = rule_set.is_friendly or rule_set.rules.scoring == "territory"
    if not (leaves_it_open and isinstance(thinker, KataGoThinker)):
        return None
    stones = game.stones()
    points = [(int(row), int(column)) for row, column in np.argwhere(stones > 0)]
    setup = tuple(("black" if stones[point] == 1 else "white", point) for point in points)
    board = HostGame(game.rules, Record(setup, game.to_play))
    owned = average_ownership(thinker, session.question(game.to_play)._replace(game=board))
    return dead_by_ownership(stones, owned if game.to_play == "black" else -owned, game.rules.suicide)


def _text(number: int, evaluation: Evaluation, question: Question) -> str:
    """KataGo's lines about one symmetry; `evaluation` speaks for White."""
    size, legal = question.game.size, set(question.game.legal_points(question.colour))
    policy = evaluation.policy[:-1].reshape(size, size)
    lines = [
        f"symmetry {number}",
        f"whiteWin {evaluation.win:.6f}",
        f"whiteLoss {evaluation.loss:.6f}",
        f"noResult {evaluation.no_result:.6f}",
        f"whiteLead {evaluation.lead:.3f}",
        f"whiteScoreSelfplay {evaluation.score_mean:.3f}",
        f"whiteScoreSelfplaySq {evaluation.score_mean_square:.3f}",
        f"varTimeLeft {evaluation.variance_time:.3f}",
        f"shorttermWinlossError {evaluation.short_term_win_error:.3f}",
        f"shorttermScoreError {evaluation.short_term_score_error:.3f}",
        "policy",
    ]
    for row in range(size):
        cells = [f"{policy[row, column]:8.6f}" if (row, column) in legal else "    NAN" for column in range(size)]
        lines.append("".join(f"{cell} " for cell in cells))
    lines += [f"policyPass {evaluation.policy[-1]:8.6f} ", "whiteOwnership"]
    lines += ["".join(f"{owned:9.7f} " for owned in row) for row in evaluation.ownership]
    return "\n".join(lines)


def _short_text(session: Session, question: Question) -> str:
    """The lines that a player with a policy and a value can fill."""
    size, opinion = session.size, session.thinker.look(question)
    white_win = 0.5 - 0.5 * opinion.value * (1 if question.colour == "black" else -1)
    rows = [
        " ".join(f"{p:.6f}" if p > 0 else "NAN" for p in opinion.prior[row * size : row * size + size])
        for row in range(size)
    ]
    lines = ["symmetry 0", f"whiteWin {white_win:.6f}", f"whiteLoss {1 - white_win:.6f}", "noResult 0.000000"]
    return "\n".join([*lines, "policy", *rows, f"policyPass {opinion.prior[-1]:.6f}"])
