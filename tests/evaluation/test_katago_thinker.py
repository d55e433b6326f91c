"""A KataGo network behind GTP: its evaluations in KataGo's own words, scores, ownership, and the stones it calls dead.

The network of the quick tests has a few thousand weights, plays on 3x3 and is not told of ladders, whose reading takes
most of the time to compile. The slow ones compare whole conversations with what KataGo printed.

*Source:* KataGo's `kata-raw-nn` (tests/data/katago/raw_nn.json, see tests/data/README.md).
"""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from gtp_talk import ask, send
from networks.katago_networks import FOLDER, loaded
from networks.test_katago_outputs import LARGE, POSITIONS, SMALL

from research.evaluation import katago_thinker
from research.evaluation.gtp_session import EngineConfig, Session, new_session
from research.evaluation.gtp_thinkers import RandomThinker
from research.evaluation.katago_thinker import KataGoThinker, load_katago_thinker
from research.go.symmetry import FROM_KATAGO
from research.networks.katago import Evaluation, encoder_for
from research.search import SearchConfig

TINY = "tiny-b1c6nbt-v11-mish.bin.gz"
SIZE = 3
HEAD = r"""symmetry {}
whiteWin \d\.\d{6}
whiteLoss \d\.\d{6}
noResult \d\.\d{6}
whiteLead -?\d+\.\d{3}
whiteScoreSelfplay -?\d+\.\d{3}
whiteScoreSelfplaySq \d+\.\d{3}
varTimeLeft \d+\.\d{3}
shorttermWinlossError \d+\.\d{3}
shorttermScoreError \d+\.\d{3}
policy
"""


@pytest.fixture(scope="module")
def thinker() -> Iterator[KataGoThinker]:
    """The tiny network's policy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(katago_thinker, "encoder_for", partial(encoder_for, ladders=False))
        yield KataGoThinker("tiny", loaded(TINY), SearchConfig(num_simulations=0), temperature=0.0)


@pytest.fixture
def session(thinker: KataGoThinker) -> Session:
    """A game on 3x3 with two stones, Black to move."""
    session = new_session(thinker, EngineConfig(), SIZE)
    send(session, "komi 0.5\nplay b b2\nplay w b1\n")
    return session


def answer_of(reply: str) -> dict[str, Any]:
    """The numbers of a reply to `kata-raw-nn`; NaN where a move is illegal."""
    answer, rows = {}, []
    for line in reply.removeprefix("= ").split("\n"):
        words = line.split()
        if words[0].isalpha() and words[0] != "NAN":
            answer[words[0]] = rows = [] if len(words) == 1 else float(words[1])
        else:
            rows.append([float(word) for word in words])
    return {name: np.array(value) for name, value in answer.items()}


def test_it_answers_in_katagos_format_under_every_symmetry(session: Session, thinker: KataGoThinker) -> None:
    question, found = session.question("black"), {}
    for number in range(8):
        reply = ask(session, f"kata-raw-nn {number}")
        row, owned = r"((\d\.\d{6}|    NAN) ?){3}\n", r"(-?\d\.\d{7} ?){3}\n"
        pattern = (
            HEAD.replace("{}", str(number), 1) + row * 3 + r"policyPass \d\.\d{6} ?\n" + "whiteOwnership\n" + owned * 3
        )
        assert re.fullmatch("= " + pattern, reply + "\n"), reply
        found[number] = answer = answer_of(reply)
        (wanted,) = thinker.evaluate(question, [FROM_KATAGO[number]])
        assert float(answer["whiteWin"]) == pytest.approx(float(wanted.loss), abs=1e-6)
        assert float(answer["whiteLead"]) == pytest.approx(-float(wanted.lead), abs=1e-3)
        np.testing.assert_allclose(answer["whiteOwnership"], -wanted.ownership, atol=1e-6)
        policy = np.where(np.isnan(answer["policy"]), 0, answer["policy"])
        np.testing.assert_allclose(policy.ravel(), wanted.policy[:-1], atol=1e-6)
        assert np.isnan(answer["policy"]).tolist() == [[False] * 3, [False, True, False], [False, True, False]]
    assert float(found[0]["whiteWin"]) != float(found[1]["whiteWin"])
    together = re.split(r"\n(?=symmetry )", ask(session, "kata-raw-nn all"))
    assert len(together) == 8
    for number, block in enumerate(together):
        for name, numbers in answer_of(block).items():
            np.testing.assert_allclose(numbers, found[number][name], rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("words", ["", " 8", " -1", " none", " 1 2"])
def test_another_symmetry_is_refused_as_katago_does(session: Session, words: str) -> None:
    wanted = f"? Expected one argument 'all' or symmetry index [0-7] for kata-raw-nn but got '{words.strip()}'"
    assert ask(session, f"kata-raw-nn{words}") == wanted


def test_an_analysis_tells_the_score_of_each_move_and_who_owns_what(session: Session) -> None:
    (reply,) = send(session, "kata-analyze 1 minmoves 3 ownership true\n")
    (line,) = reply.split("\n")[1:]
    moves, _, owned = line.partition(" ownership ")
    assert len(owned.split()) == SIZE * SIZE
    assert all(-1 <= float(word) <= 1 for word in owned.split())
    infos = moves.split("info move ")[1:]
    assert len(infos) == 3
    leads = []
    for info in infos:
        words = info.split()
        values = dict(zip(words[1::2], words[2::2], strict=False))
        assert float(values["scoreStdev"]) > 0
        leads.append(float(values["scoreLead"]))
    assert len(set(leads)) == 3, "each move has its own"
    # The score after a move is what the network says of the position behind it, for who made the move.
    name = infos[0].split()[0]
    send(session, f"play b {name}\n")
    behind = answer_of(ask(session, "kata-raw-nn 0"))
    assert leads[0] == pytest.approx(-float(behind["whiteLead"]), abs=2e-3)
    send(session, "undo\n")
    assert "scoreLead" not in send(session, "lz-analyze 1\n")[0]
    assert "ownership" not in send(session, "kata-analyze 1\n")[0]


def test_ownership_is_painted_for_black(session: Session) -> None:
    black, white = (ask(session, f"miai-ownership {colour}").removeprefix("= ").split() for colour in "bw")
    assert len(black) == len(white) == SIZE * SIZE
    average = np.mean([answer_of(ask(session, f"kata-raw-nn {n}"))["whiteOwnership"] for n in range(8)], axis=0)
    np.testing.assert_allclose([float(word) for word in black], -average.ravel(), atol=1e-3)


def test_stones_are_dead_by_ownership_where_the_rules_ask_for_it(
    session: Session, thinker: KataGoThinker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_black(question: Any, symmetries: Any) -> list[Evaluation]:
        """Black owns everything."""
        if len(symmetries) > 1:
            assert question.game.num_moves == 0, "it is asked as if the board had been set up"
        owned = np.full((SIZE, SIZE), 0.9 if question.colour == "black" else -0.9)
        policy = np.full(SIZE * SIZE + 1, 0.1)
        return [Evaluation(policy, *[np.float32(0)] * 9, ownership=owned) for _ in symmetries]

    monkeypatch.setattr(thinker, "evaluate", all_black)
    send(session, "play b pass\nplay w pass\nkomi 0\n")
    for rules, score, dead in (
        ("tromp-taylor", "0", ""),
        ("chinese", "B+9", "B1"),
        ("japanese", "B+9", "B1"),  # eight points and a prisoner
    ):
        send(session, f"kata-set-rules {rules}\n")
        assert ask(session, "final_score") == f"= {score}", rules
        assert ask(session, "final_status_list dead") == f"= {dead}".rstrip(), rules
    send(session, "kata-set-rules tromp-taylor\nkomi 7.5\n")


def test_nothing_is_compiled_before_it_is_needed_or_a_clock_runs(
    session: Session, thinker: KataGoThinker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(thinker, "prepare", lambda question: asked.append(question.game.size))
    send(session, "boardsize 5\nkata-set-rules chinese\nkomi 3\nplay b c3\n")
    assert asked == []
    send(session, "time_settings 60 0 0\nkata-set-rules aga\nboardsize 4\n")
    assert asked == [5, 5, 4]


@pytest.mark.parametrize(
    ("lines", "points"),
    [
        ("play b a1\nplay w b1", 0),
        ("play b a1\nplay b b1", 1),
        ("play b a1\nplay w pass\nplay b b1\nplay w pass\nplay b c1\nplay w a3\nplay b a2", 2),
        ("play b a1\nplay w pass\nplay w pass\nplay b b1", 0),
        ("play w a1\nplay b b1\nplay b c1", 0),
        ("set_free_handicap a1 b1", 1),
        ("set_free_handicap a1 b1\nplay b c1", 2),
        ("gogui-setup b a1 b b1 b c1", 2),
        ("gogui-setup b a1 b b1 w c1", 0),
    ],
)
def test_white_is_given_points_for_stones_that_black_has_first_as_katago_does(lines: str, points: int) -> None:
    session = new_session(RandomThinker(), EngineConfig(), SIZE)
    send(session, f"kata-set-rules aga\nkomi 0.5\n{lines}\n")  # a point less than there are stones
    assert session.white_points() == 0.5 + points


def test_every_size_is_played(thinker: KataGoThinker) -> None:
    assert [size for size in range(1, 25) if thinker.can_play(size)] == list(range(2, 20))


@cache
def whole_thinker(name: str) -> KataGoThinker:
    """A network's policy, as the command line has it."""
    return KataGoThinker(name, loaded(name), SearchConfig(num_simulations=0), temperature=0.0)


@pytest.mark.slow
@pytest.mark.parametrize("case", [*SMALL, *LARGE], ids=lambda case: f"{case['network'].split('-')[1]}-{case['id']}")
def test_a_conversation_ends_with_what_katago_printed(case: dict) -> None:
    position = POSITIONS[case["id"]]
    session = new_session(whole_thinker(case["network"]), EngineConfig(), position["size"])
    moves = position["moves"].split()
    played = [f"play {colour} {vertex}" for colour, vertex in zip(moves[::2], moves[1::2], strict=True)]
    lines = [f"kata-set-rules {position['rules']}", f"komi {position['komi']}", *played]
    *_, reply = send(session, "\n".join([*lines, f"kata-raw-nn {position['symmetry']}"]) + "\n")
    answer, expected = answer_of(reply), case["expected"]
    tolerances = {"whiteWin": 1e-3, "whiteLoss": 1e-3, "noResult": 1e-3, "policyPass": 1e-3}
    tolerances |= {"policy": 1e-3, "whiteOwnership": 2e-3, "whiteScoreSelfplaySq": 0.1}
    assert set(answer) == set(expected)
    for name, found in answer.items():
        wanted = np.array(expected[name], float)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
        np.testing.assert_allclose(found, wanted, atol=tolerances.get(name, 0.02), rtol=0, err_msg=name)


@pytest.mark.slow
def test_b6_takes_the_last_stones_of_a_won_game(capsys: pytest.CaptureFixture[str]) -> None:
    thinker = load_katago_thinker(
        FOLDER / "g170-b6c96-s175395328-d26788732.bin.gz", SearchConfig(num_simulations=16, gumbel_scale=0.0)
    )
    session = new_session(thinker, EngineConfig(), 5)
    send(session, "komi 0\n" + "\n".join(f"play b {v}\nplay w {w}" for v, w in (("c3", "a1"), ("c2", "e5"))) + "\n")
    (reply,) = send(session, "kata-genmove_analyze b 100\n")
    winrate = float(reply.split("winrate ")[1].split()[0])
    assert winrate > 0.9
    assert reply.split("\n")[-1].startswith("play ")
    assert session.game.num_moves == 5
