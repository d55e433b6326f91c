"""`katago22`: what KataGo's own cases (test_katago22_cases.py) leave open.

Symmetries and colours, the past in ladder planes, superko against the referee, globals against plain arithmetic, areas
under group tax, options, boards that no game leads to.

*Source:* the definition of KataGo's inputs V7.
"""

import random
from functools import cache
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from engines import Setting, referee_of, rules_of, state_of
from katago_inputs import BATCH, OTHER_PLANES, encode_all, planes_of, step
from random_games import KO_FIGHTERS, Habits, random_game, random_position, row_of_kos
from referee import BLACK, WHITE

from research import encoders, go
from research.encoders.global_planes import with_global_planes
from research.encoders.katago_globals import own_komi, parity_wave
from research.go import benson, chains, group_tax, symmetry
from research.go.setup import set_up

SIZE = 7
NUM_PLIES = BATCH - 1
SWAP = str.maketrans("XO", "OX")
NEVER_PASSING = (Habits(0.0, 0.0, 0.0), Habits(0.0, 0.5, 0.5))  # small boards come back to old positions all the time
BANNED = ("ko", "superko")  # reasons of the referee


@cache
def line_of_play(seed: int) -> tuple[Setting, list[int]]:
    """A set-up position and moves from there on, among players who love kos."""
    rng = random.Random(f"katago22 {seed}")
    board = (row_of_kos if seed % 2 else random_position)(SIZE, rng)
    setting = Setting(SIZE, SIZE, board, rng.choice((BLACK, WHITE)), ko="simple", max_moves=400)
    game = random_game(setting, NUM_PLIES, rng, KO_FIGHTERS)
    return setting, game.actions


def play(setting: Setting, actions: list[int]) -> list[go.GoState]:
    """The positions before and after each action; what is illegal changes nothing."""
    game = go.Go(rules_of(setting))
    states = [state_of(rules_of(setting), setting)]
    for action in actions:
        states.append(step(game, states[-1], jnp.int32(action)))
    return states


@pytest.mark.parametrize("seed", range(4))
def test_ladder_planes_of_the_past_are_those_that_were_drawn_then(seed: int) -> None:
    states = play(*line_of_play(seed))
    planes = encode_all(states)
    # What was illegal added no position, and the end hides the past.
    is_new = [bool(after.num_moves > before.num_moves) and after.passes < 2 for before, after in pairwise(states)]
    line = planes[np.array([True, *is_new])]
    assert len(line) > 8
    np.testing.assert_array_equal(line[1:, ..., 15], line[:-1, ..., 14])
    np.testing.assert_array_equal(line[2:, ..., 16], line[:-2, ..., 14])
    np.testing.assert_array_equal(line[1, ..., 16], line[1, ..., 15])
    np.testing.assert_array_equal(line[0, ..., 15], line[0, ..., 14])
    np.testing.assert_array_equal(line[0, ..., 16], line[0, ..., 14])


def test_lines_of_play_hold_kos_and_ladders() -> None:
    planes = np.concatenate([encode_all(play(*line_of_play(seed))) for seed in range(4)])
    num_with = {number: int(planes[..., number].any((1, 2)).sum()) for number in (6, 14, 15, 16, 17)}
    assert min(num_with.values()) > 8, num_with


def test_a_player_who_moves_out_of_turn_is_told_nothing_of_the_past() -> None:
    state = play(*line_of_play(0))[-1]
    turned = go.with_to_play(state, 1 - state.to_play)
    before, after = encode_all([state, turned])
    assert before[..., 9:14].any()
    assert not after[..., 9:14].any()
    np.testing.assert_array_equal(after[..., 15], after[..., 14])
    np.testing.assert_array_equal(after[..., 16], after[..., 14])


@pytest.mark.parametrize("seed", range(2))
def test_exchanged_colours_give_the_same_planes(seed: int) -> None:
    setting, actions = line_of_play(seed)
    other = WHITE if setting.to_play == BLACK else BLACK
    swapped = setting._replace(board=setting.board.translate(SWAP), to_play=other)
    np.testing.assert_array_equal(encode_all(play(swapped, actions)), encode_all(play(setting, actions)))


@pytest.mark.parametrize("seed", range(2))
def test_a_turned_game_gives_turned_planes(seed: int) -> None:
    setting, actions = line_of_play(seed)
    stones = jnp.asarray(go.board(play(setting, [])[0]))
    finals = []
    for index in range(symmetry.NUM_SYMMETRIES):
        turned = np.asarray(symmetry.transform_planes(stones[..., None], index))[..., 0]
        board = "\n".join("".join(".XO"[stone] for stone in row) for row in turned)
        moves = [int(symmetry.transform_action(jnp.int32(action), index, SIZE)) for action in actions]
        finals.append(play(setting._replace(board=board), moves)[-1])
    planes = encode_all(finals)
    for index in range(symmetry.NUM_SYMMETRIES):
        np.testing.assert_array_equal(planes[index], symmetry.transform_planes(jnp.asarray(planes[0]), index))
    assert planes[0][..., 14].any() or seed


def test_one_position_alone_gives_the_planes_that_it_gives_in_a_batch() -> None:
    states = play(*line_of_play(1))[-3:]
    game = go.Go(rules_of(line_of_play(1)[0]))
    for state, planes in zip(states, encode_all(states), strict=True):
        alone, _ = planes_of(game, OTHER_PLANES)(state)
        for number in OTHER_PLANES:
            np.testing.assert_array_equal(alone[number], planes[..., number])


@pytest.mark.slow
def test_eager_and_compiled_encodings_are_equal() -> None:
    game = go.Go(go.Rules(size=5, ko="simple"))
    state = go.from_text(game.rules, "XO...\n.X...\n.....\n..OX.\n..OX.", to_play="white")
    encoder = encoders.get("katago22", passing_hacks=True)
    np.testing.assert_array_equal(encoder.encode(game, state), jax.jit(encoder.encode, static_argnums=0)(game, state))
    eager, compiled = encoder.encode_globals(game, state), jax.jit(encoder.encode_globals, static_argnums=0)
    np.testing.assert_array_equal(eager, compiled(game, state))


@pytest.mark.parametrize("density", [0.5, 0.8, 1.0])
def test_boards_that_no_game_leads_to_are_drawn_all_the_same(density: float) -> None:
    rng = np.random.default_rng(int(10 * density))
    game = go.Go(go.Rules(size=SIZE, ko="simple", max_moves=400))
    is_stone = rng.random((BATCH, SIZE, SIZE)) < density
    stones = is_stone * rng.integers(1, 3, (BATCH, SIZE, SIZE))
    states = [
        jitted_set_up(game, jnp.asarray(board, jnp.int8), jnp.int32(number % 2)) for number, board in enumerate(stones)
    ]
    planes = encode_all(states)
    own = np.arange(BATCH)[:, None, None] % 2 + 1
    np.testing.assert_array_equal(planes[..., 1], stones == own)
    np.testing.assert_array_equal(planes[..., 2], stones == 3 - own)
    assert planes[..., 0].all()
    assert not planes[..., [7, 8, 20, 21]].any()


jitted_set_up = jax.jit(set_up, static_argnums=0)


@pytest.mark.parametrize("ko", ["positional", "situational"])
def test_plane_6_holds_the_points_that_the_referee_forbids_for_ko_alone(ko: str) -> None:
    rng = random.Random(f"plane 6 {ko}")
    num_superko = 0
    for _ in range(6):
        setting = Setting(3, 3, "...\n...\n...", ko=ko, suicide=True, max_moves=60)
        referee_game = random_game(setting, 40, rng, NEVER_PASSING)
        game, state, referee = go.Go(rules_of(setting)), state_of(rules_of(setting), setting), referee_of(setting)
        for action in referee_game.actions:
            reasons = [referee.why_illegal(point) for point in range(9)]
            expected = np.array([reason in BANNED for reason in reasons]).reshape(3, 3)
            planes, _ = planes_of(game, (6,))(state)
            np.testing.assert_array_equal(planes[6], expected)
            num_superko += reasons.count("superko")
            if referee.is_over():
                break
            state, referee = step(game, state, jnp.int32(action)), referee.step(action)
    assert num_superko > 5


def wave_by_search(size: int, komi: float) -> float:
    """The parity wave by looking for the drawable komis on both sides."""
    drawable = [number for number in range(-500, 500) if number % 2 == size % 2]
    nearest = min(drawable, key=lambda number: abs(number - komi))
    distance = komi - nearest
    return distance if abs(distance) <= 0.5 else (1 - abs(distance)) * (1 if distance > 0 else -1)


@pytest.mark.parametrize("size", [4, 5])
def test_komi_and_wave_against_plain_arithmetic(size: int) -> None:
    rules = go.Rules(size=size)
    limit = size * size + 20
    komis = [half / 2 for half in range(-2 * limit, 2 * limit + 1)]
    for weight in (0.5, 0.3, 1.0):
        got = jax.jit(jax.vmap(lambda komi, player: own_komi(rules, komi, player, weight)))  # noqa: B023
        for player in (0, 1):
            values = np.asarray(got(jnp.array(komis, jnp.float32), jnp.full(len(komis), player)))
            waves = np.asarray(jax.jit(jax.vmap(lambda komi: parity_wave(size, komi)))(jnp.asarray(values)))
            for komi, value, wave in zip(komis, values, waves, strict=True):
                white = komi + (weight - 0.5 if komi % 1 == 0 else 0)
                expected = max(-limit, min(limit, white if player else -white))
                assert value == pytest.approx(expected, abs=1e-5)
                assert wave == pytest.approx(wave_by_search(size, expected), abs=1e-4), (komi, player)


def test_areas_under_group_tax_are_those_of_the_scoring() -> None:
    rng = random.Random("tax")
    game = go.Go(go.Rules(size=5, ko="simple", scoring="area-pass-dead", tax="seki"))
    see = planes_of(game, (18, 19))

    @jax.jit
    def areas_of(state: go.GoState) -> tuple[jax.Array, jax.Array]:
        owner = benson.area_map(game.grid, state.label, False)
        life = group_tax.independent_life(game.grid, state.label, state.atari, owner)
        return owner, group_tax.kept(life, owner, chains.stones_of(game.grid, state.label))

    num_taxed = 0
    for _ in range(60):
        state = go.from_text(game.rules, random_position(5, rng))
        planes, _ = see(state)
        owner, kept = (np.asarray(points) for points in areas_of(state))
        np.testing.assert_array_equal(planes[18], kept == 1 + int(state.to_play))
        np.testing.assert_array_equal(planes[19], kept == 2 - int(state.to_play))
        num_taxed += int((owner != kept).any())
    assert num_taxed > 5


def test_options_are_checked_and_say_what_is_allowed() -> None:
    for option, value, allowed in (
        ("max_history", 6, "0 to 5"),
        ("max_history", True, "0 to 5"),
        ("draw_weight", 1.5, "0.0 to 1.0"),
        ("playout_doubling_advantage", float("nan"), "-3.0 to 3.0"),
        ("ladder_max_nodes", 0, "from 1"),
    ):
        with pytest.raises(ValueError, match=f"{option.removeprefix('ladder_')}=.*{allowed}"):
            encoders.get("katago22", **{option: value})


def test_less_history_and_a_playout_doubling_advantage() -> None:
    game = go.Go(go.Rules(size=5, ko="simple"))
    state = game.init()
    for action in (3, 25, 7):
        state = step(game, state, jnp.int32(action))
    told = [np.asarray(encoders.get("katago22", max_history=n).encode_globals(game, state)) for n in (0, 1, 2, 5)]
    assert [list(values[:5]) for values in told] == [[0] * 5, [0] * 5, [0, 1, 0, 0, 0], [0, 1, 0, 0, 0]]
    values = encoders.get("katago22", playout_doubling_advantage=-1.5).encode_globals(game, state)
    assert list(values[15:17]) == [1, -0.75]


@pytest.mark.parametrize("option", ["conservative_pass", "friendly_pass_ok", "passing_hacks"])
def test_the_past_is_hidden_where_the_caller_would_play_on_after_a_pass(option: str) -> None:
    game = go.Go(go.Rules(size=3, ko="simple"))
    state = step(game, step(game, game.init(komi=-2.0), jnp.int32(4)), jnp.int32(9))
    encode = jax.jit(encoders.get("katago22", **{option: True}).encode_globals, static_argnums=0)
    shown = encoders.get("katago22").encode_globals(game, state)
    assert (shown[0], shown[14]) == (1, 1)
    # Black, to move, wins by eleven points at that komi and loses by one at 10.
    lost = encode(game, state._replace(komi=jnp.float32(10)))
    won = encode(game, state)
    assert (lost[0], lost[14]) == (0, 0)
    assert (won[0], won[14]) == ((1, 1) if option == "passing_hacks" else (0, 0))


def test_areas_can_be_judged_as_if_suicide_were_legal() -> None:
    game = go.Go(go.Rules(size=5, ko="simple"))
    # The white stone touches no black one: where White may fill the corner, it is no eye of Black's.
    state = go.from_text(game.rules, "O.X.X\n.XXXX\nXX...\n.....\n.....")
    for is_legal in (False, True):
        planes, _ = planes_of(game, (18, 19), pass_alive_suicide=is_legal)(state)
        assert (bool(planes[18][0, 0]), bool(planes[19][0, 0])) == (not is_legal, is_legal)


def test_for_a_network_of_planes_alone_each_global_is_a_plane():
    encoder, game = encoders.get("katago22", ladders=False), go.Go(go.Rules(size=3, komi=1.5))
    wide = with_global_planes(encoder)
    assert wide is with_global_planes(encoder)
    assert wide.plane_names == encoder.plane_names + encoder.global_names
    assert len(set(wide.plane_names)) == wide.num_planes == 41
    assert wide.num_globals == 0

    @jax.jit
    def draw(state):
        return wide.encode(game, state), encoder.encode(game, state), encoder.encode_globals(game, state)

    state = game.step(game.step(game.init(), jnp.int32(4)), jnp.int32(9))
    drawn, planes, numbers = draw(state)
    assert drawn.dtype == jnp.float32
    assert (drawn[..., :22] == planes).all()
    assert (drawn[..., 22:] == numbers).all()
    assert numbers[0] == 1.0  # the last move was a pass
    agz17 = encoders.get("agz17")
    assert with_global_planes(agz17) is agz17
