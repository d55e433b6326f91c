"""Every form of a point's name converts to every other, on every size, and nonsense is refused."""

import pytest

from research.go import coords

SIZES = range(2, 20)

# Published examples on 19x19: GTP, (row, column), action, influence index.
EXAMPLES = [
    ("A1", (18, 0), 342, 0),
    ("T1", (18, 18), 360, 18),
    ("T19", (0, 18), 18, 360),
    ("D4", (15, 3), 288, 60),
    ("D16", (3, 3), 60, 288),
    ("Q4", (15, 15), 300, 72),
    ("K10", (9, 9), 180, 180),
    ("H8", (11, 7), 216, 140),
    ("C3", (16, 2), 306, 40),
    ("A2", (17, 0), 323, 19),
]


@pytest.mark.parametrize(("gtp", "point", "action", "influence"), EXAMPLES)
def test_published_examples_agree_in_every_form(gtp, point, action, influence):
    assert coords.point_from_gtp(gtp, 19) == point
    assert coords.gtp_from_point(point, 19) == gtp
    assert coords.action_from_point(point, 19) == action
    assert coords.influence_from_point(point, 19) == influence


@pytest.mark.parametrize("size", SIZES)
def test_every_action_survives_every_round_trip(size):
    for action in range(size * size + 1):
        point = coords.point_from_action(action, size)
        assert coords.action_from_point(point, size) == action
        assert coords.point_from_gtp(coords.gtp_from_point(point, size), size) == point
        assert coords.point_from_sgf(coords.sgf_from_point(point, size), size) == point
        assert coords.action_from_gtp(coords.gtp_from_action(action, size), size) == action


@pytest.mark.parametrize("size", SIZES)
def test_influence_indices_start_at_a1_and_go_up_row_by_row(size):
    points = [coords.point_from_influence(index, size) for index in range(size * size)]
    assert points[0] == (size - 1, 0)
    assert points[size] == (size - 2, 0)
    assert points[-1] == (0, size - 1)
    assert [coords.influence_from_point(point, size) for point in points] == list(range(size * size))


def test_sgf_counts_columns_first_and_from_the_top():
    assert coords.sgf_from_point((15, 3), 19) == "dp"
    assert coords.point_from_sgf("dp", 19) == (15, 3)


def test_a_pass_has_a_name_in_every_form_that_knows_passes():
    assert coords.gtp_from_point(None, 9) == "pass"
    assert coords.action_from_point(None, 9) == 81
    assert coords.sgf_from_point(None, 9) == ""
    assert coords.point_from_action(81, 9) is None
    assert coords.point_from_sgf("", 9) is None
    assert coords.point_from_sgf("tt", 19) is None


@pytest.mark.parametrize("text", ["d4", "D4", " d4 "])
def test_gtp_letters_may_have_any_case(text):
    assert coords.point_from_gtp(text, 9) == (5, 3)


@pytest.mark.parametrize("text", ["PASS", "pass", "Pass"])
def test_gtp_pass_may_have_any_case(text):
    assert coords.point_from_gtp(text, 9) is None


@pytest.mark.parametrize(
    "text", ["", "D", "4", "4D", "D0", "D10", "K1", "D-1", "D4.0", "D4 D5", "Z1", "É1", "D²", "resign"]
)
def test_gtp_nonsense_and_points_off_a_9x9_board_are_refused(text):
    with pytest.raises(ValueError, match=r"no point|off the board"):
        coords.point_from_gtp(text, 9)


def test_the_column_that_gtp_leaves_out_has_its_own_message():
    with pytest.raises(ValueError, match="no column I"):
        coords.point_from_gtp("i5", 9)


@pytest.mark.parametrize("text", ["a", "aaa", "AA", "a1", "jj", "tt!", "zz"])
def test_sgf_nonsense_and_points_off_a_9x9_board_are_refused(text):
    with pytest.raises(ValueError, match=r"no SGF point|off the board"):
        coords.point_from_sgf(text, 9)


@pytest.mark.parametrize(
    "convert",
    [
        lambda: coords.point_from_action(82, 9),
        lambda: coords.point_from_action(-1, 9),
        lambda: coords.action_from_point((9, 0), 9),
        lambda: coords.action_from_point((0, -1), 9),
        lambda: coords.gtp_from_point((0, 9), 9),
        lambda: coords.point_from_influence(81, 9),
        lambda: coords.influence_from_point((-1, 0), 9),
        lambda: coords.point_from_action(0, 20),
        lambda: coords.action_from_point(None, 1),
    ],
)
def test_numbers_off_the_board_are_refused(convert):
    with pytest.raises(ValueError, match=r"allowed|off the board"):
        convert()
