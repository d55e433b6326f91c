"""Matches between engines: the schedule, games at once, what records come to.

*Source:* none.
"""

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from research.evaluation.engines import Engine
from research.evaluation.intervals import wilson_interval
from research.evaluation.outside_game import GameConfig, MatchError, PlayedGame, record_of
from research.evaluation.outside_match import (
    OpeningConfig,
    pairing,
    play_match,
    random_opening,
    read_openings,
    summarise_records,
)
from research.evaluation.outside_report import elo_lines, match_table, notes
from research.go.rules import Rules
from research.interop import sgf

SCRIPT = Path(__file__).parents[1] / "scripted_engine.py"
RULES = Rules(size=3, komi=0)
CONFIG = GameConfig(size=3, komi=0.5, set_up_timeout_s=20.0)


def engine(name: str, *options: str) -> Engine:
    return Engine(name, (sys.executable, "-S", str(SCRIPT), *options), 20.0)


def record(black: str, white: str, result: str, moves: int = 2, reason: str = "two passes") -> sgf.Record:
    """A game in which Black and White pass so often in all."""
    colours = ("black", "white")
    game = PlayedGame(
        tuple((colours[ply % 2], None) for ply in range(moves)),
        result,
        reason,
        {},
        dict.fromkeys(colours, 0.0),
        dict.fromkeys(colours, 1),
    )
    (found,) = sgf.parse(sgf.write(record_of(game, CONFIG, {"black": black, "white": white}, {})))
    return found


def test_both_games_of_a_pair_begin_alike_with_the_colours_swapped() -> None:
    games = [pairing(number, Rules(size=9), OpeningConfig(num_plies=4, seed=3)) for number in range(1, 41)]
    assert [game.first_is_black for game in games] == [True, False] * 20
    openings = [game.opening for game in games]
    assert openings[::2] == openings[1::2]
    assert len(set(openings)) == 20
    assert len({game.seed for game in games}) == 40
    assert games[6] == pairing(7, Rules(size=9), OpeningConfig(num_plies=4, seed=3))
    assert games[6] != pairing(7, Rules(size=9), OpeningConfig(num_plies=4, seed=4))


def test_listed_openings_are_taken_in_turn() -> None:
    listed = read_openings("B2 A1 # the centre\n\n# nothing\nC3 pass a2\n", RULES)
    assert listed == (((1, 1), (2, 0)), ((0, 2), None, (1, 0)))
    games = [pairing(number, RULES, OpeningConfig(listed=listed)) for number in range(1, 7)]
    assert [game.opening for game in games] == [listed[0]] * 2 + [listed[1]] * 2 + [listed[0]] * 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [("B2\nB9", "line 2: 'B9' is off the board"), ("B2 B2", "line 1: B2 is illegal there"), ("#", "no openings")],
)
def test_a_wrong_opening_is_named_by_its_line(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        read_openings(text, RULES)


def test_random_openings_are_legal_and_keep_off_the_edge_of_larger_boards() -> None:
    opening = random_opening(Rules(size=9), 6, random.Random(1))
    assert len(set(opening)) == 6
    assert all(1 <= place <= 7 for point in opening if point is not None for place in point)
    assert random_opening(RULES, 0, random.Random(1)) == ()
    assert len(random_opening(RULES, 30, random.Random(1))) <= 30


def test_a_match_gives_its_games_as_they_end_with_engines_of_their_own_for_each_table() -> None:
    made = []

    def make(name: str, moves: str = "") -> Engine:
        made.append(engine(name, "--moves", moves))
        return made[-1]

    pairings = [pairing(number, RULES, OpeningConfig(num_plies=0)) for number in range(1, 7)]
    makers = (lambda: make("one", "B2"), lambda: make("two"))
    results = dict(play_match(pairings, makers, CONFIG, num_parallel=2))
    assert sorted(game.number for game in results) == [1, 2, 3, 4, 5, 6]
    assert {(game.first_is_black, played.result) for game, played in results.items()} == {
        (True, "B+8.5"),
        (False, "W+9.5"),
    }
    assert [found.name for found in made] == ["one", "two"] * 2
    assert all(found._process is None for found in made)
    assert sum(found.num_starts for found in made) in (2, 4)  # one table may have played everything


def test_leaving_a_match_ends_its_engines_at_once() -> None:
    made = [engine("one"), engine("two", "--moves", "pass hang")]
    pairings = [pairing(number, RULES, OpeningConfig(num_plies=0)) for number in (1, 2, 3)]
    games = play_match(pairings, (lambda: made[0], lambda: made[1]), CONFIG)
    next(games)
    games.close()
    assert all(found._process is None for found in made)


def test_an_engine_that_cannot_begin_ends_the_match() -> None:
    pairings = [pairing(number, RULES, OpeningConfig()) for number in (1, 2)]
    makers = (lambda: engine("one"), lambda: engine("two", "--refuse", "boardsize 3"))
    with pytest.raises(MatchError, match="two refuses 'boardsize 3'"):
        list(play_match(pairings, makers, CONFIG))


RECORDS = [
    record("one", "two", "B+8.5"),
    record("two", "one", "W+R", 3, "two resigned"),
    record("one", "two", "W+F", 4, "one played A1, which is illegal"),
    record("two", "one", "0", 5),
    record("two", "one", "Void", 6),
    record("one", "two", "B+8.5"),
]


def test_records_are_counted_for_the_first_player_by_colour() -> None:
    summary = summarise_records("one", "two", RECORDS)
    black, white = summary.as_black, summary.as_white
    assert (black.wins, black.draws, black.losses) == (2, 0, 1)
    assert (white.wins, white.draws, white.losses) == (1, 1, 0)
    assert (summary.num_without_result, summary.num_distinct_games, summary.num_plies) == (1, 5, 22)
    assert summary.endings == {"score": 3, "resignation": 1, "forfeit": 1}
    assert summary.num_forfeits == {"one": 1, "two": 0}
    assert summary.disputes == [": one played A1, which is illegal"]
    turned = summarise_records("two", "one", RECORDS)
    assert (turned.as_white.wins, turned.as_white.losses, turned.total.draws) == (1, 2, 1)


def test_a_game_of_somebody_else_is_refused() -> None:
    with pytest.raises(MatchError, match="a game of one and three; wanted are one and two"):
        summarise_records("one", "two", [record("one", "three", "B+1")])


def test_the_report_says_what_the_table_does_not() -> None:
    summary = summarise_records("one", "two", RECORDS)
    table = match_table(summary, "title")
    cells = [list(column.cells) for column in table.columns]
    assert cells[0] == ["as Black", "as White", "both"]
    assert cells[2] == ["2-0-1", "1-1-0", "3-1-1"]
    low, high = wilson_interval(3.5, 5)
    assert cells[5][2] == f"{low:.1%}-{high:.1%}"
    lines = "\n".join(notes(summary))
    assert "6 games, 5 of them distinct, 4 plies a game; ended: 3 by score, 1 by resignation, 1 by forfeit" in lines
    assert "one lost 1 by forfeit" in lines
    assert "warning" not in lines
    assert elo_lines(summary, RECORDS)[0].startswith("Elo difference +")


def test_a_match_of_repeated_games_is_warned_of_and_an_empty_one_has_a_table() -> None:
    repeated = summarise_records("one", "two", [RECORDS[0]] * 8)
    assert any(line.startswith("warning: most games repeat others") for line in notes(repeated))
    nothing = summarise_records("one", "two", [])
    assert notes(nothing) == ["no game has been played yet"]
    assert elo_lines(nothing, []) == []
    counts = Counter(cell for column in match_table(nothing, "").columns[1:] for cell in column.cells)
    assert counts == {"0": 3, "-": 12}
