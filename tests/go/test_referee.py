"""The referee itself, against published facts: it judges research.go, so it is judged first.

The facts: how many legal positions and how many games small boards have (Tromp and Farnebäck counted them), KataGo's
liberty, capture and area maps, and KataGo's rules tests, rectangular boards included. The diagrams of test_rules.py are
put to the referee as well.

*Source:* J. Tromp, G. Farnebäck, Combinatorics of Go (2016), tables of positions and games; tests/data/README.md.
"""

from collections import Counter
from itertools import product

import pytest
from engines import OnReferee
from katago_cases import load, run_case
from pass_alive import area_map
from referee import BLACK, EMPTY, WHITE, Referee, diagram, liberties_at, new_game, put_stone

AREA_CASES = [
    (case, expected)
    for case in load("areas")
    if case["group"] == "area_benson"
    for expected in case["expected"]
    if expected["non_pass_alive_stones"]
]


@pytest.mark.parametrize(
    ("rows", "columns", "num_legal"),
    [(1, 1, 1), (1, 2, 5), (1, 3, 15), (1, 4, 41), (1, 5, 113), (2, 2, 57), (2, 3, 489), (3, 3, 12675)],
)
def test_the_number_of_legal_positions_is_the_published_one(rows: int, columns: int, num_legal: int) -> None:
    boards = map("".join, product((EMPTY, BLACK, WHITE), repeat=rows * columns))
    assert sum(is_legal_position(rows, columns, board) for board in boards) == num_legal


def is_legal_position(rows: int, columns: int, board: str) -> bool:
    """Whether the referee lets a game begin on `board`."""
    try:
        new_game(rows, columns, board=board)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("columns", "num_games"), [(1, 1), (2, 9), (3, 907)])
def test_the_number_of_games_on_one_row_is_the_published_one(columns: int, num_games: int) -> None:
    """A game here is a path of plays, by either player at any time, that never comes back to a position."""
    start = new_game(1, columns, ko="positional", suicide=True, max_moves=10**6)
    assert count_games(start) == num_games


def count_games(game: Referee) -> int:
    """This game, unfinished as it is, and every longer one."""
    either = (game.with_to_play(player) for player in (BLACK, WHITE))
    plays = (turn.step(point) for turn in either for point in range(game.pass_action) if turn.is_legal(point))
    return 1 + sum(count_games(longer) for longer in plays)


@pytest.mark.parametrize("case", [case for case in load("boards") if case["group"] == "board_liberties"])
def test_liberties_are_katagos(case: dict) -> None:
    game = new_game(9, board="".join(case["board"]))
    counted = "".join(
        EMPTY if game.board[point] == EMPTY else str(len(liberties_at(game, game.board, point))) for point in range(81)
    )
    assert diagram(counted, 9).split() == case["expected"]["liberties"]


@pytest.mark.parametrize("colour", [BLACK, WHITE])
@pytest.mark.parametrize("case", [case for case in load("boards") if case["group"] != "board_liberties"])
def test_what_a_play_would_do_is_katagos(case: dict, colour: str) -> None:
    game = new_game(9, board="".join(case["board"]), to_play=colour)
    what = liberties_after if case["group"] == "board_liberties_after_move" else is_capture
    found = diagram("".join(what(game, point) for point in range(81)), 9).split()
    assert found == case["expected"]["black" if colour == BLACK else "white"]


def liberties_after(game: Referee, point: int) -> str:
    """How many liberties a stone on `point` would have; 0 if it is taken off, `-` if the point is occupied."""
    if game.board[point] != EMPTY:
        return "-"
    board, _, lost = put_stone(game, point)
    return "0" if lost else str(len(liberties_at(game, board, point)))


def is_capture(game: Referee, point: int) -> str:
    """1 if a stone on `point` would take something, else 0."""
    return str(int(game.board[point] == EMPTY and bool(put_stone(game, point)[1])))


@pytest.mark.parametrize(("case", "expected"), AREA_CASES)
def test_areas_with_pass_dead_stones_off_are_katagos(case: dict, expected: dict) -> None:
    columns, rows = case["size"]
    game = new_game(rows, columns, suicide=expected["suicide_legal"], board="".join(case["board"]))
    assert diagram(area_map(game), columns).split() == expected["area"]


@pytest.mark.parametrize("case", load("rules"), ids=lambda case: case["id"])
def test_katagos_games_go_as_katago_says(case: dict) -> None:
    comparison = run_case(case, OnReferee)
    assert not comparison.differences, "\n".join(comparison.differences)


def test_katagos_games_ask_for_every_rule() -> None:
    """Guards the guard: were the cases skipped, nothing above could fail."""
    compared = sum((run_case(case, OnReferee).compared for case in load("rules")), Counter())
    assert compared["legality of a move"] > 400
    assert compared["legal_moves"] > 100
    assert compared["ko_illegal_points"] > 30
    assert compared["white_minus_black_score"] > 10


def test_a_position_with_a_stone_without_liberties_is_no_start() -> None:
    with pytest.raises(ValueError, match="without a liberty"):
        new_game(2, board="XO XX")


def test_a_board_of_the_wrong_size_is_no_start() -> None:
    with pytest.raises(ValueError, match="2 x 2"):
        new_game(2, board="XO X")
