"""Positions out of records: our game follows a record, and the referee sees the same board.

*Source:* the referee is tests/referee.py.
"""

import random
from dataclasses import replace

import jax
import numpy as np
import pytest
from referee import BLACK, WHITE, Referee, new_game

from research import go
from research.interop import sgf
from research.interop.sgf.legality import check_moves
from research.interop.sgf.points import Shape

SIZE = 5


def position(text: str, num_moves: int | None = None) -> tuple[go.Go, go.GoState]:
    """The game of a record's rules, and the position after some moves."""
    (record,) = sgf.parse(text)
    game = go.Go(sgf.rules_of(record))
    return game, sgf.replay(game, record, num_moves)


def diagram(state: go.GoState) -> str:
    """The stones, a row a word."""
    return " ".join("".join(".XO"[stone] for stone in row) for row in np.asarray(go.board(state)))


def random_record(rng: random.Random) -> tuple[sgf.Record, Referee]:
    """A record in which colours need not alternate and passes end nothing, and the referee at its end."""
    referee = new_game(SIZE, ko="simple", suicide=True, max_moves=10_000)
    events = []
    for _ in range(rng.randrange(48)):
        if rng.random() < 0.15:
            referee = referee.with_to_play(WHITE if referee.to_play == BLACK else BLACK)
        referee = replace(referee, num_passes=0)
        legal = [action for action, is_legal in enumerate(referee.legal_actions()) if is_legal]
        action = rng.choice(legal)
        point = None if action == SIZE * SIZE else divmod(action, SIZE)
        events.append(("black" if referee.to_play == BLACK else "white", point))
        referee = referee.step(action)
    moves = "".join(f";{colour[0].upper()}[{name_of(point)}]" for colour, point in events)
    return sgf.parse(f"(;SZ[{SIZE}]RU[ko simple, scoring area, tax none, suicide yes]{moves})")[0], referee


def name_of(point: tuple[int, int] | None) -> str:
    """SGF's name of a point."""
    return "" if point is None else "abcde"[point[1]] + "abcde"[point[0]]


def test_the_board_is_the_referees_after_any_record() -> None:
    rng, game = random.Random(3), go.Go(go.Rules(size=SIZE, ko="simple", suicide=True, max_moves=None))
    legal = jax.jit(game.legal_actions)
    for _ in range(60):
        record, referee = random_record(rng)
        assert sgf.rules_of(record) == game.rules
        state = sgf.replay(game, record)
        assert record.first_illegal_move is None
        assert diagram(state).replace(" ", "") == referee.board
        assert int(state.to_play) == (referee.to_play == WHITE)
        if not bool(state.passes >= 2):
            assert list(np.asarray(legal(state))) == replace(referee, num_passes=0).legal_actions()


def test_the_host_finds_the_first_illegal_move_that_the_referee_finds() -> None:
    rng = random.Random(4)
    reasons = {"occupied": "the point is occupied", "ko": "it retakes the ko at once", "suicide": "suicide"}
    seen = set()
    for number in range(400):
        suicide = number % 2 == 0
        referee = new_game(3 + number % 2, ko="simple", suicide=suicide, max_moves=10_000)
        rows, events, wanted = referee.rows, [], None
        while wanted is None and len(events) < 60:
            legal = [point for point, is_legal in enumerate(referee.legal_actions()[:-1]) if is_legal]
            points = range(referee.pass_action)
            empty = [point for point in points if referee.board[point] == "."]
            point = rng.choice(points if rng.random() < 0.03 else legal if legal and rng.random() < 0.7 else empty)
            events.append(("play", "black" if referee.to_play == BLACK else "white", divmod(point, rows)))
            wanted = referee.why_illegal(point)
            referee = referee.step(point)
        found = [finding for finding in check_moves(events, Shape(rows, rows), suicide) if finding.is_illegal]
        assert [(finding.move, finding.text) for finding in found] == [(len(events), reasons.get(wanted))] * (
            wanted is not None
        )
        seen.add((wanted, suicide))
    assert seen >= {(reason, suicide) for reason in reasons for suicide in (True, False)}


def test_moves_count_passes_and_the_next_move_tells_who_plays() -> None:
    text = "(;SZ[5]KM[5.5];B[aa];W[];B[];W[bb];W[cc];B[dd])"
    game, state = position(text, 3)
    assert diagram(state) == "X.... ..... ..... ..... ....."
    assert (int(state.num_moves), int(state.to_play), float(state.komi)) == (3, 1, 5.5)
    _, state = position(text, 4)
    assert int(state.to_play) == 1  # W[cc] follows W[bb]
    _, state = position(text)
    assert diagram(state) == "X.... .O... ..O.. ...X. ....."
    assert int(state.to_play) == 1
    assert not bool(game.is_over(state))


def test_handicap_stones_stand_before_the_first_move() -> None:
    for text in ("(;SZ[5]HA[2]AB[bb][dd])", "(;SZ[5]HA[2];AB[bb][dd];W[cc])", "(;SZ[5]AB[bb][dd]PL[W])"):
        _, state = position(text, 0)
        assert diagram(state) == "..... .X... ..... ...X. ....."
        assert int(state.to_play) == 1
    _, state = position("(;SZ[5]AB[bb]AW[dd])", 0)
    assert int(state.to_play) == 0


def test_set_up_between_moves_changes_the_position() -> None:
    text = "(;SZ[5];B[bb];W[cc];AE[bb]AW[aa]AB[cc];B[dd])"
    assert diagram(position(text, 1)[1]) == "..... .X... ..... ..... ....."
    assert diagram(position(text, 2)[1]) == "O.... ..... ..X.. ..... ....."
    assert diagram(position(text)[1]) == "O.... ..... ..X.. ...X. ....."


def test_the_history_of_superko_goes_along() -> None:
    around = "(;SZ[5]RU[AGA];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb])"
    game, state = position(around)
    assert game.rules.ko == "situational"
    assert int(state.num_moves) == 8
    assert not bool(game.legal_actions(state)[1 * 5 + 2])  # retakes the ko


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[5];B[aa];W[aa])", r"line 1, column 14: move 2, white at A5, is illegal: the point is occupied"),
        ("(;SZ[5];B[ba];W[ab];B[bb];W[aa])", None),
        ("(;SZ[5];B[ba];W[dd];B[ab];W[aa])", r"move 4, white at A5, is illegal: suicide"),
        ("(;SZ[5]AB[aa]AW[ab][ba];B[cc])", r"the set-up after move 0 is no position: .*A5.* no liberty"),
    ],
)
def test_what_cannot_be_played_is_one_error_that_names_the_move(text: str, message: str | None) -> None:
    if message is None:
        position(text)
        return
    with pytest.raises(sgf.SgfError, match=message):
        position(text)


def test_an_illegal_move_does_not_matter_before_it_is_reached() -> None:
    assert diagram(position("(;SZ[5];B[aa];W[aa])", 1)[1]) == "X.... ..... ..... ..... ....."


def test_boards_and_numbers_that_cannot_be_are_refused() -> None:
    (record,) = sgf.parse("(;SZ[5];B[aa])")
    with pytest.raises(sgf.SgfError, match="move 2 was asked for; there are 1"):
        sgf.replay(go.Go(go.Rules(size=5)), record, 2)
    with pytest.raises(sgf.SgfError, match="the board has 5 lines, the game 9"):
        sgf.replay(go.Go(go.Rules(size=9)), record)
    with pytest.raises(sgf.SgfError, match="13x9"):
        sgf.rules_of(sgf.parse("(;SZ[13:9])")[0])
    with pytest.raises(sgf.SgfError, match="size=25"):
        sgf.rules_of(sgf.parse("(;SZ[25])")[0])


def test_rules_come_from_the_record() -> None:
    def rules(text: str) -> go.Rules:
        return sgf.rules_of(sgf.parse(f"(;SZ[9]{text})")[0])

    assert rules("RU[Tromp/Taylor]KM[7]") == go.rules_named("tromp-taylor", 9, 7.0)
    assert rules("RU[Japanese]") == go.Rules(size=9, komi=6.5, ko="simple")
    assert rules("") == rules("RU[my own]") == go.Rules(size=9, komi=7.5, ko="simple")
    assert rules("RU[koSITUATIONALscoreAREAtaxALLsui1]") == go.Rules(size=9, ko="situational", tax="all", suicide=True)
    assert rules("RU[koPOSITIONALscoreTERRITORYtaxSEKIsui0]") == go.Rules(size=9, ko="positional")


def test_a_record_longer_than_a_game_is_followed_to_its_end() -> None:
    game, state = position("(;SZ[2]" + ";B[aa];W[bb];B[ba];W[ab]" * 1 + ";B[];W[]" * 10 + ")")
    assert int(state.num_moves) == 24
    assert game.max_moves > 24
