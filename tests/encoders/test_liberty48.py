"""`liberty48`: the golden games, liberties by playing every move, symmetric positions, and where ladders go.

*Source:* tests/data/encoders (see the README there); tests/referee.py and tests/encoder_reference.py for the rest.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from encoder_batches import encode_many, states_of, wrong_golden_planes
from encoder_reference import chain_liberties, results_of, with_player
from random_positions import random_positions

from research import encoders, go
from research.encoders import ladder_moves
from research.go import grid as grids
from research.go.ladders import LadderConfig, Ladders

NAMES = encoders.get("liberty48").plane_names
LADDERS = range(36, 44)
PLAIN = go.Go(go.Rules(size=7, ko="simple"))


def symmetries(diagram: str) -> list[bool]:
    """Planes 44 to 46 of a position on 7x7, whose lower part is empty."""
    lines = diagram.split() + ["." * 7] * (7 - len(diagram.split()))
    state = jax.tree.map(np.asarray, go.from_text(PLAIN.rules, "\n".join(lines)))
    planes = encode_many("liberty48", PLAIN, [state], ladders=False)[0]
    return planes[0, 0, 44:47].tolist()


def test_golden_games_but_for_their_ladders() -> None:
    assert not wrong_golden_planes("liberty48", sizes=(7,), skipped=LADDERS, ladders=False)


@pytest.mark.slow
def test_golden_games() -> None:
    assert not wrong_golden_planes("liberty48", sizes=(5, 7, 9, 19))


def test_liberties_now_and_after_a_move_are_those_that_playing_shows() -> None:
    found = random_positions(7, num_games=8, num_plies=60, seed=4)[::4]
    moments = [with_player(moment, moment.to_play) for moment in found]
    planes = encode_many("liberty48", PLAIN, states_of(PLAIN, moments), ladders=False)
    for moment, drawn in zip(moments, planes, strict=True):
        results = results_of(moment)
        numbers = {
            4: chain_liberties(moment),
            12: [result.enemy_liberties for result in results],
            20: [result.liberties for result in results],
        }
        for first, expected in numbers.items():
            shown = drawn[..., first : first + 8] * np.arange(1, 9)
            wanted = np.where(np.array(expected) <= 8, expected, 0).reshape(7, 7)
            np.testing.assert_array_equal(shown.sum(-1), wanted, err_msg=f"{NAMES[first]}\n{moment.diagram()}")
            assert (drawn[..., first : first + 8].sum(-1) <= 1).all()
    assert all(planes[..., plane].any() for plane in [*range(4, 12), *range(12, 19), *range(20, 28)])


def test_the_last_eight_moves_are_shown_where_they_were_and_a_pass_is_nowhere() -> None:
    state, step = PLAIN.init(), jax.jit(PLAIN.step)
    for action in (30, 0, 1, 48, 7, 49, 8, 40, 20):  # Black's moves at 1 and 7 take the stone on 0
        state = step(state, action)
    assert go.board(state)[0, 0] == 0
    planes = encode_many("liberty48", PLAIN, [jax.tree.map(np.asarray, state)], ladders=False)[0]
    shown = [np.flatnonzero(planes[..., plane]).tolist() for plane in range(28, 36)]
    assert shown == [[20], [40], [8], [], [7], [48], [1], [0]]


def test_a_position_that_looks_the_same_from_elsewhere_is_told() -> None:
    assert symmetries("") == [True, True, True]
    assert symmetries("X......") == [False, False, True]  # a corner: on a diagonal
    assert symmetries("...X...") == [False, True, False]  # the middle of a side
    assert symmetries(".X.....") == [False, False, False]
    assert symmetries("X.....O") == [False, False, False]  # colours count
    assert symmetries("X.....X") == [False, True, False]
    half_turn = ".X..... ....... ....... ....... ....... ....... .....X."
    assert symmetries(half_turn) == [True, False, False]
    corners = "X.....O ....... ....... ....... ....... ....... O.....X"
    assert symmetries(corners) == [True, False, True]


@pytest.mark.parametrize("to_play", ["black", "white"])
def test_ladders_go_to_the_planes_of_who_can_play_them(to_play: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = go.Go(go.Rules(size=5, ko="simple"))
    state = go.from_text(game.rules, "XO...\n.....\n.....\n.....\nX...O", to_play=to_play)
    generator = np.random.default_rng(0)
    found = Ladders(*(jnp.asarray(generator.integers(0, 2, (2, 5, 5)), bool) for _ in Ladders._fields))
    bans = []

    def read(grid, label, banned, config):
        bans.append(banned.tolist())
        return found

    monkeypatch.setattr(ladder_moves, "read_ladders", read)
    state = state._replace(ko=jnp.int32(8))
    liberties = jnp.asarray(generator.integers(1, 4, (5, 5)), jnp.int16)
    legal = tuple(jnp.asarray(generator.integers(0, 2, (5, 5)), bool) for _ in range(2))

    def on_band(points):
        return grids.to_cells(game.grid, points)[game.grid.band]

    bands = ladder_moves.ladder_masks(game, state, on_band(liberties), tuple(map(on_band, legal)), LadderConfig())
    masks = [grids.to_points(game.grid, band) for band in bands]
    own = 0 if to_play == "black" else 1
    assert bans == [[8, 0] if own == 0 else [0, 8]]  # a ban is for the player to move
    for side, (player, allowed) in enumerate(((own, legal[0]), (1 - own, legal[1]))):
        starts, escapes, catchable, lost = masks[4 * side : 4 * side + 4]
        np.testing.assert_array_equal(starts, found.captures[1 - player] & allowed)
        np.testing.assert_array_equal(escapes, found.escapes[player] & allowed)
        np.testing.assert_array_equal(catchable, found.laddered[1 - player] & (liberties == 2))
        np.testing.assert_array_equal(lost, found.laddered[1 - player] & (liberties == 1))
