"""The seven hand features: drawings, the reference on random positions, and the numbering of patterns."""

from functools import cache
from typing import Any

import encoder_reference as reference
import jax
import numpy as np
import pytest
from random_positions import SYMBOLS, random_positions
from referee import BLACK, Referee, new_game

from research import go
from research.encoders.hand_features import NO_PATTERN, HandFeatures, hand_features, pattern_numbers
from research.go.setup import set_up

PATTERNS = np.asarray(pattern_numbers())


@cache
def features_in(size: int, suicide: bool) -> Any:
    """(stones, players) -> features of a batch of set-up positions, compiled once."""
    game = go.Go(go.Rules(size=size, ko="simple", suicide=suicide))
    return jax.jit(jax.vmap(lambda stones, player: hand_features(game, set_up(game, stones, player))))


def features_of(moments: list[Referee], suicide: bool = False) -> HandFeatures:
    """The features of the positions, without their ko bans."""
    stones = [[SYMBOLS.index(content) for content in game.board] for game in moments]
    size = moments[0].columns
    boards = np.array(stones, np.int8).reshape(-1, size, size)
    players = np.array([game.to_play != BLACK for game in moments], np.int32)
    return HandFeatures(*map(np.asarray, features_in(size, suicide)(boards, players)))


def code_of(contents: tuple[int, ...]) -> int:
    """The number that surroundings write in base four."""
    return int("".join(map(str, contents)), 4)


@pytest.mark.parametrize(
    ("size", "num_games", "suicide"),
    [(2, 6, True), (5, 10, False), (5, 10, True), pytest.param(7, 6, True, marks=pytest.mark.slow)],
)
def test_random_positions_agree_with_the_reference(size: int, num_games: int, suicide: bool) -> None:
    moments = random_positions(size, num_games, 3 * size * size // 2, suicide, seed=1)
    found = features_of(moments, suicide)
    seen = []
    for index, game in enumerate(moments):
        game = reference.with_player(game, game.to_play)
        for point in range(game.pass_action):
            place = (index, *divmod(point, size))
            if not game.is_legal(point):
                assert not any(bool(values[place]) for values in found)
                continue
            wanted = reference.features_of(game, point)
            got = reference.Features(*(values[place].item() for values in found[1:]))
            assert got == wanted, f"{game.to_play} at {place[1:]} on\n{game.diagram()}"
            contents = reference.surroundings(game, point)
            assert found.pattern[place] == PATTERNS[code_of(contents)]
            seen.append(wanted)
    for values in list(zip(*seen, strict=True))[:3]:  # capture, connect, eye
        assert set(values) == {False, True}


def test_patterns_are_equal_exactly_if_a_symmetry_or_exchanged_colours_make_them_so() -> None:
    rng = np.random.default_rng(0)
    off_places = [(), (0, 1, 2), (0, 3, 5), (0, 1, 2, 3, 5), (2, 4, 5, 6, 7)]
    for _ in range(200):
        contents = rng.integers(0, 3, 8)
        contents[list(off_places[rng.integers(len(off_places))])] = 3
        same = {code_of(variant) for variant in reference.variants(tuple(contents.tolist()))}
        number = PATTERNS[code_of(tuple(contents.tolist()))]
        assert number != NO_PATTERN
        assert set(np.flatnonzero(number == PATTERNS).tolist()) == same


def test_patterns_are_numbered_in_the_order_in_which_they_first_appear() -> None:
    contents = np.stack(np.unravel_index(np.arange(4**8), (4,) * 8), axis=1)
    is_off, highest = contents == 3, -1
    for off in ((), (0, 1, 2), (0, 1, 2, 3, 5)):
        codes = np.flatnonzero((is_off == np.isin(np.arange(8), off)).all(1))
        for number in PATTERNS[codes]:
            assert number <= highest + 1
            highest = max(highest, int(number))
    assert PATTERNS[0] == 0
    assert highest == PATTERNS.max()


def test_surroundings_that_cannot_occur_have_no_pattern() -> None:
    assert PATTERNS[code_of((3, 0, 0, 0, 0, 0, 0, 0))] == NO_PATTERN
    assert PATTERNS[code_of((3, 3, 3, 0, 0, 3, 3, 3))] == NO_PATTERN


def test_a_move_that_captures_makes_an_eye_where_the_stone_was() -> None:
    position = """
        . X . . .
        O X . . .
        X X . . .
        . . . . .
        . . . . .
    """
    (features,) = (HandFeatures(*values) for values in zip(*features_of([new_game(5, board=position)]), strict=True))
    assert features.can_capture[0, 0]
    assert not features.can_connect[0, 0]
    assert features.creates_eye[0].tolist() == [True, False, False, False, False]
    assert features.liberties_after[0, 0] == 6
    assert features.enemy_liberties[0, 0] == 1
    assert features.enemy_liberties[4, 4] == 0
    assert features.distance_to_edge[2].tolist() == [0, 0, 2, 1, 0]  # stones stand on the first two points


def test_a_move_between_two_chains_connects_them_if_they_are_two() -> None:
    position = """
        . . . . .
        X . X X .
        . . X . X
        . . X X X
        . . . . .
    """
    (features,) = (HandFeatures(*values) for values in zip(*features_of([new_game(5, board=position)]), strict=True))
    assert features.can_connect[1].tolist() == [False, True, False, False, False]
    assert not features.can_connect[2, 3]  # all four neighbours are stones of one chain
