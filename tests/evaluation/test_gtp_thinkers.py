"""The network behind the engine: its positions are the host's, its searches add up, the clock decides how many.

*Source:* none.
"""

import dataclasses
import logging
import random

import jax
import numpy as np
import pytest
from gtp_talk import ask, send

from research.evaluation.gtp_device import DeviceGame, device_rules
from research.evaluation.gtp_engine import COMMANDS
from research.evaluation.gtp_game import HostGame, Record
from research.evaluation.gtp_search import MemoryConfig
from research.evaluation.gtp_session import EngineConfig, Session, new_session
from research.evaluation.gtp_thinkers import RandomThinker
from research.evaluation.network_thinker import NetworkThinker
from research.go import coords
from research.go.rules import Rules
from research.go.state import board
from research.search import SearchConfig
from tests.search.stand_ins import uniform_prior_and_score

SIZE = 4
NUM_SIMULATIONS = 16
RULES = Rules(size=SIZE, ko="positional", suicide=True)


@pytest.fixture(scope="module")
def thinker() -> NetworkThinker:
    """Searches by the score as it stands."""
    config = SearchConfig(num_simulations=NUM_SIMULATIONS, max_depth=3)
    memory = MemoryConfig(num_cached=0)
    thinker = NetworkThinker("test", SIZE, uniform_prior_and_score, None, config, memory=memory)
    thinker.prepare(session_of(thinker).question("black"))
    return thinker


def session_of(thinker: NetworkThinker, **settings: int) -> Session:
    return new_session(thinker, EngineConfig(**settings), SIZE)


def test_the_device_has_the_hosts_position_whatever_a_controller_does() -> None:
    chance, on_device = random.Random(0), DeviceGame(device_rules(HostGame(RULES)))
    legal_actions = jax.jit(jax.vmap(on_device.game.legal_actions))
    setup = (("black", (0, 0)), ("white", (1, 1)), ("black", (3, 2)))
    for record in (Record(), Record(setup, "white"), Record((), "white")):
        host = HostGame(RULES, record)
        for number in range(40):
            if number % 13 == 12:  # taken back
                host = HostGame(RULES, host.record._replace(moves=host.record.moves[:-4]))
            colour = chance.choice(("black", "white"))
            state = on_device.states(host, colour, 2.5)
            np.testing.assert_array_equal(board(jax.tree.map(lambda leaf: leaf[0], state)), host.stones())
            assert (int(state.to_play[0]), float(state.komi[0])) == (colour == "white", 2.5)
            legal = host.legal_points(colour)
            wanted = [coords.action_from_point(point, SIZE) for point in [*legal, None]]
            assert list(np.flatnonzero(np.asarray(legal_actions(state)[0]))) == wanted, host.record
            host.play(colour, chance.choice([*legal, None]))


def test_a_past_that_the_rules_now_forbid_is_left_out() -> None:
    host = HostGame(RULES, Record((("white", (2, 0)), ("white", (2, 1)), ("white", (3, 2))), "black"))
    for column in (0, 1, 0, 1):
        host.play("black", (3, column))  # the second time a position comes up again
    host.play("white", (0, 0))
    state = DeviceGame(device_rules(host)).states(host, "black", 0.0)
    np.testing.assert_array_equal(board(jax.tree.map(lambda leaf: leaf[0], state)), host.stones())
    assert int(state.to_play[0]) == 0


def test_a_search_takes_what_it_can_and_shows_the_line(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    send(session, "komi 0\ngogui-setup w a1 w b1 w c1 b a2 b b2 b c2\n")
    reply = ask(session, "kata-genmove_analyze b 1")
    info, played = reply.split("\n")[-2:]
    assert played == "play D1"
    first = info.split("info move ")[1].split()
    values = dict(zip(first[1::2], first[2::2], strict=False))
    assert first[0] == "D1"
    assert int(values["visits"]) >= 2
    assert float(values["winrate"]) > 0.9
    assert first[first.index("pv") + 1] == "D1"
    assert first.index("pv") > first.index("order")
    visits = [int(part.split()[2]) for part in info.split("info move ")[1:]]
    assert visits == sorted(visits, reverse=True)
    assert sum(visits) == NUM_SIMULATIONS
    assert ask(session, "gomill-explain_last_move").startswith("= black D1: wins with")


def test_the_clock_decides_how_many_searches_there_are(thinker: NetworkThinker) -> None:
    session = session_of(thinker, max_searches=3)
    for settings, search_s, wanted in [
        ("kgs-time_settings none", 1e9, 1),
        ("time_settings 6000 0 0", 1e9, 0),
        ("time_settings 6000 0 0", 0.0, 3),
        ("time_left b 0 0", 0.0, 0),
    ]:
        send(session, f"clear_board\n{settings}\n")
        thinker.search_s = search_s
        assert ask(session, "genmove b").startswith("= ")
        assert session.opinion is not None
        assert session.opinion.num_searches == wanted, settings
        assert session.opinion.visits.sum() == wanted * NUM_SIMULATIONS


def test_a_player_who_would_only_repeat_himself_makes_one_search(
    thinker: NetworkThinker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = session_of(thinker, max_searches=3)
    told = "one search a move however much time there is; --rule puct uses it"
    COMMANDS["time_settings"](session, ("6000", "0", "0"))
    assert told not in capsys.readouterr().err
    monkeypatch.setattr(thinker, "deepens", False)
    COMMANDS["kgs-time_settings"](session, ("none",))
    assert told not in capsys.readouterr().err
    COMMANDS["time_settings"](session, ("6000", "0", "0"))
    assert told in capsys.readouterr().err
    thinker.search_s = 0.0
    ask(session, "genmove b")
    assert session.opinion is not None
    assert session.opinion.num_searches == 1
    looks: list[float] = []
    session.wait_for_input = lambda seconds: looks.append(seconds) is None and len(looks) > 5
    *_, line = COMMANDS["kata-analyze"](session, ("w", "1"))
    assert sum(int(part.split()[2]) for part in line.split("info move ")[1:]) == NUM_SIMULATIONS


def test_an_interrupt_ends_the_thinking_and_the_move_is_played(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    replies = send(session, "1 genmove b\n# interrupt\n2 genmove w\n")
    assert [reply.split()[0] for reply in replies] == ["=1", "=2"]
    assert session.game.num_moves == 2
    thinker.search_s = 0.0
    assert session.opinion is not None
    assert session.opinion.num_searches == 1  # the second move was not interrupted


def test_an_analysis_thinks_until_the_next_line(thinker: NetworkThinker) -> None:
    session, waited = session_of(thinker), []
    send(session, "play b b2\n")
    first, second = send(session, "lz-analyze w 1\nlz-analyze w 1\n")
    assert first.startswith("=\ninfo move ")
    assert second.startswith("=\ninfo move ")
    session.wait_for_input = lambda seconds: waited.append(seconds) is None and len(waited) > 6
    answer = list(COMMANDS["kata-analyze"](session, ("w", "1")))
    totals = [sum(int(part.split()[2]) for part in line.split("info move ")[1:]) for line in answer]
    assert totals == sorted(totals)
    assert totals[-1] > NUM_SIMULATIONS


def test_nothing_is_compiled_after_the_start(thinker: NetworkThinker, caplog: pytest.LogCaptureFixture) -> None:
    session = session_of(thinker)
    send(session, "set_free_handicap a1 d4\ngenmove w\ngenmove b\nkata-analyze 1\nclear_board\n")
    with jax.log_compiles(), caplog.at_level(logging.WARNING):
        send(
            session, "set_free_handicap a2 d4\ngenmove w\nundo\ngenmove b\nplay w pass\ngenmove b\nkomi 3\ngenmove b\n"
        )
        send(session, "clear_board\n" + "genmove b\ngenmove w\n" * 3 + "miai-policy w\n")
    assert [record.message for record in caplog.records if "Compiling" in record.message] == []


def test_a_network_plays_its_own_size_alone(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    send(session, "play b a1\n")
    assert ask(session, "boardsize 5") == "? unacceptable size"
    assert session.game.num_moves == 1
    assert ask(session, f"boardsize {SIZE}") == "="
    assert session.game.is_empty


def test_the_policy_alone_plays_its_best_move_or_samples(thinker: NetworkThinker) -> None:
    opinion = dataclasses.replace(thinker.look(session_of(thinker).question("black")))
    opinion.prior = np.array([0.0, 0.75, 0.25] + [0.0] * (SIZE**2 - 2))
    for temperature, wanted in ((0.0, {1}), (1.0, {1, 2})):
        player = NetworkThinker("policy", SIZE, uniform_prior_and_score, None, SearchConfig(), temperature)
        assert not player.searches
        assert {player.choose(opinion) for _ in range(50)} == wanted


def test_influence_is_the_mean_of_the_tree_in_each_of_its_forms(thinker: NetworkThinker) -> None:
    session = session_of(thinker)
    # Black's wall: nobody can live on White's side of it, and nothing of Black's can be taken.
    for vertex in ("B1", "B2", "B3", "B4", "C2"):
        ask(session, f"play b {vertex}")
    rows = ask(session, "miai-influence w").removeprefix("= ").split("\n")
    board = np.array([[float(number) for number in row.split()] for row in rows if row])
    assert board.shape == (SIZE, SIZE)
    assert (np.abs(board) <= 1).all()
    assert board[:, :2].min() > 0.9
    text = ask(session, "miai-influence-text").removeprefix("= ").rstrip("\n").split("\n")
    assert [line.split()[1:3] for line in text[1:-1]] == [["X", "X"]] * SIZE
    graphics = ask(session, "miai-influence-graphics b").removeprefix("= ").split()
    assert graphics[0] == "INFLUENCE"
    assert float(graphics[graphics.index("A1") + 1]) > 0.9


def test_a_player_without_a_search_has_no_influence() -> None:
    session = new_session(RandomThinker(), EngineConfig(), SIZE)
    assert ask(session, "miai-influence") == "? this player makes no search that influence could be read from"
