"""`rules22`: the golden games, kos that a move would start, and what the planes of the rules hold.

*Source:* tests/data/encoders (see the README there); tests/referee.py for the kos.
"""

from dataclasses import replace

import jax
import numpy as np
from encoder_batches import encode_many, states_of, wrong_golden_planes
from encoder_cases import step
from encoder_reference import with_player
from random_positions import random_positions
from referee import Referee, other

from research import encoders, go

NAMES = encoders.get("rules22").plane_names
OWN_KO, OPPONENT_KO = 11, 12
PLAIN = go.Go(go.Rules(size=5, ko="simple"))


def drawn_planes(state: go.GoState, game: go.Go = PLAIN) -> np.ndarray:
    """The planes of one position."""
    return encode_many("rules22", game, [jax.tree.map(np.asarray, state)])[0]


def constants(state: go.GoState, game: go.Go = PLAIN) -> dict[str, float]:
    """The numbers of the constant planes 3, 4 and 13 to 21."""
    planes = drawn_planes(state, game)
    assert planes.dtype == np.float32
    numbers = {}
    for index in (3, 4, *range(13, 22)):
        assert (planes[..., index] == planes[0, 0, index]).all()
        numbers[NAMES[index]] = float(planes[0, 0, index])
    return numbers


def ko_makers(game: Referee) -> np.ndarray:
    """Where the player to move may play and leave a ban, found by playing."""
    points = range(game.pass_action)
    bans = [game.is_legal(point) and game.step(point).ko_point is not None for point in points]
    return np.array(bans).reshape(game.rows, game.columns)


def test_golden_games() -> None:
    assert not wrong_golden_planes("rules22", sizes=(5, 7, 9))


def test_moves_that_create_a_ban_are_those_that_do_when_played() -> None:
    moments = [with_player(game, game.to_play) for game in random_positions(5, num_games=24, num_plies=40, seed=1)]
    planes = encode_many("rules22", PLAIN, states_of(PLAIN, moments))
    num_bans = 0
    for game, drawn in zip(moments, planes, strict=True):
        own, opponent = ko_makers(game), ko_makers(with_player(game, other(game.to_play)))
        np.testing.assert_array_equal(drawn[..., OWN_KO], own, err_msg=game.diagram())
        np.testing.assert_array_equal(drawn[..., OPPONENT_KO], opponent, err_msg=game.diagram())
        num_bans += int(own.sum() + opponent.sum())
    assert num_bans > 50


def test_a_banned_point_is_shown_and_does_not_count_as_a_move_that_bans() -> None:
    state = go.from_text(PLAIN.rules, ".XO..\nX.XO.\n.XO..\n.....\n.....", to_play="white")
    drawn = drawn_planes(step(PLAIN, state, 6))
    # White took at B4; Black may not retake at C4, though that would ban White in turn.
    assert np.flatnonzero(drawn[..., 10]).tolist() == [7]
    assert not drawn[..., OWN_KO].any()
    passed = drawn_planes(step(PLAIN, step(PLAIN, state, 6), 25))
    assert not passed[..., 10].any()
    assert np.flatnonzero(passed[..., OPPONENT_KO]).tolist() == [7]


def test_superko_takes_points_from_the_own_moves_that_ban_and_not_from_the_opponents() -> None:
    for game, is_allowed in ((PLAIN, True), (go.Go(replace(PLAIN.rules, ko="positional")), False)):
        state = go.from_text(game.rules, ".XO..\nX.XO.\n.XO..\n.....\n.....", to_play="white")
        passed = step(game, step(game, state, 6), 25)  # White takes, Black passes
        own, opponent = go.with_to_play(passed, "black"), passed
        assert bool(drawn_planes(own, game)[1, 2, OWN_KO]) == is_allowed
        assert bool(drawn_planes(opponent, game)[1, 2, OPPONENT_KO])


def test_the_last_moves_are_shown_and_a_pass_is_an_empty_plane() -> None:
    state = PLAIN.init()
    for action in (0, 6, 25, 12):
        state = step(PLAIN, state, action)
    drawn = drawn_planes(state)
    shown = [np.flatnonzero(drawn[..., plane]).tolist() for plane in range(5, 10)]
    assert shown == [[12], [], [6], [0], []]
    assert constants(state)["last move was a pass"] == 0
    assert constants(step(PLAIN, state, 25))["last move was a pass"] == 1


def test_komi_is_the_player_to_moves_own_and_said_to_be_whole_or_not() -> None:
    black = constants(PLAIN.init(komi=7.5))
    assert (black["own komi / 20"], black["komi is no whole number"], black["black to move"]) == (-0.375, 1, 1)
    white = constants(step(PLAIN, PLAIN.init(komi=-3.0), 0))
    np.testing.assert_allclose(white["own komi / 20"], -0.15, rtol=1e-6)
    assert (white["komi is no whole number"], white["black to move"]) == (0, 0)


def test_the_rules_are_said() -> None:
    said = [NAMES.index(name) for name in NAMES if name in constants(PLAIN.init())]
    assert said == [3, 4, *range(13, 22)]
    options = ("suicide allowed", "simple ko", "positional superko", "situational superko", "area scoring")
    expected = {
        go.Rules(size=5, ko="simple"): (0, 1, 0, 0, 1),
        go.Rules(size=5, ko="positional", suicide=True): (1, 0, 1, 0, 1),
        go.Rules(size=5, ko="situational", scoring="area-pass-dead"): (0, 0, 0, 1, 1),
    }
    for rules, numbers in expected.items():
        shown = constants(go.Go(rules).init(), go.Go(rules))
        assert tuple(shown[option] for option in options) == numbers
        assert (shown["ones"], shown["territory scoring"]) == (1, 0)
