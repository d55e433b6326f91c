"""research.go against the referee, in seeded random games: every view at every ply, and nothing may differ.

The default suite plays a few games of each board size, each ko rule and each suicide rule; the slow tests play the full
set, 42 games for each of the 48 pairs of size 2..9 and rules, and some on 13x13 and 19x19. `python -m pytest -m slow
tests/go/test_against_referee.py` prints with `-rA` what the games held.

*Source:* the demand itself: "exact in the legal mask" (docs/rules.md).
"""

import random
from collections import Counter

import pytest
from diagrams import KO_RULES, SUPERKO
from engines import Setting
from random_games import (
    KO_FIGHTERS,
    TAIL,
    RandomGame,
    every_game,
    first_difference,
    random_game,
    random_setting,
    replay,
    row_of_kos,
)

ALL_PAIRS = [(size, ko, suicide) for size in range(2, 10) for ko in KO_RULES for suicide in (False, True)]
NUM_GAMES = 42  # of each pair; 48 pairs make 2,016 games
SEARCH_DEPTH = 24  # plies
SAMPLE = (  # each size, each ko rule with each suicide rule
    (2, "positional", True),
    (2, "situational", False),
    (3, "situational", True),
    (4, "positional", False),
    (5, "simple", True),
    (6, "situational", False),
    (7, "positional", True),
    (8, "simple", False),
    (9, "positional", False),
)


def max_moves_of(size: int) -> int:
    """Long games where the board is small, as they come back to old positions only when it is full."""
    return 6 * size * size if size <= 4 else 3 * size * size


def played_games(size: int, ko: str, suicide: bool, num_games: int, max_moves: int) -> list[RandomGame]:
    """Random games by the referee, the same on every run."""
    rng = random.Random(f"{size} {ko} {suicide}")
    num_plies = int(1.1 * max_moves) + TAIL
    settings = [random_setting(size, ko, suicide, max_moves, rng) for _ in range(num_games)]
    return [random_game(setting, num_plies, rng) for setting in settings]


def check(games: list[RandomGame], search_depth: int = 0) -> Counter:
    """What happened in the games, all of which research.go must see as the referee does."""
    seen = replay(games, search_depth)
    for number, game in enumerate(games):
        difference = first_difference(game, type(seen)(*(leaf[number] for leaf in seen)))
        assert difference is None, f"game {number}: {difference}"
    return sum((game.events for game in games), Counter())


@pytest.mark.parametrize(("size", "ko", "suicide"), SAMPLE)
def test_a_few_random_games_agree_with_the_referee_at_every_ply(size: int, ko: str, suicide: bool) -> None:
    events = check(played_games(size, ko, suicide, num_games=8, max_moves=max_moves_of(size)))
    assert events["illegal actions"] > 0
    assert events["actions after the end"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("size", "ko", "suicide"), ALL_PAIRS)
def test_many_random_games_agree_with_the_referee_at_every_ply(size: int, ko: str, suicide: bool) -> None:
    games = played_games(size, ko, suicide, NUM_GAMES, max_moves_of(size))
    events = check(games)
    print(f"{size}x{size} {ko} suicide={suicide}: {len(games)} games, {dict(events)}")
    assert events["finished games"] > 0
    assert events["suicide"] > 0
    assert events["suicides"] > 0 or not suicide or (size == 2 and ko != "simple")
    assert events["superko"] > 0 or ko == "simple" or size > 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "ko", "suicide"), [(13, "situational", True), (19, "positional", False), (19, "simple", True)]
)
def test_random_games_on_big_boards_agree_with_the_referee_at_every_ply(size: int, ko: str, suicide: bool) -> None:
    events = check(played_games(size, ko, suicide, num_games=4, max_moves=2 * size * size))
    print(f"{size}x{size} {ko} suicide={suicide}: {dict(events)}")
    assert events["ko"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [6, 7, 8, 9])
@pytest.mark.parametrize("ko", SUPERKO)
@pytest.mark.parametrize("suicide", [False, True])
def test_fights_around_many_kos_agree_with_the_referee_at_every_ply(size: int, ko: str, suicide: bool) -> None:
    """Random games seldom meet superko on bigger boards; here it is met all the time."""
    rng = random.Random(f"kos {size} {ko} {suicide}")
    max_moves = max_moves_of(size)
    settings = [Setting(size, size, row_of_kos(size, rng), ko=ko, suicide=suicide, max_moves=max_moves)] * 40
    events = check([random_game(setting, 2 * size * size, rng, KO_FIGHTERS) for setting in settings])
    print(f"{size}x{size} {ko} suicide={suicide}, kos: {dict(events)}")
    assert events["superko"] > 0


def games_with_a_search(size: int, ko: str, suicide: bool, num_games: int) -> list[RandomGame]:
    """Games that are still running, and full of repetitions, when the last SEARCH_DEPTH plies begin."""
    rng = random.Random(f"search {size} {ko} {suicide}")
    num_plies = size * size + SEARCH_DEPTH
    settings = [random_setting(size, ko, suicide, max_moves_of(size), rng) for _ in range(num_games)]
    return [random_game(setting, num_plies, rng) for setting in settings]


@pytest.mark.parametrize(("size", "ko", "suicide"), [(3, "positional", True)])
def test_nodes_of_a_search_remember_the_game_before_it(size: int, ko: str, suicide: bool) -> None:
    events = check(games_with_a_search(size, ko, suicide, num_games=32), SEARCH_DEPTH)
    assert events["superko"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 6])
@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize("suicide", [False, True])
def test_nodes_of_many_searches_remember_the_game_before_them(size: int, ko: str, suicide: bool) -> None:
    check(games_with_a_search(size, ko, suicide, num_games=64), SEARCH_DEPTH)


@pytest.mark.slow
@pytest.mark.parametrize("ko", KO_RULES)
@pytest.mark.parametrize("suicide", [False, True])
def test_every_game_on_two_by_two_agrees_to_the_eleventh_ply(ko: str, suicide: bool) -> None:
    games = every_game(Setting(2, 2, "..\n..", ko=ko, suicide=suicide, max_moves=24), num_plies=11)
    assert len(games) > 10_000
    check(games)
