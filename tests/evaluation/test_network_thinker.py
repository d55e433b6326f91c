"""Trees that are kept between moves: what goes on with one, what begins anew, and that all visits count once.

*Source:* none.
"""

import dataclasses
import io
import json
import logging
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gtp_talk import ask, send

from research.evaluation.analysis_engine import AnalysisEngine
from research.evaluation.analysis_queries import AnalysisConfig
from research.evaluation.gtp_device import DeviceGame, device_rules
from research.evaluation.gtp_engine import COMMANDS
from research.evaluation.gtp_rules import rule_set_named
from research.evaluation.gtp_search import NUM_PLAYOUTS, GameSearch, MemoryConfig
from research.evaluation.gtp_session import EngineConfig, Session, new_session
from research.evaluation.gtp_thinkers import Opinion, Question, begin
from research.evaluation.network_thinker import NetworkThinker
from research.go import coords
from research.search import SearchConfig, make_search
from research.search.influence import Influence, mean_maps
from research.search.playouts import make_playout_maps
from tests.search.stand_ins import assert_adds_up, scrambled

SIZE = 4
NUM_SIMULATIONS = 24
NUM_KEPT = 60
CONFIG = SearchConfig(NUM_SIMULATIONS, rule="puct", dirichlet_fraction=0.0, temperatures=(0.0,))


@pytest.fixture(scope="module")
def thinker() -> NetworkThinker:
    """Searches by PUCT, with room for more than two searches."""
    memory = MemoryConfig(num_kept=NUM_KEPT, num_cached=256)
    thinker = NetworkThinker("test", SIZE, scrambled, None, CONFIG, memory=memory)
    thinker.prepare(session_of(thinker).question("black"))
    return thinker


def session_of(thinker: NetworkThinker, **settings: int) -> Session:
    return new_session(thinker, EngineConfig(**settings), SIZE, rule_set_named("chinese"))  # simple ko compiles fast


def opinion_of(session: Session) -> Opinion:
    assert session.opinion is not None
    return session.opinion


def expected_reply(opinion: Opinion) -> str:
    """The move that the tree thinks best after the one that was played."""
    return coords.gtp_from_action(opinion.variations[opinion.last_action][1], SIZE)


def visits_of_line(opinion: Opinion, *actions: int) -> float:
    """Visits of the node at the end of some moves in the opinion's tree."""
    assert opinion.tree is not None
    parent, action, visits = (
        np.asarray(n)[:, 0] for n in (opinion.tree.parent, opinion.tree.action, opinion.tree.visits)
    )
    node = 0
    for step in actions:
        (node,) = np.flatnonzero((parent == node) & (action == step) & (visits > 0))
    return float(visits[node])


def test_a_tree_goes_on_after_both_players_moves_and_nothing_is_counted_twice(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    ask(session, "genmove b")
    first = opinion_of(session)
    assert (first.num_before, first.visits.sum()) == (0, NUM_SIMULATIONS)
    line = first.variations[first.last_action][:2]
    send(session, f"play w {expected_reply(first)}\ngenmove b\n")
    second = opinion_of(session)
    assert second.num_before == visits_of_line(first, *line) - 1 > 0
    assert second.visits.sum() == second.num_before + NUM_SIMULATIONS
    assert second.num_searches == 1
    assert f"simulations ({second.num_before} of them before)" in ask(session, "gomill-explain_last_move")
    assert second.tree is not None
    assert_adds_up(jax.device_get(second.tree))


def test_two_colours_may_be_played_in_turn_but_not_one_twice(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    send(session, "genmove b\n")
    move = opinion_of(session).last_action
    wanted = visits_of_line(opinion_of(session), move) - 1
    send(session, "genmove w\n")
    assert opinion_of(session).num_before == wanted > 0
    send(session, "genmove w\n")
    assert opinion_of(session).num_before == 0, "the tree has a move of Black's there"


def known_before(thinker: NetworkThinker, session: Session) -> int:
    """Simulations that are known of the position before a search."""
    opinion = Opinion.of_prior(np.full(SIZE**2 + 1, 1 / (SIZE**2 + 1)), 0.0)
    thinker.recall(session.question(session.game.to_play), opinion)
    return opinion.num_before


@pytest.mark.parametrize(
    "lines", ["undo", "komi 3", "clear_board\nplay b b2\nplay w c3", "play b a1\nplay b b1", "kata-set-rules aga"]
)
def test_what_does_not_go_on_from_the_kept_position_begins_anew(thinker: NetworkThinker, lines: str) -> None:
    session = session_of(thinker)
    send(session, "play b b2\nplay w c3\nreg_genmove b\n")
    assert known_before(thinker, session) == NUM_SIMULATIONS
    send(session, lines + "\n")
    assert known_before(thinker, session) == 0


def test_what_is_asked_again_is_searched_further_as_one_long_search_would(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    send(session, "play b b2\nplay w c3\nreg_genmove b\n")
    question = session.question("black")
    opinion = begin(thinker, question)
    thinker.think(question, opinion)
    assert (opinion.num_before, opinion.num_searches) == (NUM_SIMULATIONS, 1)
    positions = DeviceGame(device_rules(question.game))
    config = dataclasses.replace(CONFIG, num_simulations=2 * NUM_SIMULATIONS, max_depth=NUM_SIMULATIONS)
    search = jax.jit(make_search(positions.game, scrambled(positions.game), config))
    wanted = search(None, positions.states(question.game, "black", question.komi), jax.random.key(0))
    np.testing.assert_array_equal(opinion.visits, wanted.visits[0])
    np.testing.assert_allclose(opinion.values()[opinion.visits > 0], wanted.q[0][opinion.visits > 0], atol=1e-5)
    assert opinion.value == pytest.approx(float(wanted.value[0]), abs=1e-5)
    assert thinker.choose(opinion) == int(wanted.action[0])


def test_under_a_clock_one_tree_grows_past_what_it_can_keep(thinker: NetworkThinker) -> None:
    session = session_of(thinker, max_searches=5)
    send(session, "time_settings 6000 0 0\n")
    thinker.search_s = 0.0
    ask(session, "genmove b")
    opinion = opinion_of(session)
    assert opinion.num_searches == 5
    assert opinion.num_simulations == 5 * NUM_SIMULATIONS > NUM_KEPT
    assert opinion.visits.sum() <= opinion.num_simulations
    assert opinion.tree is not None
    assert (np.asarray(opinion.tree.visits) > 0).sum() <= NUM_KEPT + NUM_SIMULATIONS


def test_without_time_for_a_search_what_is_known_is_played(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    best = ask(session, "reg_genmove b")
    send(session, "time_left b 0 0\n")
    assert ask(session, "genmove b") == best
    assert (opinion_of(session).num_searches, opinion_of(session).num_before) == (0, NUM_SIMULATIONS)


def test_an_analysis_shows_all_visits_of_the_tree(thinker: NetworkThinker) -> None:
    session, looks = session_of(thinker, analysis_searches=1), []
    send(session, "reg_genmove b\n")
    session.wait_for_input = lambda seconds: looks.append(seconds) is None and len(looks) > 4
    lines = list(COMMANDS["kata-analyze"](session, ("b", "1")))
    totals = [sum(int(part.split()[2]) for part in line.split("info move ")[1:]) for line in lines]
    assert totals == [2 * NUM_SIMULATIONS] * len(lines)


def replies(thinker: NetworkThinker, *queries: dict[str, Any]) -> list[dict[str, Any]]:
    """What an analysis engine says."""
    output, needed = io.StringIO(), {"rules": "chinese", "komi": 7.5, "boardXSize": SIZE, "boardYSize": SIZE}
    lines = [json.dumps(needed | {"id": str(number)} | query) for number, query in enumerate(queries)]
    AnalysisEngine(thinker, AnalysisConfig(), output).serve(iter(lines))
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_with_some_moves_left_out_nothing_is_taken_from_a_tree_of_all_moves(thinker: NetworkThinker) -> None:
    thinker.forget()
    two_moves = [{"player": "B", "moves": ["A1", "B2"], "untilDepth": 1}]
    restricted = {"moves": [], "allowMoves": two_moves, "maxVisits": 2 * NUM_SIMULATIONS}
    whole, after = replies(thinker, {"moves": [], "maxVisits": 4 * NUM_SIMULATIONS}, restricted)
    assert whole["rootInfo"]["visits"] >= 4 * NUM_SIMULATIONS
    assert {info["move"] for info in after["moveInfos"]} == {"A1", "B2"}
    assert after["rootInfo"]["visits"] == 1 + sum(info["visits"] for info in after["moveInfos"])
    assert after["rootInfo"]["winrate"] in {info["winrate"] for info in after["moveInfos"]}
    assert after["rootInfo"]["visits"] < whole["rootInfo"]["visits"]


def test_what_is_compiled_for_a_long_game_is_that_games(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    rules = device_rules(session.game)
    for _ in range(rules.max_moves - SIZE**2 + 1):
        session.game.play(session.game.to_play, None)
    assert device_rules(session.game).max_moves == 2 * rules.max_moves
    prepared: list[int] = []

    class Counting(NetworkThinker):
        def think(self, question: Question, opinion: Opinion) -> None:
            prepared.append(device_rules(question.game).max_moves)
            opinion.num_searches += 1

        def look(self, question: Question) -> Opinion:
            return Opinion.of_prior(np.ones(SIZE**2 + 1) / (SIZE**2 + 1), 0.0)

    Counting("test", SIZE, scrambled, None, CONFIG).prepare(session.question("black"))
    assert set(prepared) == {2 * rules.max_moves}


def test_an_analysis_of_a_position_goes_on_from_its_parent_and_ends_when_it_is_enough(thinker: NetworkThinker) -> None:
    thinker.forget()
    (parent,) = replies(thinker, {"moves": [], "maxVisits": 2 * NUM_SIMULATIONS + 1})
    assert parent["rootInfo"]["visits"] == 2 * NUM_SIMULATIONS + 1
    best = parent["moveInfos"][0]
    after_best = {"moves": [["B", best["move"]]]}
    child, again = replies(thinker, after_best | {"maxVisits": best["visits"] + 1}, after_best | {"maxVisits": 2})
    assert child["rootInfo"]["visits"] == best["visits"] + NUM_SIMULATIONS
    assert again["rootInfo"]["visits"] == child["rootInfo"]["visits"], "nothing more had to be searched"
    replies(thinker, {"action": "clear_cache"})
    (anew,) = replies(thinker, after_best | {"maxVisits": 2})
    assert anew["rootInfo"]["visits"] == NUM_SIMULATIONS + 1


def test_moves_that_are_searched_alone_have_a_tree_each(thinker: NetworkThinker) -> None:
    thinker.forget()
    allowed = [{"player": "B", "moves": ["A1", "B2"], "untilDepth": 1}]
    (reply,) = replies(thinker, {"moves": [], "allowMoves": allowed, "maxVisits": 4 * NUM_SIMULATIONS + 3})
    assert sorted(info["visits"] for info in reply["moveInfos"]) == [2 * NUM_SIMULATIONS + 1] * 2


def test_evaluations_are_remembered_over_moves_that_are_taken_back(thinker: NetworkThinker) -> None:
    thinker.forget()
    session = session_of(thinker)
    before = thinker.evaluations()
    send(session, "play b b2\nreg_genmove w\n")
    first = thinker.evaluations()
    assert first[1] == before[1]
    send(session, "undo\nreg_genmove b\nplay b b2\nreg_genmove w\n")
    assert thinker.evaluations()[1] - first[1] >= 5, "those after B2 came again"
    send(session, "clear_cache\n")
    known = thinker.evaluations()[1]
    send(session, "reg_genmove w\n")
    assert thinker.evaluations()[1] == known


def test_nothing_is_compiled_after_the_start(thinker: NetworkThinker, caplog: pytest.LogCaptureFixture) -> None:
    session = session_of(thinker)
    send(session, "genmove b\nkata-analyze 1\nundo\nclear_board\n")
    with jax.log_compiles(), caplog.at_level(logging.WARNING):
        send(session, "genmove b\ngenmove w\nplay b pass\ngenmove w\nundo\nreg_genmove w\nreg_genmove w\n")
        send(session, "kata-analyze 1\nclear_cache\nkomi 3\ngenmove b\nclear_board\ngenmove b\n")
    assert [record.message for record in caplog.records if "Compiling" in record.message] == []


@pytest.mark.slow
def test_the_influence_is_the_roots_mean_map(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    send(session, "play b b2\nplay w c3\ngenmove b\n")
    tree, key = opinion_of(session).tree, jax.random.key(5)
    assert tree is not None
    game = DeviceGame(device_rules(session.game)).game
    states, slots = jax.tree.map(lambda leaf: leaf[:, 0], tree.state), jnp.arange(len(tree.visits))
    keys = jax.vmap(lambda slot: jax.random.fold_in(key, slot))(slots)
    maps = jax.jit(make_playout_maps(game, NUM_PLAYOUTS))(None, states, keys)[:, None]
    wanted = mean_maps(tree, Influence(maps, tree.visits > 0))[0, 0]
    found = GameSearch(game, scrambled(game), None, CONFIG, MemoryConfig()).influence(tree, key)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_search_that_would_only_repeat_itself_says_so() -> None:
    def deepens(memory: MemoryConfig = MemoryConfig(), **changes: Any) -> bool:  # noqa: B008 - frozen
        config = dataclasses.replace(CONFIG, **changes)
        return NetworkThinker("test", SIZE, scrambled, None, config, memory=memory).deepens

    assert deepens()
    assert not deepens(MemoryConfig(num_kept=0))
    assert deepens(MemoryConfig(num_kept=0), dirichlet_fraction=0.25)
    assert not deepens(num_simulations=0)
    assert not deepens(rule="gumbel", gumbel_scale=0.0)
    assert deepens(rule="gumbel", gumbel_scale=0.5)
    with pytest.raises(ValueError, match="num_kept is -1; allowed: 0 or more"):
        MemoryConfig(num_kept=-1)
