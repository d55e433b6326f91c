"""Ko, simple and super, a diagram each, put to research.go and to the referee alike.

Small letters are empty points with names, X is black, O is white, and Black moves first unless the test says otherwise.
Most tests ask the same of all three ko rules, and say where they part.

*Source:* the Tromp-Taylor rules, rule 6; the triple ko, eternal life and sending two, returning one are the positions
of KataGo's cpp/tests/testrules.cpp, turned to fit.
"""

import pytest
from diagrams import KO_RULES, SUPERKO, Make, drawing
from referee import BLACK, WHITE

TWO_POINT_EYE = """
    abO
    OO.
"""


@pytest.mark.parametrize(("ko", "is_legal"), [("simple", True), ("positional", False), ("situational", True)])
def test_suicide_may_not_bring_the_start_back_under_superko(make: Make, ko: str, is_legal: bool) -> None:
    """Black fills two points and is gone: the start, but with White to move, which situational superko lets pass."""
    assert make(TWO_POINT_EYE, suicide=True, ko=ko).play("a pass").is_legal("b") is is_legal


@pytest.mark.parametrize("ko", SUPERKO)
def test_suicide_may_not_bring_an_old_situation_back(make: Make, ko: str) -> None:
    """With White to move first, Black's second suicide would leave the start with White to move again."""
    position = make(TWO_POINT_EYE, suicide=True, ko=ko, to_play=WHITE).play("pass a pass")
    assert not position.is_legal("b")


KO = """
    .XO.
    XabO
    .XOc
    ...d
"""


@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize("suicide", [False, True])
def test_a_ko_may_not_be_taken_back_at_once(make: Make, ko: str, suicide: bool) -> None:
    position = make(KO, to_play=WHITE, ko=ko, suicide=suicide).play("a b")
    assert position.board == drawing("""
        .XO.
        X.XO
        .XO.
        ....
    """)
    assert position.legal_names() == "cd"


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_ko_may_be_taken_back_after_a_threat_and_its_answer(make: Make, ko: str) -> None:
    position = make(KO, to_play=WHITE, ko=ko).play("a b c d a")
    assert position.board == drawing("""
        .XO.
        XO.O
        .XOO
        ...X
    """)
    assert not position.is_legal("b")  # now Black has to wait


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_ko_in_the_corner_is_a_ko(make: Make, ko: str) -> None:
    position = make(
        """
        abO
        XOc
        X..
    """,
        to_play=WHITE,
        ko=ko,
    ).play("a b")
    assert position.board == drawing("""
        .XO
        XO.
        X..
    """)
    assert position.legal_names() == "c"


@pytest.mark.parametrize(("ko", "is_legal"), [("simple", True), ("positional", False), ("situational", False)])
def test_a_pass_lifts_the_ko_ban_but_no_superko(make: Make, ko: str, is_legal: bool) -> None:
    """White passes, and is then asked what he could have done instead, had Black not moved."""
    position = make(KO, to_play=WHITE, ko=ko).play("a b pass").turn_to(WHITE)
    assert position.is_legal("a") is is_legal


@pytest.mark.parametrize(("ko", "is_legal"), [("simple", True), ("positional", False), ("situational", False)])
def test_giving_the_other_side_the_move_lifts_the_ban_and_keeps_the_history(
    make: Make, ko: str, is_legal: bool
) -> None:
    position = make(KO, to_play=WHITE, ko=ko).play("a b").turn_to(BLACK)
    assert position.to_play == BLACK
    assert position.is_legal("a")  # Black may fill the ko
    assert position.turn_to(WHITE).is_legal("a") is is_legal


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_snapback_is_no_ko(make: Make, ko: str) -> None:
    """White takes the stone at `a` by joining at `b`; his chain then has one liberty, `a`, but it is not alone."""
    position = make(
        """
        XOabX
        XOOOX
        .XXX.
    """,
        ko=ko,
    ).play("a b")
    assert position.board == drawing("""
        XO.OX
        XOOOX
        .XXX.
    """)
    assert position.play("a").board == drawing("""
        X.X.X
        X...X
        .XXX.
    """)


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_lone_stone_that_took_two_may_be_taken_at_once(make: Make, ko: str) -> None:
    """White's stone at `a` stands alone with one liberty, but two stones came off: Black returns one."""
    position = make(
        """
        .OOX.
        ObcaX
        .OOX.
    """,
        ko=ko,
    ).play("b pass c a")
    assert position.board == drawing("""
        .OOX.
        O..OX
        .OOX.
    """)
    assert position.play("c").board == drawing("""
        .OOX.
        O.X.X
        .OOX.
    """)


SEND_TWO = """
    bXXOX
    XO.OX
    aOOOX
    OOXXX
    XXX..
"""
SEND_TWO_NAMES = """
    .....
    c....
"""


def test_sending_two_and_returning_one_goes_on_for_ever_under_simple_ko(make: Make) -> None:
    position = make(SEND_TWO, names=SEND_TWO_NAMES, ko="simple")
    for _ in range(3):
        position.play("a b c pass")
        assert position.board == drawing(SEND_TWO.replace("a", ".").replace("b", "."))


def test_sending_two_and_returning_one_repeats_the_position(make: Make) -> None:
    """Black's return at `c` makes the start whole again; positional superko does not ask who is to move."""
    position = make(SEND_TWO, names=SEND_TWO_NAMES, ko="positional").play("a b")
    assert not position.is_legal("c")


def test_sending_two_again_repeats_the_situation(make: Make) -> None:
    """Returning one leaves the start with White to move, which is new; sending two once more is not."""
    position = make(SEND_TWO, names=SEND_TWO_NAMES, ko="situational").play("a b c pass")
    assert not position.is_legal("a")


@pytest.mark.parametrize(("ko", "legal"), [("simple", "f"), ("positional", ""), ("situational", "")])
def test_the_sixth_move_of_a_triple_ko_is_banned_by_superko(make: Make, ko: str, legal: str) -> None:
    """Black has just taken at `e`, so White may not retake at `b`; taking at `f` would make the start whole.

    (At `a` White would fill his last liberty.)
    """
    position = make(
        """
        OOOOOOO
        OXOaOcO
        XbXOXOX
        XXXXXXX
        OOOOOOO
    """,
        names="""
        .......
        .e.a.c.
        .b.d.f.
    """,
        ko=ko,
    ).play("a b c d e")
    assert position.to_play == WHITE
    assert position.legal_names() == legal


@pytest.mark.parametrize(("ko", "is_legal"), [("simple", True), ("positional", False), ("situational", False)])
def test_the_fourth_move_of_eternal_life_is_banned_by_superko(make: Make, ko: str, is_legal: bool) -> None:
    """Two and two stones are taken in turn: no simple ko, yet four plies bring the start back."""
    position = make(
        """
        .OaXbOX.
        XOOOXXOO
        XXXXXO..
        OOOOOO..
    """,
        names="""
        ...c.d..
    """,
        size=8,
        ko=ko,
    ).play("a b c")
    assert position.board == drawing("""
        .O.X..X.
        XOOOXXOO
        XXXXXO..
        OOOOOO..
    """)
    assert position.is_legal("d") is is_legal


TWO_BY_TWO = """
    ab
    cd
"""


@pytest.mark.parametrize("ko", SUPERKO)
def test_on_two_by_two_the_first_stone_may_not_come_back(make: Make, ko: str) -> None:
    """White has filled all but `a`. Taking his three stones there would leave the position after the first move."""
    position = make(TWO_BY_TWO, size=2, ko=ko).play("a b c d a c")
    assert position.board == drawing("""
        .O
        OO
    """)
    assert position.legal_names() == ""
    assert position.is_legal("pass")


@pytest.mark.parametrize(("ko", "legal"), [("positional", "cd"), ("situational", "acd")])
def test_the_two_superko_rules_part_where_the_other_side_is_to_move(make: Make, ko: str, legal: str) -> None:
    """Black at `a` would leave the position after two moves, but now with White to move, as White has passed once."""
    position = make(TWO_BY_TWO, size=2, ko=ko).play("a b c pass d b")
    assert position.board == drawing("""
        .O
        ..
    """)
    assert position.legal_names() == legal


def test_a_set_up_ban_holds_for_one_move(make: Make) -> None:
    text = """
        .XO.
        XaXO
        .XOc
        ...d
    """
    assert make(text, to_play=WHITE).is_legal("a")
    assert not make(text, to_play=WHITE, ban="a").is_legal("a")
    assert make(text, to_play=WHITE, ban="a").play("c d").is_legal("a")
    assert make(text, to_play=WHITE, ban="a").play("pass").is_legal("a")  # Black fills
