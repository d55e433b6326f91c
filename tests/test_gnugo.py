"""GNU Go as a second judge of the rules: what docs/rules.md says of it, and games on which it must agree.

All of it is slow, and skipped where GNU Go is not installed (Debian: `apt install gnugo`).

*Source:* docs/rules.md, "Beside other rules"; the answers were read off GNU Go 3.8.
"""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from gnugo import GnuGo, gnugo_path
from gnugo_games import (
    FORGETS,
    MISSES_SUICIDES,
    GnuGoGame,
    differences,
    empty_setting,
    finished_game,
    options_of,
    random_gnugo_game,
)

from research.evaluation.gnugo import KO_OPTIONS
from research.go.coords import action_from_gtp

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(gnugo_path() is None, reason="GNU Go is not installed (Debian: apt install gnugo)"),
]

SETTING = empty_setting(5, "positional", True, max_moves=50)


def played(size: int, moves: str, *options: str) -> GnuGo:
    """GNU Go after moves by name, Black and White in turn."""
    gnugo = GnuGo(size, options)
    for number, move in enumerate(moves.split()):
        gnugo.play(number % 2, action_from_gtp(move, size))
    return gnugo


def is_legal(gnugo: GnuGo, player: int, move: str) -> bool:
    return action_from_gtp(move, gnugo.size) in gnugo.legal(player)


@pytest.fixture(scope="module")
def games() -> list[GnuGoGame]:
    with GnuGo(SETTING.rows, options_of(SETTING)) as gnugo:
        rng = random.Random(1)
        return [random_gnugo_game(gnugo, SETTING, rng) for _ in range(30)]


KO = "B5 C5 A4 B4 B3 D4 pass C3 C4"  # Black has just taken a stone on B4


def test_a_command_that_is_refused_says_so():
    with played(5, "C3") as gnugo, pytest.raises(ValueError, match="illegal move"):
        gnugo.play(1, action_from_gtp("C3", 5))


def test_stones_captures_and_scores_come_as_the_library_counts_them():
    with played(5, KO, "--chinese-rules") as gnugo:
        assert gnugo.stones(0) == sorted(action_from_gtp(name, 5) for name in ("B5", "A4", "B3", "C4"))
        assert (gnugo.num_captured_by(0), gnugo.num_captured_by(1)) == (1, 0)
    for komi, score in ((25, 0), (24.5, 0.5), (30, -5)):
        with played(5, "C3 pass pass", "--chinese-rules") as gnugo:
            gnugo.ask(f"komi {komi}")
            assert gnugo.score() == score


@pytest.mark.parametrize(
    ("option", "at_once", "after_passes"),
    [
        ("--no-ko", True, True),
        ("--simple-ko", False, True),
        ("--positional-superko", False, False),
        ("--situational-superko", False, False),
    ],
)
def test_passes_lift_a_simple_ko_and_never_a_superko(option, at_once, after_passes):
    with played(5, KO, option) as gnugo:
        assert is_legal(gnugo, 1, "B4") == at_once
        assert is_legal(gnugo, 0, "B4")
        gnugo.play(1, 25)
        gnugo.play(0, 25)
        assert is_legal(gnugo, 1, "B4") == after_passes


def test_superko_bans_the_set_up_position_that_the_game_began_on(tmp_path):
    path = tmp_path / "ko.sgf"
    path.write_text("(;GM[1]FF[4]SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc]PL[B])")
    for option, may_retake in (("--simple-ko", True), ("--positional-superko", False)):
        with GnuGo(5, [option]) as gnugo:
            gnugo.ask(f"loadsgf {path}")
            for player, move in ((0, "C4"), (1, "pass"), (0, "pass")):
                gnugo.play(player, action_from_gtp(move, 5))
            assert is_legal(gnugo, 1, "B4") == may_retake


@pytest.mark.parametrize(
    ("option", "one", "two"),
    [
        ("--forbid-suicide", False, False),
        ("--allow-suicide", False, True),
        ("--allow-all-suicide", True, True),
    ],
)
def test_suicide_of_one_stone_and_of_two_are_options(option, one, two):
    with played(5, "A2 C5 B1 B5 pass A4 pass B4 pass C4", option) as gnugo:
        gnugo.play(0, action_from_gtp("E5", 5))
        assert is_legal(gnugo, 1, "A1") == one
    with played(5, "A5 B4 pass C5 pass A4", option) as gnugo:
        assert is_legal(gnugo, 0, "B5") == two


def test_a_third_repetition_under_simple_ko_and_moves_after_two_passes_are_played():
    with played(5, KO, "--simple-ko") as gnugo:
        for _ in range(4):
            for player, move in ((1, "pass"), (0, "pass"), (1, "B4"), (0, "pass"), (1, "pass"), (0, "C4")):
                gnugo.play(player, action_from_gtp(move, 5))
        assert gnugo.num_captured_by(0) == 5


def test_a_handicap_stone_gives_white_a_point_by_chinese_rules_alone():
    for rules, score in (("--chinese-rules", 0), ("--japanese-rules", 7)):
        with GnuGo(7, [rules]) as gnugo:
            gnugo.ask("komi 0")
            gnugo.ask("set_free_handicap D1 D2 D3 D4 D5 D6 D7")
            for row in range(1, 8):
                gnugo.play(1, action_from_gtp(f"E{row}", 7))
            assert gnugo.score() == score


@pytest.mark.parametrize("size", [1, 19])
def test_boards_go_from_one_to_nineteen(size):
    with GnuGo(size) as gnugo:
        assert len(gnugo.legal(0)) == (size**2 if size > 1 else 0)
        with pytest.raises(ValueError, match="unacceptable size"):
            gnugo.ask("boardsize 20")


def test_random_games_agree_but_for_suicides_that_repeat_a_board(games):
    found = differences(SETTING, games)
    assert {difference.rule for difference in found} == {MISSES_SUICIDES}


@pytest.mark.parametrize("ko", KO_OPTIONS)
def test_random_games_without_suicide_agree_in_everything(ko):
    setting = empty_setting(5, ko, False, max_moves=50)
    with GnuGo(5, options_of(setting)) as gnugo:
        rng = random.Random(2)
        games = [random_gnugo_game(gnugo, setting, rng) for _ in range(20)]
    assert sum(game.captured[-1].sum() for game in games) > 50
    assert differences(setting, games) == []


def test_superko_forgets_the_first_moves_of_five_hundred():
    with played(5, KO, "--positional-superko") as gnugo:
        num_moves = len(KO.split())
        while not is_legal(gnugo, 1, "B4"):
            gnugo.play(num_moves % 2, 25)
            num_moves += 1
        assert num_moves == 501


def test_long_random_games_agree_but_for_what_superko_forgets():
    setting = empty_setting(4, "positional", False, max_moves=700)
    with GnuGo(4, options_of(setting)) as gnugo:
        rng = random.Random(3)
        games = [random_gnugo_game(gnugo, setting, rng) for _ in range(4)]
    assert {difference.rule for difference in differences(setting, games)} == {FORGETS}


def tampered(game: GnuGoGame) -> Iterator[GnuGoGame]:
    """The game with one of GNU Go's answers at the last ply changed."""
    for name in ("legal", "captured", "board"):
        answers = getattr(game, name).copy()
        answers[-1].flat[0] = 1 - answers[-1].flat[0]
        yield game._replace(**{name: answers})


def test_one_wrong_answer_is_found_and_not_explained(games):
    game = games[0]
    assert not np.array_equal(game.captured[-1], [0, 0])
    known = len(differences(SETTING, [game]))
    for wrong in tampered(game):
        found = differences(SETTING, [wrong])
        assert len(found) == known + 1
        assert sum(difference.rule is None for difference in found) == 1


@pytest.mark.parametrize("size", [7, 9])
def test_scores_of_games_that_gnu_go_plays_to_the_end_agree(size):
    game = finished_game(size, seed=1)
    assert game.num_moves > 20
    assert game.score == game.gnugo_score
