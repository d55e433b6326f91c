"""The rules of Go, a diagram each, put to research.go and to the referee alike.

Small letters are empty points with names, X is black, O is white, and Black moves first unless the test says otherwise.
What stands in a test was worked out by hand from the rules. Ko has a file of its own, test_ko.py.

*Source:* the Tromp-Taylor rules, https://tromp.github.io/go.html.
"""

import pytest
from diagrams import KO_RULES, SIZE, Make, Position, drawing
from jaxtyping import TypeCheckError
from referee import BLACK, WHITE

from research import go


def test_a_capture_in_the_corner_takes_the_stone_off(make: Make) -> None:
    position = make("""
        OX.
        a..
        ...
    """).play("a")
    assert position.board == drawing("""
        .X.
        X..
        ...
    """)


def test_a_capture_on_the_side_takes_the_whole_chain_off(make: Make) -> None:
    position = make("""
        aOOX
        .XX.
    """).play("a")
    assert position.board == drawing("""
        X..X
        .XX.
    """)


def test_a_chain_with_a_liberty_left_stays(make: Make) -> None:
    position = make("""
        aOO.
        .XX.
    """).play("a")
    assert position.board == drawing("""
        XOO.
        .XX.
    """)


def test_one_stone_captures_several_chains_at_once(make: Make) -> None:
    position = make("""
        XOaOX
        .XOX.
        ..X..
    """).play("a")
    assert position.board == drawing("""
        X.X.X
        .X.X.
        ..X..
    """)


def test_a_chain_that_winds_around_is_one_chain(make: Make) -> None:
    """White's thirteen stones have one liberty between them, at the end of the spiral."""
    position = make("""
        OOOOX
        XXXOX
        OaXOX
        OXXOX
        OOOOX
        XXXX.
    """).play("a")
    assert position.board == drawing("""
        ....X
        XXX.X
        .XX.X
        .XX.X
        ....X
        XXXX.
    """)


def test_a_capture_gives_the_capturing_stone_its_liberties(make: Make) -> None:
    """Black's stone at `a` has no liberty until White's is off: not suicide."""
    position = make("""
        aOX
        OX.
        X..
    """).play("a")
    assert position.board == drawing("""
        X.X
        .X.
        X..
    """)
    assert position.to_play == WHITE


def test_a_stone_without_liberties_that_takes_nothing_is_illegal(make: Make) -> None:
    position = make(
        """
        aXb
        X.X
        cXd
    """,
        to_play=WHITE,
    )
    assert position.legal_names() == "bcd"  # `a` alone is closed on all sides


@pytest.mark.parametrize("ko", KO_RULES)
def test_suicide_of_one_stone_is_illegal_even_where_suicide_is_legal(make: Make, ko: str) -> None:
    corner = """
        aX
        X.
    """
    assert not make(corner, to_play=WHITE, suicide=True, ko=ko).is_legal("a")
    assert not make(corner, to_play=WHITE, suicide=False, ko=ko).is_legal("a")
    assert make(corner, to_play=BLACK, suicide=False, ko=ko).is_legal("a")


CLOSED_CORNER = """
    XaO
    XOO
    OO.
"""


@pytest.mark.parametrize("ko", KO_RULES)
def test_suicide_of_a_chain_takes_it_off_where_it_is_legal(make: Make, ko: str) -> None:
    position = make(CLOSED_CORNER, suicide=True, ko=ko).play("a")
    assert position.board == drawing("""
        ..O
        .OO
        OO.
    """)
    assert position.to_play == WHITE


@pytest.mark.parametrize("ko", KO_RULES)
def test_suicide_of_a_chain_is_illegal_otherwise(make: Make, ko: str) -> None:
    assert not make(CLOSED_CORNER, suicide=False, ko=ko).is_legal("a")
    assert make(CLOSED_CORNER, suicide=False, ko=ko, to_play=WHITE).play("a").board[0] == "."


def test_two_passes_in_a_row_end_the_game(make: Make) -> None:
    position = make("a").play("pass")
    assert not position.engine.is_over()
    assert position.play("pass").engine.is_over()


def test_passes_with_a_move_between_them_do_not_end_the_game(make: Make) -> None:
    position = make("a").play("pass a pass")
    assert not position.engine.is_over()
    assert position.play("pass").engine.is_over()


def test_after_the_end_pass_alone_is_left_and_nothing_changes(make: Make) -> None:
    position = make("aX").play("pass pass")
    before = everything(position)
    assert sum(position.engine.legal()) == 1
    assert position.is_legal("pass")
    for action in (0, 1, SIZE * SIZE):
        assert everything(position.try_action(action)) == before


def test_the_last_ply_ends_the_game(make: Make) -> None:
    position = make("ab", size=2, ko="simple", max_moves=3).play("a b")
    assert not position.try_action(0).engine.is_over()  # an illegal action is no ply
    position.play("pass")
    assert position.engine.is_over()
    assert sum(position.engine.legal()) == 1
    assert position.engine.outcome() == -1  # White has komi, and a stone each


@pytest.mark.parametrize("action", [-1, 0, 8, SIZE * SIZE + 1, 10**6])
def test_an_illegal_action_changes_nothing(make: Make, action: int) -> None:
    """0 is occupied, 8 is the ko that White may not take back, the rest are off the board."""
    position = make(
        """
        XXO.
        XabO
        .XO.
    """,
        to_play=WHITE,
    ).play("a b")
    before = everything(position)
    assert everything(position.try_action(action)) == before


def test_an_illegal_action_between_two_passes_does_not_part_them(make: Make) -> None:
    position = make("aX").play("pass").try_action(1)
    assert position.to_play == WHITE
    assert position.play("pass").engine.is_over()


def everything(position: Position) -> tuple:
    """All that an engine says of a position."""
    engine = position.engine
    return engine.board(), engine.legal(), engine.to_play(), engine.is_over(), engine.score(), engine.outcome()


WALLS = "\n".join(["..XO..."] * SIZE)  # 21 points for Black, 28 for White


@pytest.mark.parametrize(("komi", "outcome"), [(-7.0, 0), (-7.5, 1), (-6.5, -1)])
def test_integer_komi_can_draw_a_game(make: Make, komi: float, outcome: int) -> None:
    position = make(WALLS, komi=komi)
    assert position.engine.score() == -7 - komi
    assert position.engine.outcome() == 0  # not over
    assert position.play("pass pass").engine.outcome() == outcome


def test_an_empty_board_is_nobodys(make: Make) -> None:
    assert make("a", komi=0.5).engine.score() == -0.5


def test_one_stone_owns_an_empty_board(make: Make) -> None:
    assert make("a", komi=0.5).play("a").engine.score() == SIZE * SIZE - 0.5


def test_every_stone_counts_as_alive_and_spoils_the_territory_around_it(make: Make) -> None:
    """Black has 4 stones and 41 points outside; the corner borders on both colours; White has his one stone."""
    position = make(
        """
        .OX
        ..X
        XX.
    """,
        komi=0.5,
    )
    assert position.engine.score() == 4 + 41 - 1 - 0.5


def test_points_between_the_colours_are_nobodys(make: Make) -> None:
    """Black has 4 stones; White has 5 and the 38 points outside; `a` and `b` border on both."""
    position = make(
        """
        XaO
        XbO
        XXO
        OO.
    """,
        komi=0.0,
    )
    assert position.engine.score() == 4 - (5 + 38)


def test_white_may_begin_on_handicap_stones(make: Make) -> None:
    position = make(
        """
        .......
        .X...X.
        .......
        ...a...
        .......
        .X...X.
    """,
        to_play=WHITE,
        komi=0.5,
    ).play("a")
    assert position.to_play == BLACK
    assert position.engine.score() == 4 - 1 - 0.5


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"size": 1}, "size"),
        ({"size": 20}, "size"),
        ({"komi": 0.25}, "komi"),
        ({"komi": 500.0}, "komi"),
        ({"ko": "superko"}, "ko"),
        ({"scoring": "points"}, "scoring"),
        ({"tax": "some"}, "tax"),
        ({"max_moves": 0}, "max_moves"),
    ],
)
def test_rules_that_cannot_be_are_refused_by_name(settings: dict, field: str) -> None:
    with pytest.raises((ValueError, TypeCheckError), match=field):  # the type check of the tests may come first
        go.Rules(**settings)


@pytest.mark.parametrize("text", ["XO\nXX", "X.\n.", "X.\nZ.", "X..\n...\n..."])
def test_text_that_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        go.from_text(go.Rules(size=2), text)


def test_a_ban_on_a_stone_is_refused() -> None:
    with pytest.raises(ValueError, match="ko"):
        go.from_text(go.Rules(size=2), "X.\n..", ko=(0, 0))
