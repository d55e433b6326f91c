"""The engine's own game: legal moves as the referee's, undo, colours out of turn, repetition."""

import random
from dataclasses import replace

import numpy as np
import pytest
from referee import BLACK, WHITE, Referee, new_game

from research.evaluation.gtp_game import HostGame, Record, has_dead_chain
from research.go import coords
from research.go.rules import Rules

LETTER = {"black": BLACK, "white": WHITE}
SIZE = 4


def stones_of(game: HostGame) -> str:
    return "".join(".XO"[stone] for stone in game.stones().ravel())


def played(rules: Rules, moves: str) -> HostGame:
    """The game after moves such as "B D4 W C3", which must be legal."""
    game, words = HostGame(rules), moves.split()
    for letter, vertex in zip(words[::2], words[1::2], strict=True):
        colour, point = {"B": "black", "W": "white"}[letter], coords.point_from_gtp(vertex, rules.size)
        assert game.is_legal(colour, point), f"{letter} {vertex}"
        game.play(colour, point)
    return game


@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
@pytest.mark.parametrize("suicide", [False, True])
def test_legal_moves_boards_and_captures_are_the_referees(ko: str, suicide: bool) -> None:
    chance = random.Random(f"{ko} {suicide}")
    num_refused = 0
    for _ in range(3):
        game = HostGame(Rules(size=SIZE, ko=ko, suicide=suicide))  # type: ignore
        referee: Referee = new_game(SIZE, ko=ko, suicide=suicide, max_moves=1000)
        num_stones = 0
        for _ in range(60):
            if chance.random() < 0.15:  # a colour out of turn: no ko ban, as when a player is turned to
                colour = "white" if game.to_play == "black" else "black"
                referee = replace(referee, to_play=LETTER[colour], ko_point=None)
            else:
                colour = game.to_play
            legal = [coords.action_from_point(point, SIZE) for point in game.legal_points(colour)]
            wanted = referee.legal_actions()[:-1]
            assert legal == list(np.flatnonzero(wanted)), game.record
            num_refused += sum(not allowed for allowed in wanted) - (SIZE**2 - referee.board.count("."))
            action = chance.choice(legal) if legal and chance.random() > 0.05 else SIZE**2
            if action == SIZE**2 and referee.num_passes == 1:
                referee = replace(referee, num_passes=0)  # a controller's game goes on
            game.play(colour, coords.point_from_action(action, SIZE))
            referee = referee.step(action)
            num_stones += action != SIZE**2
            assert stones_of(game) == referee.board
            assert sum(game.captured.values()) == num_stones - np.count_nonzero(game.stones())
        again = HostGame(game.rules, game.record)
        assert (again.ko, again.seen, again.captured) == (game.ko, game.seen, game.captured)
    assert num_refused > 0, "nothing was illegal but occupied points"


def test_a_snapback_is_no_ko() -> None:
    setup = "B C3 W B2 B B4 W B3 B D2 W C5 B A3 W C4 B C1 W D3 B B1 W E3 B A2 W C2"
    game = played(Rules(size=5), setup)
    assert game.stones()[2, 2] == 0  # C3 was taken
    assert game.is_legal("black", (2, 2))


def test_ko_is_that_of_the_position_after_an_undo() -> None:
    rules = Rules(size=5, ko="simple")
    taken = played(rules, "B A2 W A1 B B1")
    assert taken.captured == {"black": 0, "white": 1}
    before = HostGame(rules, taken.record._replace(moves=taken.record.moves[:-1]))
    assert before.is_legal("black", coords.point_from_gtp("B1", 5))

    in_ko = "B B2 W C2 B A3 W D3 B B4 W C4 B C3 W B3"  # White took C3; Black may not retake at once
    game = played(rules, in_ko)
    assert not game.is_legal("black", coords.point_from_gtp("C3", 5))
    game.play("black", None)
    assert game.is_legal("black", coords.point_from_gtp("C3", 5))
    undone = HostGame(rules, game.record._replace(moves=game.record.moves[:-1]))
    assert not undone.is_legal("black", coords.point_from_gtp("C3", 5))
    assert undone.is_legal("white", coords.point_from_gtp("C3", 5))  # connecting is no retaking


@pytest.mark.parametrize(("ko", "is_void"), [("simple", True), ("positional", False)])
def test_the_third_time_a_position_comes_up_there_is_no_result_by_simple_ko_alone(ko: str, is_void: bool) -> None:
    # Black fills two points that White surrounds, again and again: each time the two stones are taken off.
    setup = tuple(("white", coords.point_from_gtp(vertex, 4)) for vertex in ("A2", "B2", "C1"))
    game = HostGame(Rules(size=4, ko=ko, suicide=True), Record(setup))  # type: ignore
    verdicts = []
    for num_times in range(1, 6):
        game.play("black", coords.point_from_gtp("A1", 4))
        game.play("black", coords.point_from_gtp("B1", 4))
        assert game.captured["black"] == 2 * num_times
        verdicts.append(game.is_no_result)
        if num_times == 2:
            game.play("black", None)  # by a pass all is forgotten
    assert verdicts == [False, False, False, is_void, is_void]  # the position after the pass is its first time
    before = HostGame(game.rules, game.record._replace(moves=game.record.moves[:-3]))
    assert not before.is_no_result


def test_a_dead_chain_in_a_set_up_is_seen() -> None:
    assert has_dead_chain(2, tuple(("black", point) for point in ((0, 0), (0, 1), (1, 0), (1, 1))))
    assert has_dead_chain(3, (("white", (0, 0)), ("black", (0, 1)), ("black", (1, 0))))
    assert not has_dead_chain(2, tuple(("black", point) for point in ((0, 0), (0, 1), (1, 0))))
