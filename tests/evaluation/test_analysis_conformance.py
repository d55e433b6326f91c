"""The analysis engine against what clients of `katago analysis` rely on: a table of requests and what is replied.

*Source:* KataGo's documentation of its analysis engine, docs/Analysis_Engine.md; the queries that KaTrain 1.18 sends.
"""

import io
import json
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from research.evaluation.analysis_engine import AnalysisEngine
from research.evaluation.analysis_queries import KNOWN, WITHOUT_EFFECT, AnalysisConfig
from research.evaluation.analysis_replies import POINTS_A_NAT
from research.evaluation.gtp_thinkers import Opinion, Question, RandomThinker
from research.go import symmetry

SIZE = 5
NUM_POINTS = SIZE * SIZE
VISITS_A_SEARCH = 10
BLACKS_VALUE = 0.5  # so Black wins with 75 %
BEST, SECOND = 12, 7  # C3 and C4
LEAD = 3.0
Reply = dict[str, Any]


class Knower(RandomThinker):
    """Searches without a network: Black wins with 75 %, C3 is best, then C4."""

    searches = deepens = True

    def __init__(self, search_s: float = 0.0):
        """Each search takes so many seconds."""
        super().__init__(seed=0, name="knower")
        self._search_s = search_s
        self.log: list[tuple[int, str]] = []  # moves on the board and who is to move, search by search

    def can_play(self, size: int) -> bool:
        """One size only."""
        return size == SIZE

    def look(self, question: Question) -> Opinion:
        """The value of whoever is to move; the policy is even."""
        opinion = super().look(question)
        opinion.value = self._value(question)
        return opinion

    def think(self, question: Question, opinion: Opinion) -> None:
        """Visits for the two best moves that are legal."""
        time.sleep(self._search_s)
        self.log.append((question.game.num_moves, question.colour))
        value = self._value(question)
        for action, visits, gain in ((BEST, 7, 0.1), (SECOND, 3, -0.1)):
            if opinion.prior[action] > 0:
                opinion.visits[action] += visits
                opinion.value_sum[action] += visits * (value + gain)
                opinion.policy_sum[action] += visits / VISITS_A_SEARCH
                opinion.variations[action] = [action, 0, 1, 2]
        opinion.num_searches += 1

    def _value(self, question: Question) -> float:
        return BLACKS_VALUE if question.colour == "black" else -BLACKS_VALUE


class Ending(NamedTuple):
    """A forecast."""

    lead: float
    score_mean: float
    score_mean_square: float
    ownership: np.ndarray


class Foreteller(Knower):
    """Knows the score as well: Black is ahead by LEAD, and by a point more after Black's move at BEST."""

    def evaluate(self, question: Question, symmetries: Iterable[int]) -> list[Ending]:
        """Of the position."""
        return [self._ending(question, 0.0) for _ in symmetries]

    def evaluate_moves(self, question: Question, actions: Iterable[int]) -> list[Ending]:
        """Of the moves."""
        return [self._ending(question, float(action == BEST)) for action in actions]

    def _ending(self, question: Question, gain: float) -> Ending:
        sign = 1 if question.colour == "black" else -1
        lead = sign * LEAD + gain
        ownership = np.zeros((SIZE, SIZE))
        ownership[0, 1] = sign
        return Ending(lead, lead + 0.5, (lead + 0.5) ** 2 + 4.0, ownership)


def query(query_id: str = "q", moves: Any = "", **fields: Any) -> Reply:
    """A query as a client sends it; `moves` such as "B C3 W C4", or as JSON."""
    if isinstance(moves, str):
        words = moves.split()
        moves = [list(pair) for pair in zip(words[::2], words[1::2], strict=True)]
    needed = {"moves": moves, "rules": "tromp-taylor", "komi": 7.5, "boardXSize": SIZE, "boardYSize": SIZE}
    return {"id": query_id} | needed | fields


def talk(*requests: Reply | str, thinker: Any = None, **config: Any) -> list[Reply]:
    """Everything that is replied to requests that come all at once."""
    output = io.StringIO()
    lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    AnalysisEngine(thinker or Knower(), AnalysisConfig(**config), output).serve(iter(lines))
    written = output.getvalue()
    assert written == "" or written.endswith("\n")
    return [json.loads(line) for line in written.splitlines()]


def only(*requests: Reply | str, **options: Any) -> Reply:
    """The one reply."""
    (reply,) = talk(*requests, **options)
    return reply


MODEL = {"name": "knower", "internalName": "knower", "usesHumanSLProfile": False}
# What is sent (None: the field is left out), the field that is blamed, and how the error begins.
WRONG_FIELDS = [
    ({"boardXSize": None}, "boardXSize", "Must provide an integer from 2 to 19"),
    ({"boardYSize": 4}, "boardYSize", "Must be the same as boardXSize, 5"),
    ({"boardXSize": 20, "boardYSize": 20}, "boardXSize", "Must be an integer from 2 to 19"),
    ({"boardXSize": "5"}, "boardXSize", "Must be an integer from 2 to 19"),
    ({"boardXSize": 9, "boardYSize": 9}, "boardXSize", "This player does not play on 9x9"),
    ({"rules": None}, "rules", "Must specify rules"),
    ({"rules": 3}, "rules", "Must specify rules"),
    ({"rules": "nobodys"}, "rules", "Unknown rules 'nobodys'"),
    ({"rules": {"ko": "SOMETIMES"}}, "rules", "Could not parse rules: ko is SOMETIMES"),
    ({"whiteHandicapBonus": "2"}, "whiteHandicapBonus", "Must be '0', 'N' or 'N-1'"),
    ({"komi": 7.3}, "komi", "Must be an integer or half-integer"),
    ({"komi": "7.5"}, "komi", "Must be a number from -150.0 to 150.0"),
    ({"komi": 1000}, "komi", "Must be a number from -150.0 to 150.0"),
    ({"moves": None}, "moves", "Must be an array of pairs"),
    ({"moves": [["B"]]}, "moves", "Must be an array of pairs"),
    ({"moves": [["X", "C3"]]}, "moves", "Could not parse player: X"),
    ({"moves": [["B", "I9"]]}, "moves", "Could not parse location: I9"),
    ({"moves": [["B", 3]]}, "moves", "Could not parse location: 3"),
    ({"moves": [["B", "C3"], ["W", "C3"]]}, "moves", "Illegal move 1: C3"),
    ({"initialStones": [["B", "pass"]]}, "initialStones", "Initial stones cannot be passes"),
    ({"initialStones": [["B", "A1"], ["W", "A1"]]}, "initialStones", "Two initial stones are on one point"),
    ({"initialStones": [["B", "A1"], ["W", "A2"], ["W", "B1"]]}, "initialStones", "Initial stones without liberties"),
    ({"initialPlayer": "green"}, "initialPlayer", "Could not parse player: green"),
    ({"analyzeTurns": 0}, "analyzeTurns", "Must specify an array of integers indicating turns to analyze"),
    ({"analyzeTurns": [0, "1"]}, "analyzeTurns", "Must specify an array of integers indicating turns to analyze"),
    ({"analyzeTurns": [1]}, "analyzeTurns", "Invalid turn number: 1"),
    ({"analyzeTurns": [-1]}, "analyzeTurns", "Invalid turn number: -1"),
    ({"priority": "high"}, "priority", "Must be an integer"),
    ({"priorities": [1, 2]}, "priorities", "Must be an array of integers as long as analyzeTurns"),
    ({"maxVisits": 0}, "maxVisits", "Must be an integer from 1"),
    ({"maxVisits": True}, "maxVisits", "Must be an integer from 1"),
    ({"analysisPVLen": 0}, "analysisPVLen", "Must be an integer from 1"),
    ({"includePolicy": 1}, "includePolicy", "Must be a boolean"),
    ({"reportDuringSearchEvery": 0}, "reportDuringSearchEvery", "Must be a number from 0.001"),
    ({"avoidMoves": {}}, "avoidMoves", "Must be an array of objects"),
    ({"avoidMoves": [{"player": "B"}]}, "avoidMoves", "Must have moves"),
    ({"allowMoves": [{"player": "B", "moves": ["Z1"]}]}, "allowMoves", "Could not parse location: Z1"),
    ({"allowMoves": [{"moves": ["A1"]}]}, "allowMoves", "Could not parse player: None"),
    ({"overrideSettings": []}, "overrideSettings", "Must be an object"),
    ({"overrideSettings": {"maxVisits": "many"}}, "overrideSettings", "maxVisits is 'many'"),
    ({"overrideSettings": {"reportAnalysisWinratesAs": "GREEN"}}, "overrideSettings", "reportAnalysisWinratesAs is"),
]


@pytest.mark.parametrize(("fields", "field", "error"), WRONG_FIELDS)
def test_a_wrong_field_is_named_with_the_query_and_nothing_else_is_replied(
    fields: Reply, field: str, error: str
) -> None:
    request = {name: content for name, content in query(**fields).items() if content is not None}
    reply = only(request)
    assert reply.keys() == {"id", "field", "error"}
    assert (reply["id"], reply["field"]) == ("q", field)
    assert reply["error"].startswith(error)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("hello", "Could not parse input line as json request: "),
        ("{", "Could not parse input line as json request: "),
        ("[" * 100_000, "Could not parse input line as json request: "),
        ("[1]", "Request line was valid json but was not an object: [1]"),
        ("{}", 'Request must have a string "id" field'),
        ('{"id": 3}', 'Request must have a string "id" field'),
    ],
)
def test_what_is_no_request_is_an_error_without_an_id(line: str, error: str) -> None:
    reply = only(line)
    assert reply.keys() == {"error"}
    assert reply["error"].startswith(error)
    assert len(reply["error"]) < 500


@pytest.mark.parametrize(
    ("request_fields", "reply"),
    [
        ({"action": "query_version"}, {"version": "0.20", "git_hash": "knower"}),
        ({"action": "query_models"}, {"models": [MODEL]}),
        ({"action": "clear_cache"}, {}),
        ({"action": "terminate", "terminateId": "nobody"}, {}),
        ({"action": "terminate", "terminateId": "nobody", "turnNumbers": [1]}, {}),
        ({"action": "terminate_all"}, {}),
    ],
)  # fmt: skip
def test_an_action_is_echoed_with_what_it_asks_for(request_fields: Reply, reply: Reply) -> None:
    request = {"id": "a"} | request_fields
    assert only(request) == request | reply


@pytest.mark.parametrize(
    ("request_fields", "field", "error"),
    [
        ({"action": "dance"}, "action", "'action' field must be 'query_version' or "),
        ({"action": 3}, "action", "'action' field must be 'query_version' or "),
        ({"action": "terminate"}, "terminateId", 'Must be a string, the "id" of a query'),
        ({"action": "terminate_all", "turnNumbers": 3}, "turnNumbers", "Must be an array of integers"),
    ],
)
def test_a_wrong_action_is_an_error(request_fields: Reply, field: str, error: str) -> None:
    reply = only({"id": "a"} | request_fields)
    assert (reply["id"], reply["field"]) == ("a", field)
    assert reply["error"].startswith(error)


def test_a_reply_has_the_fields_that_clients_read() -> None:
    reply = only(query(maxVisits=20))
    assert reply.keys() == {
        "id", "isDuringSearch", "turnNumber", "moveInfos", "rootInfo", "scoreIsFromWinrate",
    }  # fmt: skip
    assert (reply["id"], reply["isDuringSearch"], reply["turnNumber"]) == ("q", False, 0)
    best, second = reply["moveInfos"]
    assert best.keys() == second.keys() == {
        "move", "visits", "edgeVisits", "winrate", "lcb", "utility", "utilityLcb", "prior", "scoreLead", "scoreMean",
        "scoreSelfplay", "weight", "order", "pv",
    }  # fmt: skip
    assert [info["move"] for info in (best, second)] == ["C3", "C4"]
    assert [info["order"] for info in (best, second)] == [0, 1]
    assert [info["visits"] for info in (best, second)] == [14, 6]
    assert best["pv"] == ["C3", "A5", "B5", "C5"]
    assert best["winrate"] == pytest.approx(0.8)
    assert best["lcb"] == pytest.approx(0.8 - 1.96 * (0.8 * 0.2 / 14) ** 0.5, abs=1e-6)
    assert best["utility"] == pytest.approx(0.6)
    assert best["prior"] == pytest.approx(1 / 26)
    root = reply["rootInfo"]
    assert root.keys() == {
        "currentPlayer", "winrate", "utility", "scoreLead", "scoreMean", "scoreSelfplay", "visits", "weight",
        "thisHash", "symHash",
    }  # fmt: skip
    assert (root["currentPlayer"], root["winrate"], root["utility"], root["visits"]) == ("B", 0.75, 0.5, 21)
    assert root["scoreLead"] == pytest.approx(POINTS_A_NAT * np.log(3), abs=1e-3)


@pytest.mark.parametrize(
    ("report_as", "black_to_move", "white_to_move"),
    [("BLACK", 0.75, 0.75), ("WHITE", 0.25, 0.25), ("SIDETOMOVE", 0.75, 0.25)],
)
def test_chances_and_points_are_told_for_whom_the_config_says(
    report_as: str, black_to_move: float, white_to_move: float
) -> None:
    override = {"reportAnalysisWinratesAs": report_as}
    request = query(moves="B A1", analyzeTurns=[0, 1])
    for replies in (talk(request, report_as=report_as), talk(request | {"overrideSettings": override})):
        roots = [reply["rootInfo"] for reply in replies]
        assert [root["winrate"] for root in roots] == [black_to_move, white_to_move]
        assert [root["currentPlayer"] for root in roots] == ["B", "W"]
        assert all((root["scoreLead"] > 0) == (root["winrate"] > 0.5) for root in roots)
        best, second = replies[1]["moveInfos"]  # White's; its better move is worse for Black
        is_whites = report_as != "BLACK"
        assert (best["winrate"] > second["winrate"]) == is_whites
        assert (best["lcb"] < best["winrate"]) == is_whites  # a bound is the mover's


def test_the_policy_has_each_point_and_the_pass_and_tells_illegal_ones() -> None:
    policy = only(query(moves="B C3", includePolicy=True))["policy"]
    assert len(policy) == NUM_POINTS + 1
    assert policy[BEST] == -1
    assert all(number == pytest.approx(1 / NUM_POINTS) for action, number in enumerate(policy) if action != BEST)


def test_scores_and_ownership_come_from_a_network_that_foretells_them() -> None:
    thinker = Foreteller()
    reply = only(
        query(moves="B A1", includeOwnership=True, includeMovesOwnership=True), thinker=thinker, report_as="BLACK"
    )
    root, (best, second) = reply["rootInfo"], reply["moveInfos"]
    assert "scoreIsFromWinrate" not in reply
    assert (root["scoreLead"], root["scoreSelfplay"], root["scoreStdev"]) == (LEAD, LEAD - 0.5, 2)
    assert (best["scoreLead"], second["scoreLead"]) == (LEAD - 1, LEAD)  # White's best takes a point from Black
    assert reply["ownership"] == [0, 1, *[0] * (NUM_POINTS - 2)]
    assert best["ownership"] == reply["ownership"]
    sided = only(query(moves="B A1", includeOwnership=True), thinker=thinker, report_as="SIDETOMOVE")
    assert (sided["rootInfo"]["scoreLead"], sided["ownership"][1]) == (-LEAD, -1)
    assert "ownership" not in sided["moveInfos"][0]


def test_without_such_a_network_there_is_no_ownership() -> None:
    reply = only(query(includeOwnership=True, includeMovesOwnership=True))
    assert "ownership" not in reply
    assert "ownership" not in reply["moveInfos"][0]


def test_every_turn_of_a_query_gets_its_reply_and_the_last_is_the_default() -> None:
    moves = "B C3 W C4 B pass"
    replies = talk(query(moves=moves, analyzeTurns=[3, 0, 1, 1]))
    assert [reply["turnNumber"] for reply in replies] == [3, 0, 1]
    assert [reply["rootInfo"]["currentPlayer"] for reply in replies] == ["W", "B", "W"]
    assert [info["move"] for info in replies[2]["moveInfos"]] == ["C4"]
    assert only(query(moves=moves))["turnNumber"] == 3
    assert talk(query(moves=moves, analyzeTurns=[])) == []


@pytest.mark.parametrize(
    ("fields", "player"),
    [
        ({}, "B"),
        ({"initialPlayer": "w"}, "W"),
        ({"initialStones": [["B", "A1"]]}, "B"),
        ({"initialStones": [["B", "A1"], ["B", "E5"]]}, "W"),
        ({"initialStones": [["B", "A1"], ["B", "E5"]], "initialPlayer": "B"}, "B"),
        ({"moves": [["W", "A1"]]}, "B"),
        ({"moves": [["W", "A1"], ["W", "A2"]]}, "B"),
    ],
)
def test_who_is_to_move_follows_from_stones_and_moves(fields: Reply, player: str) -> None:
    assert only(query(**fields))["rootInfo"]["currentPlayer"] == player


def test_komi_is_the_rules_own_if_none_is_told_and_handicap_counts_by_the_rules() -> None:
    asked = []

    class Listener(Knower):
        def look(self, question: Question) -> Opinion:
            asked.append(question.komi)
            return super().look(question)

    stones = {"initialStones": [["B", "A1"], ["B", "E5"]]}
    for fields in (
        {"komi": None, "rules": "japanese"},
        {"komi": None, "rules": "new-zealand"},
        {"komi": None, "rules": {"scoring": "TERRITORY"}},
        {"rules": "chinese"} | stones,
        {"rules": "chinese", "whiteHandicapBonus": "0"} | stones,
        {"rules": "aga", "komi": 0} | stones,
    ):
        request: Reply = query() | fields
        only({name: content for name, content in request.items() if content is not None}, thinker=Listener())
    assert asked == [6.5, 7.0, 6.5, 9.5, 7.5, 1.0]


def test_visits_come_in_searches_until_there_are_enough() -> None:
    for limit, visits in ((1, 1), (2, 11), (11, 11), (12, 21), (1000, 1001)):
        thinker = Knower()
        assert only(query(maxVisits=limit), thinker=thinker)["rootInfo"]["visits"] == visits
        assert len(thinker.log) == visits // VISITS_A_SEARCH
    assert only(query())["rootInfo"]["visits"] == 11
    assert only(query(), max_visits=25)["rootInfo"]["visits"] == 31
    assert only(query(overrideSettings={"maxVisits": 25}))["rootInfo"]["visits"] == 31
    first = only(query(maxVisits=1))["moveInfos"]
    assert (len(first), first[0]["visits"]) == (1, 0)


def test_time_limits_a_search_as_well() -> None:
    started = time.monotonic()
    reply = only(query(maxVisits=1_000_000, overrideSettings={"maxTime": 0.2}), thinker=Knower(search_s=0.02))
    assert 0.2 <= time.monotonic() - started < 5
    assert reply["rootInfo"]["visits"] > 1


def test_time_does_not_run_while_a_position_is_prepared() -> None:
    class Compiler(Knower):
        def look(self, question: Question) -> Opinion:
            time.sleep(0.3)
            return super().look(question)

    reply = only(query(overrideSettings={"maxTime": 0.2}), thinker=Compiler())
    assert reply["rootInfo"]["visits"] == 11


def test_reports_during_the_search_come_before_the_last_one() -> None:
    replies = talk(query(maxVisits=100, reportDuringSearchEvery=0.05), thinker=Knower(search_s=0.02))
    assert [reply["isDuringSearch"] for reply in replies] == [True] * (len(replies) - 1) + [False]
    assert 2 <= len(replies) <= 6
    visits = [reply["rootInfo"]["visits"] for reply in replies]
    assert visits == sorted(set(visits))


LIMIT = {"player": "B", "moves": ["C3"], "untilDepth": 1}


@pytest.mark.parametrize(
    ("fields", "moves"),
    [
        ({}, ["C3", "C4"]),
        ({"allowMoves": [LIMIT]}, ["C3"]),
        ({"allowMoves": [LIMIT | {"player": "W"}]}, ["C3", "C4"]),
        ({"allowMoves": [LIMIT | {"moves": ["A1", "E5"]}]}, ["A1", "E5"]),
        ({"allowMoves": [LIMIT | {"moves": ["A1", "E5"]}], "avoidMoves": [LIMIT | {"moves": ["E5"]}]}, ["A1"]),
        ({"avoidMoves": [LIMIT], "allowMoves": [LIMIT]}, []),
    ],
)
def test_moves_can_be_left_out_or_be_the_only_ones(fields: Reply, moves: list[str]) -> None:
    infos = only(query() | fields)["moveInfos"]
    assert sorted(info["move"] for info in infos) == moves
    assert all(info["visits"] > 0 for info in infos)


def test_moves_that_the_search_would_not_look_at_are_searched_if_others_are_left_out() -> None:
    thinker = Knower()
    reply = only(query(avoidMoves=[LIMIT], maxVisits=100), thinker=thinker)
    assert len(reply["moveInfos"]) == 8
    assert "C3" not in [info["move"] for info in reply["moveInfos"]]
    assert set(thinker.log) == {(1, "white")}
    for info in reply["moveInfos"]:
        assert info["visits"] >= (8 if info["move"] == "C4" else 11)
        assert info["winrate"] == 0.75
        assert info["pv"][0] == info["move"]
        assert info["pv"][1] in ("C3", "C4")
    assert reply["rootInfo"]["winrate"] == 0.75
    assert only(query(avoidMoves=[LIMIT]))["rootInfo"]["visits"] == 86


def test_variations_are_cut_to_the_length_that_is_asked_for() -> None:
    assert [len(info["pv"]) for info in only(query(analysisPVLen=2))["moveInfos"]] == [2, 2]


def test_what_changes_nothing_is_warned_of_and_answered_all_the_same() -> None:
    replies = talk(query(includePVVisits=True, rootFpuReductionMax=0.1, colour="red", includeNoResultValue=False))
    assert [(reply.get("field"), reply.get("warning")) for reply in replies] == [
        ("includePVVisits", "Has no effect in this engine"),
        ("rootFpuReductionMax", "Has no effect in this engine"),
        ("colour", "Unexpected or unused field"),
        (None, None),
    ]


def test_equal_positions_have_equal_hashes_and_symmetric_ones_share_one() -> None:
    def root(moves: str) -> Reply:
        return only(query(moves=moves))["rootInfo"]

    first, again, mirrored = root("B A1 W B1 B C1"), root("B C1 W B1 B A1"), root("B A1 W A2 B A3")
    assert first["thisHash"] == again["thisHash"] != mirrored["thisHash"]
    assert first["symHash"] == mirrored["symHash"] != root("B A1 W B1 B D1")["symHash"]
    assert root("")["thisHash"] != root("B pass")["thisHash"]
    assert len(first["thisHash"]) == 32
    assert symmetry.NUM_SYMMETRIES == 8


def test_pipelined_queries_are_answered_by_priority_and_then_in_turn() -> None:
    requests = [query("a"), query("b", priority=-1), query("c", priority=5), query("d"), query("e", priority=5)]
    gate = threading.Event()

    def lines() -> Iterator[str]:
        yield from map(json.dumps, requests)
        gate.set()

    class Patient(Knower):
        def look(self, question: Question) -> Opinion:
            assert gate.wait(10)
            return super().look(question)

    output = io.StringIO()
    AnalysisEngine(Patient(), AnalysisConfig(max_visits=31), output).serve(lines())
    order = [json.loads(line)["id"] for line in output.getvalue().splitlines()]
    assert order == ["c", "e", "a", "d", "b"]


def test_turns_of_one_query_can_have_priorities_of_their_own() -> None:
    request = query(moves="B A1 W A2", analyzeTurns=[0, 1, 2], priorities=[0, 1, 2], maxVisits=21)
    turns = [reply["turnNumber"] for reply in talk(request)]
    assert turns == [2, 1, 0]


class Wire(io.StringIO):
    """Output that can be waited for."""

    def __init__(self):
        """Nothing is written yet."""
        super().__init__()
        self.changed = threading.Condition()

    def write(self, text: str) -> int:
        """Tell those who wait."""
        with self.changed:
            num_written = super().write(text)
            self.changed.notify_all()
        return num_written

    def wait_for(self, text: str) -> None:
        """Until `text` is there."""
        with self.changed:
            assert self.changed.wait_for(lambda: text in self.getvalue(), 10)


def test_terminated_queries_get_a_last_reply_each_and_others_go_on() -> None:
    output = Wire()

    def lines() -> Iterator[str]:
        yield json.dumps(query("long", maxVisits=10_000_000, reportDuringSearchEvery=0.01, priority=2))
        yield json.dumps(query("waiting", moves="B A1", analyzeTurns=[0, 1], priority=1, maxVisits=10_000_000))
        yield json.dumps(query("short"))
        output.wait_for('"isDuringSearch": true')
        yield json.dumps({"id": "t1", "action": "terminate", "terminateId": "waiting", "turnNumbers": [1]})
        yield json.dumps({"id": "t2", "action": "terminate", "terminateId": "long"})
        output.wait_for('"t2"')
        yield json.dumps({"id": "t3", "action": "terminate", "terminateId": "waiting"})

    AnalysisEngine(Knower(search_s=0.005), AnalysisConfig(), output).serve(lines())
    replies = [json.loads(line) for line in output.getvalue().splitlines()]
    last = [reply for reply in replies if not reply.get("isDuringSearch", False)]
    assert [reply["id"] for reply in last] == ["t1", "waiting", "t2", "long", "t3", "waiting", "short"]
    nothing, long, waiting = last[1], last[3], last[5]
    assert nothing == {"id": "waiting", "isDuringSearch": False, "turnNumber": 1, "noResults": True}
    assert long["rootInfo"]["visits"] > 1
    assert waiting["turnNumber"] == 0


def test_terminate_all_ends_everything() -> None:
    output = Wire()

    def lines() -> Iterator[str]:
        yield json.dumps(query("a", maxVisits=10_000_000, reportDuringSearchEvery=0.01))
        yield json.dumps(query("b", maxVisits=10_000_000))
        output.wait_for('"isDuringSearch": true')
        yield json.dumps({"id": "t", "action": "terminate_all"})

    AnalysisEngine(Knower(search_s=0.005), AnalysisConfig(), output).serve(lines())
    replies = [json.loads(line) for line in output.getvalue().splitlines()]
    assert [reply["id"] for reply in replies if not reply.get("isDuringSearch", False)] == ["t", "a", "b"]


def test_the_end_of_the_input_waits_for_what_was_asked_unless_told_not_to() -> None:
    for finishes, max_visits in ((True, 101), (False, 10_000_000)):
        output = io.StringIO()
        request = json.dumps(query(maxVisits=max_visits))
        AnalysisEngine(Knower(search_s=0.001), AnalysisConfig(), output).serve(iter([request]), finishes=finishes)
        assert ('"visits": 101' in output.getvalue()) == finishes
        assert len(output.getvalue().splitlines()) == finishes


def test_a_fault_of_ours_is_a_reply_and_the_next_query_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Knower):
        def look(self, question: Question) -> Opinion:
            if question.game.num_moves == 1:
                raise RuntimeError("out of ideas")
            return super().look(question)

    fault, reply = talk(query("a", moves="B A1"), query("b"), thinker=Broken())
    assert fault == {"id": "a", "error": "internal error: out of ideas"}
    assert reply["id"] == "b"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "RuntimeError: out of ideas" in captured.err


KATRAIN = {
    "id": "QUERY:1",
    "rules": "japanese",
    "priority": 0,
    "analyzeTurns": [2],
    "maxVisits": 50,
    "komi": 6.5,
    "boardXSize": SIZE,
    "boardYSize": SIZE,
    "includeOwnership": True,
    "includeMovesOwnership": False,
    "includePolicy": True,
    "initialStones": [],
    "initialPlayer": "B",
    "moves": [["B", "A1"], ["W", "A2"]],
    "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0},
    "reportDuringSearchEvery": 1.0,
}


def test_the_page_about_it_names_every_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text()
    request = query(includePolicy=True, includeOwnership=True, includeMovesOwnership=True)
    told, untold = only(request, thinker=Foreteller()), only(request)
    replied = {*told, *untold, *told["rootInfo"], *told["moveInfos"][0], *untold["moveInfos"][0]}
    for name in (
        *KNOWN,
        *WITHOUT_EFFECT,
        *replied,
        *AnalysisEngine(Knower(), AnalysisConfig(), io.StringIO())._actions,
    ):
        assert f"`{name}`" in page, name


def test_katrains_query_is_answered_with_all_that_katrain_reads() -> None:
    reply = only(KATRAIN)
    assert (reply["id"], reply["turnNumber"], reply["isDuringSearch"]) == ("QUERY:1", 2, False)
    assert {"winrate", "scoreLead", "visits"} <= reply["rootInfo"].keys()
    assert len(reply["policy"]) == NUM_POINTS + 1
    for info in reply["moveInfos"]:
        assert {"move", "visits", "winrate", "scoreLead", "prior", "order", "pv"} <= info.keys()
