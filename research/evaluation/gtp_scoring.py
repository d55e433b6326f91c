"""GTP's end of a game: the score, and which stones are dead, by one and the same judgement.

By area as Tromp and Taylor count it every stone that stands is alive, before and after the passes alike, so no stone
is ever called dead. By pass-dead areas the dead ones are those that stand where the opponent's pass-alive chains
enclose everything (Benson's theorem). By territory, and by area where a friendly pass is taken as agreement, somebody
must judge: a network that tells who owns what does (gtp_network.py); without one dead_stones.py does for territory,
and by area all stones are alive. The same question to the same player always has the same answer.

Under taxes that know seki, what is not dead and belongs to no independently living area is in seki.

*Source:* research/go/host_scoring.py; GTP version 2 draft 2, section 6.3, for the replies.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int

from research.evaluation.dead_stones import dead_stones
from research.evaluation.gtp_game import BLACK, WHITE, HostGame
from research.evaluation.gtp_network import judged_dead
from research.evaluation.gtp_session import Session
from research.go import host_scoring
from research.interop import gtp

NO_RESULT = "Void"  # as SGF says it
STATUSES = ("alive", "dead", "seki")


class Judgement(NamedTuple):
    """What a position comes to."""

    dead: Bool[np.ndarray, "size size"]  # stones that are taken off
    seki: Bool[np.ndarray, "size size"]  # stones that are neither dead nor in an independently living area
    lead: float  # Black's points minus White's, all that White is given included


def judgement_of(session: Session) -> Judgement:
    """The position as it stands, by the rules of the game and, where they leave it open, by the player."""
    return judge(session.game, session.white_points(), judged_dead(session))


def judge(game: HostGame, white_points: float, judged: Bool[np.ndarray, "size size"] | None = None) -> Judgement:
    """The position as it stands, by the game's rules; `judged` are the stones that somebody has called dead."""
    rules, stones = game.rules, game.stones()
    if rules.scoring == "territory":
        dead = dead_stones(stones, rules.suicide) if judged is None else judged
        captured = (game.captured["black"], game.captured["white"])
        lead = host_scoring.territory_score(stones, white_points, dead, captured, rules.tax)
    elif rules.scoring == "area":
        dead = np.zeros(stones.shape, bool) if judged is None else judged
        left = np.where(dead, 0, stones)
        lead = host_scoring.area_score(left, white_points, "area", rules.tax, rules.suicide)
    else:
        owner = host_scoring.area_map(stones, rules.suicide)
        dead = _whole_chains(stones, (stones > 0) & (owner > 0) & (owner != stones))
        lead = host_scoring.area_score(stones, white_points, rules.scoring, rules.tax, rules.suicide)
    seki = np.zeros(stones.shape, bool)
    if rules.tax != "none":
        alive = np.where(dead, 0, stones)
        for colour, areas in zip(
            (BLACK, WHITE), host_scoring.independent_areas(alive, host_scoring.plain_area_map(alive)), strict=True
        ):
            seki |= alive == colour
            for point in (point for area in areas for point in area):
                seki[point] = False
    return Judgement(dead, _whole_chains(stones, seki), lead)


def final_score(session: Session, arguments: tuple[str, ...]) -> str:
    """Who wins by how much if the game ended now."""
    if session.game.is_no_result:
        return NO_RESULT
    return score_text(judgement_of(session).lead)


def final_status_list(session: Session, arguments: tuple[str, ...]) -> str:
    """The chains of a status, one a line."""
    if not arguments:
        raise gtp.GtpError(gtp.NO_STATUS)
    if arguments[0] not in STATUSES:
        raise gtp.GtpError(gtp.INVALID_STATUS)
    stones = session.game.stones()
    judgement = judgement_of(session)
    chosen = {
        "dead": judgement.dead,
        "seki": judgement.seki,
        "alive": (stones > 0) & ~judgement.dead & ~judgement.seki,
    }[arguments[0]]
    chains = [chain for colour in (BLACK, WHITE) for chain in host_scoring.parts(chosen & (stones == colour))]
    return "\n".join(gtp.vertices(list(chain), session.size) for chain in sorted(chains, key=min))


def score_text(lead: float) -> str:
    """A score as GTP has it."""
    return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"


def _whole_chains(stones: Int[np.ndarray, "size size"], marks: Bool[np.ndarray, "size size"]) -> np.ndarray:
    """`marks` with the rest of each chain that has one."""
    whole = np.zeros(stones.shape, bool)
    for colour in (BLACK, WHITE):
        for chain in host_scoring.parts(stones == colour):
            if any(marks[point] for point in chain):
                for point in chain:
                    whole[point] = True
    return whole
