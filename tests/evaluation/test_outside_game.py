"""A game between two engines: the referee's judgement, whatever the engines do, and what the record says of it.

*Source:* none.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research.evaluation.engines import Engine
from research.evaluation.gtp_rules import rule_set_named
from research.evaluation.outside_game import GameConfig, MatchError, PlayedGame, play_game, record_of
from research.go.coords import point_from_gtp
from research.interop import sgf

SCRIPT = Path(__file__).parents[1] / "scripted_engine.py"
CONFIG = GameConfig(size=3, komi=0.5, move_timeout_s=0.5, set_up_timeout_s=20.0)
NAMES = {"black": "one", "white": "two"}


def engine(name: str, *options: str) -> Engine:
    return Engine(name, (sys.executable, "-S", str(SCRIPT), *options), 20.0)


@contextmanager
def table(black: tuple[str, ...], white: tuple[str, ...]) -> Generator[dict[str, Engine]]:
    with engine("one", *black) as one, engine("two", *white) as two:
        yield {"black": one, "white": two}


def game_of(black: str, white: str, config: GameConfig = CONFIG, *, opening: str = "") -> PlayedGame:
    """The game in which the two answer so."""
    points = tuple(point_from_gtp(name, config.size) for name in opening.split())
    with table(("--moves", black), ("--moves", white)) as players:
        return play_game(players, config, points)


@pytest.mark.parametrize(
    ("black", "white", "result", "reason"),
    [
        ("B2", "pass", "B+8.5", "two passes"),
        ("PASS", "a1", "W+9.5", "two passes"),
        ("B2 resign", "A1", "W+R", "one resigned"),
        ("B2", "B2", "B+F", "two played B2, which is illegal"),
        ("B2", "D4", "B+F", "two played 'D4', which is no move"),
        ("I1", "", "W+F", "one played 'I1', which is no move"),
        ("B2", "=", "B+F", "two played '=', which is no move"),
        ("B2 crash", "A1", "W+F", "one: it ended; exit code 3; its last words: "),
        ("hang", "", "W+F", "one: no answer to 'genmove black' within 0.5 s"),
        ("B2", "refuse", "B+F", "two refuses to move: no idea"),
        ("flood", "", "W+F", "one: "),
    ],
)
def test_a_game_ends_as_the_rules_of_matches_say(black: str, white: str, result: str, reason: str) -> None:
    game = game_of(black, white)
    assert (game.result, game.reason[: len(reason)]) == (result, reason)


# What lies on the 4x4 board when Black has just taken a stone on B3:
#   . X O .
#   X . X O
#   . X O .
KO = ("B4 A3 B2 pass C3", "C4 D3 C2 B3")
# The shortest way to the same position three times on 2x2, found by trying.
ROUND = ["A2", "B2", "A1", "B1", "A2", "A1", "A2", "B1", "B2", "A1", "A2", "B2", "A2"]


@pytest.mark.parametrize("rules", ["chinese", "chinese-ogs", "aga"])
def test_taking_back_a_ko_at_once_is_illegal(rules: str) -> None:
    config = replace(CONFIG, size=4, rule_set=rule_set_named(rules))
    game = game_of(KO[0], f"{KO[1]} B3", config)
    assert (game.result, game.reason) == ("B+F", "two played B3, which is illegal")
    assert len(game.moves) == 9


def test_suicide_is_illegal_where_the_rules_say_so() -> None:
    black, white = "B1 A2 pass pass", "C3 A3 B3 A1"
    assert game_of(black, white).reason == "two played A1, which is illegal"


@pytest.mark.parametrize(("rules", "result"), [("chinese", "Void"), ("chinese-ogs", "W+F")])
def test_going_round_in_a_circle_is_no_result_or_illegal(rules: str, result: str) -> None:
    config = replace(CONFIG, size=2, rule_set=rule_set_named(rules), max_moves=40)
    game = game_of(" ".join(ROUND[::2]), " ".join(ROUND[1::2]), config)
    assert game.result == result
    if result == "Void":
        assert game.reason == "no result: a position came up for the third time"
        assert len(game.moves) == len(ROUND)


def test_at_the_last_move_the_board_is_counted_as_it_stands() -> None:
    game = game_of("B2 A1", "C3 C1", replace(CONFIG, max_moves=3))
    assert (game.result, game.reason, len(game.moves)) == ("B+0.5", "counted after 3 moves", 3)


def test_both_engines_are_told_the_rules_the_opening_and_each_others_moves(tmp_path: Path) -> None:
    logs = tmp_path / "one", tmp_path / "two"
    with table(("--moves", "A1", "--log", str(logs[0])), ("--log", str(logs[1]))) as players:
        opening = (point_from_gtp("B2", 3), point_from_gtp("C3", 3))
        game = play_game(players, replace(CONFIG, seconds_a_move=2, move_timeout_s=5.0), opening, seed=7)
    assert [point for _, point in game.moves] == [*opening, (2, 0), None, None]
    begin = ["list_commands", "boardsize 3", "clear_board", "komi 0.5", "set_random_seed 7", "time_settings 0 2 1"]
    opened = ["play black B2", "play white C3"]
    one, two = (log.read_text().splitlines() for log in logs)
    assert one == [*begin, *opened, "genmove black", "play white pass", "genmove black", "final_score", "quit"]
    assert two == [*begin, *opened, "play black A1", "genmove white", "play black pass", "final_score", "quit"]


def test_who_refuses_a_legal_move_has_lost() -> None:
    with table(("--moves", "B2"), ("--refuse", "play black B2")) as players:
        game = play_game(players, CONFIG)
    assert (game.result, game.reason) == (
        "B+F",
        "two refuses the legal move 'play black B2': I would rather not",
    )


def test_an_engine_that_failed_plays_the_next_game() -> None:
    with table(("--moves", "crash"), ()) as players:
        results = [play_game(players, CONFIG).result for _ in range(2)]
        assert players["black"].num_starts == 2
    assert results == ["W+F", "W+F"]


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--refuse", "boardsize 3"), "^one refuses 'boardsize 3': I would rather not$"),
        (("--crash-at", "komi 0.5"), "^one: it ended; exit code 3; its last words: .* / thinking about komi 0.5$"),
    ],
)
def test_who_cannot_even_begin_stops_the_match(options: tuple[str, ...], fault: str) -> None:
    with table(options, ()) as players, pytest.raises(MatchError, match=fault):
        play_game(players, CONFIG)


def test_other_opinions_of_the_score_are_in_the_record() -> None:
    with table(("--moves", "B2", "--score", "B+8.5"), ("--score", "W+0.5")) as players:
        game = play_game(players, CONFIG)
    data = sgf.write(record_of(game, CONFIG, NAMES, {"RO": "3"}))
    (record,) = sgf.parse(data)
    properties = record.root.properties
    assert (record.size, record.komi, record.result, record.warnings) == (3, 0.5, "B+8.5", ())
    assert [properties[name] for name in ("PB", "PW", "RO")] == [["one"], ["two"], ["3"]]
    assert [point for _, point in record.moves] == [(1, 1), None, None]
    ended, dispute, seconds = properties["GC"][0].split("\n")
    assert (ended, dispute) == ("two passes", "two as white says W+0.5, the referee B+8.5")
    assert seconds.startswith("seconds a move: black 0.")


def test_an_arbiter_says_which_stones_are_dead() -> None:
    with table(("--moves", "B2"), ("--moves", "C3")) as players:
        with engine("judge", "--dead", "C3") as judge:
            game = play_game(players, CONFIG, arbiter=judge)
        assert (game.result, game.reason) == ("B+8.5", "two passes; dead stones by judge")
        with engine("judge", "--dead", "A1") as judge:
            game = play_game(players, CONFIG, arbiter=judge)
        assert (game.result, game.reason) == (
            "W+0.5",
            "two passes; no dead stones by judge: it calls A1 dead, where no stone is",
        )


def test_by_territory_prisoners_and_the_arbiters_dead_stones_count() -> None:
    japanese = replace(CONFIG, rule_set=rule_set_named("japanese"))
    with table(("--moves", "B2"), ("--moves", "C3")) as players, engine("judge", "--dead", "C3") as judge:
        assert play_game(players, japanese, arbiter=judge).result == "B+8.5"


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("size", 1, "size=1"),
        ("komi", 0.3, "komi=0.3"),
        ("max_moves", 0, "max_moves is 0"),
        ("move_timeout_s", 0.0, "move_timeout_s is 0.0"),
        ("seconds_a_move", 0, "seconds_a_move is 0"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(field: str, value: float, fault: str) -> None:
    settings: dict[str, Any] = {field: value}
    with pytest.raises(ValueError, match=fault):
        GameConfig(**settings)
