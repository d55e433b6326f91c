"""`alphago48` and its sister: published cases, the definition on random games, symmetries, and boards of any kind.

*Source:* tests/data/encoders (see the README there); Nature 529 (2016), Extended Data Table 2.
"""

import random
from functools import cache
from typing import Any, NamedTuple

import encoder_cases
import encoder_reference as reference
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from encoder_cases import Case
from random_games import HABITS, random_action
from referee import BLACK, EMPTY, WHITE, Referee, new_game, other

from research import encoders, go
from research.go import symmetry
from research.go.setup import set_up

LADDER_PLANES = [44, 45]
OTHER_PLANES = [plane for plane in range(49) if plane not in LADDER_PLANES]
PLAIN = {"ladders": False, "value_plane": True}
SIZE, NUM_GAMES, NUM_PLIES = 5, 12, 40


@cache
def drawing_of(options: tuple[tuple[str, Any], ...], game: go.Go) -> Any:
    """state -> planes by name of the encoder, compiled once; without ladders, both encoders take as long as one."""
    names = ("alphago48",) if dict(options).get("ladders", True) else ("alphago48", "alphago48_roc")
    drawn = {name: encoders.get(name, **dict(options)) for name in names}
    return jax.jit(lambda state: {name: encoder.encode(game, state) for name, encoder in drawn.items()})


@cache
def planes_along_games(name: str, suicide: bool) -> Any:
    """(boards, players to move, actions [games, plies]) -> planes before each action, without ladders."""
    game, encoder = encoder_cases.game_of(SIZE, suicide=suicide), encoders.get(name, **PLAIN)

    def play(board: jax.Array, player: jax.Array, actions: jax.Array) -> jax.Array:
        def ply(state: go.GoState, action: jax.Array) -> tuple[go.GoState, jax.Array]:
            return game.step(state, action), encoder.encode(game, state)

        return jax.lax.scan(ply, set_up(game, board.astype(jnp.int8), player), actions)[1]

    return jax.jit(jax.vmap(play))


class Moment(NamedTuple):
    """One moment of a game."""

    referee: Referee
    ages: dict[int, int]  # plies since the stones that were played and still stand were played


def random_game(size: int, suicide: bool, num_plies: int, seed: int) -> tuple[list[Moment], list[int], str]:
    """(Moments before each action, the actions, the set-up that the game began on)."""
    rng = random.Random(seed)
    setup = "".join(rng.choice("...XO") for _ in range(size * size)) if seed % 2 else EMPTY * size * size
    try:
        game = new_game(size, ko="simple", suicide=suicide, max_moves=2 * size * size, board=setup)
    except ValueError:  # stones without a liberty
        return random_game(size, suicide, num_plies, seed + 1000)
    habits = {BLACK: rng.choice(HABITS[:6]), WHITE: rng.choice(HABITS[:6])}
    moments, actions, ages = [], [], {}
    for _ in range(num_plies):
        moments.append(Moment(game, ages))
        reasons = [None if game.is_over() else game.why_illegal(point) for point in range(game.pass_action)]
        actions.append(random_action(game, reasons, habits[game.to_play], actions, rng))
        after = game.step(actions[-1])
        if after is not game:
            played = {actions[-1]: 0} if actions[-1] < game.pass_action else {}
            stones = [p for p in (ages | played) if after.board[p] != EMPTY]
            ages = {p: 1 + (played | ages if p not in played else played)[p] for p in stones}
        game = after
    return moments, actions, setup


def one_hot(count: int, first: int, planes: np.ndarray, point: int, most: int = 8, lowest: int = 1) -> None:
    """Set the plane of `count` at a point; the last of the planes is for `most` and more."""
    if count >= lowest:
        planes[point, first + min(count, most) - lowest] = True


def expected_planes(moment: Moment, from_zero: bool) -> np.ndarray:
    """The planes by the words of the table, but for ladders."""
    game, ages = moment
    eyes = reference.true_eyes(game, game.board, game.to_play)
    planes = np.zeros((game.pass_action, 49), bool)
    planes[:, 3], planes[:, 48] = True, game.to_play == BLACK
    for point, content in enumerate(game.board):
        planes[point, (game.to_play, other(game.to_play), EMPTY).index(content)] = True
        if content != EMPTY:
            one_hot(ages.get(point, 8), 4, planes, point)
            one_hot(len(reference.liberties_at(game, game.board, point)), 12, planes, point)
        elif game.why_illegal(point) is None:
            after = reference.result_of(game, point)
            most, lowest = (7, 0) if from_zero else (8, 1)
            one_hot(after.captured, 20, planes, point, most, lowest)
            one_hot(after.stones if after.liberties == 1 else 0, 28, planes, point)
            one_hot(after.liberties, 36, planes, point)
            planes[point, 46] = point not in eyes
    return planes.reshape(game.rows, game.columns, 49)


def with_slow_sizes(cases: list[Case], *quick_sizes: int) -> list[Any]:
    """The cases, those on boards of other sizes marked slow: each size is a program to compile."""
    return [
        pytest.param(case, marks=[] if case.position["size"] in quick_sizes else pytest.mark.slow) for case in cases
    ]


@pytest.mark.parametrize("case", [*encoder_cases.golden_cases("alphago48"), *encoder_cases.feature_cases()], ids=str)
def test_published_planes_but_for_ladders(case: Case) -> None:
    check(case, PLAIN, set(case.planes) - set(LADDER_PLANES))


@pytest.mark.parametrize("case", with_slow_sizes(encoder_cases.golden_cases("alphago48_roc"), 5, 7, 9), ids=str)
def test_published_capture_sizes_that_begin_with_none(case: Case) -> None:
    check(case, PLAIN, set(case.planes))


@pytest.mark.parametrize(
    "case",
    [
        *with_slow_sizes(encoder_cases.golden_cases("alphago48"), 7),
        *with_slow_sizes(encoder_cases.golden_cases("alphago48_ladder_plain"), 5),
    ],
    ids=str,
)
def test_published_ladders(case: Case) -> None:
    check(case, case.options, set(LADDER_PLANES))


def check(case: Case, options: dict[str, Any], numbers: set[int]) -> None:
    """The planes `numbers` are those of the case."""
    game, state = encoder_cases.position_of(case)
    planes = np.asarray(drawing_of(tuple(sorted(options.items())), game)(state)[case.encoder])
    assert numbers
    for number in numbers:
        np.testing.assert_array_equal(planes[..., number], case.planes[number], err_msg=f"{case} plane {number}")


@pytest.mark.parametrize(("name", "suicide"), [("alphago48", True), ("alphago48_roc", False)])
def test_random_games_agree_with_the_table_at_every_ply(name: str, suicide: bool) -> None:
    games = [random_game(SIZE, suicide, NUM_PLIES, seed) for seed in range(NUM_GAMES)]
    boards = np.array([[".XO".index(content) for content in setup] for *_, setup in games]).reshape(-1, SIZE, SIZE)
    actions = np.array([actions for _, actions, _ in games])
    planes = np.asarray(planes_along_games(name, suicide)(boards, np.zeros(NUM_GAMES, np.int32), actions))
    for index, (moments, _, _) in enumerate(games):
        for ply, moment in enumerate(moments):
            if not moment.referee.is_over():
                wanted = expected_planes(moment, from_zero=name.endswith("roc"))
                np.testing.assert_array_equal(
                    planes[index, ply][..., OTHER_PLANES],
                    wanted[..., OTHER_PLANES],
                    err_msg=f"{name}, {moment.referee.to_play} to play, ages {moment.ages}\n{moment.referee.diagram()}",
                )
    assert planes.any((0, 1, 2, 3))[[*range(4, 14), 20, 21, 28, 29, 36, 37, 46]].all()


def random_boards(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(Boards that a game can begin on, black to move, random actions, legal or not)."""
    rng = np.random.default_rng(seed)
    boards = rng.choice(3, (NUM_GAMES, SIZE, SIZE), p=[0.6, 0.2, 0.2])
    return boards, np.zeros(NUM_GAMES, np.int32), rng.integers(0, SIZE * SIZE + 1, (NUM_GAMES, NUM_PLIES))


@pytest.mark.parametrize("index", range(symmetry.NUM_SYMMETRIES))
def test_a_turned_game_gives_turned_planes(index: int) -> None:
    draw = planes_along_games("alphago48", True)
    boards, players, actions = random_boards(20)
    turn = jax.vmap(lambda planes: symmetry.transform_planes(planes, index))
    turned_boards = np.asarray(turn(jnp.asarray(boards)[..., None]))[..., 0]
    turned_actions = jax.vmap(jax.vmap(lambda action: symmetry.transform_action(action, index, SIZE)))(actions)
    planes = draw(boards, players, actions)
    expected = np.asarray(turn(planes.reshape(-1, *planes.shape[2:]))).reshape(planes.shape)
    np.testing.assert_array_equal(draw(turned_boards, players, np.asarray(turned_actions)), expected)


def test_exchanged_colours_give_the_same_planes_but_the_last() -> None:
    draw = planes_along_games("alphago48", True)
    boards, players, actions = random_boards(21)
    planes = np.asarray(draw(boards, players, actions))
    swapped = np.asarray(draw(np.array([0, 2, 1])[boards], 1 - players, actions))
    np.testing.assert_array_equal(planes[..., :48], swapped[..., :48])
    np.testing.assert_array_equal(planes[..., 48], ~swapped[..., 48])
    assert planes[..., 48].any()
    assert not planes[..., 48].all()


@pytest.mark.parametrize("stones", [(1,), (2,), (1, 2), (0, 1, 2)], ids=str)
def test_boards_that_no_game_leads_to_are_drawn_all_the_same(stones: tuple[int, ...]) -> None:
    rng = np.random.default_rng(22)
    boards = rng.choice(stones, (NUM_GAMES, SIZE, SIZE))  # most have chains without a liberty
    actions = rng.integers(0, SIZE * SIZE + 1, (NUM_GAMES, NUM_PLIES))
    planes = np.asarray(planes_along_games("alphago48", True)(boards, rng.integers(0, 2, NUM_GAMES), actions))
    assert planes[..., 3].all()
    assert not planes[..., 47].any()
    assert (planes[..., :3].sum(-1) == 1).all()
    for first in (4, 12, 20, 28, 36):
        assert planes[..., first : first + 8].sum(-1).max() <= 1


@pytest.mark.slow  # operation by operation
def test_eager_and_compiled_planes_are_equal() -> None:
    game = encoder_cases.game_of(SIZE)
    encoder = encoders.get("alphago48", **PLAIN)
    state = set_up(game, jnp.asarray(random_boards(24)[0][0], jnp.int8), jnp.int32(0))
    compiled = drawing_of(tuple(sorted(PLAIN.items())), game)(state)["alphago48"]
    np.testing.assert_array_equal(encoder.encode(game, state), compiled)


def test_every_plane_has_a_name_and_the_value_plane_is_an_option() -> None:
    for name in ("alphago48", "alphago48_roc"):
        encoder, with_value = encoders.get(name), encoders.get(name, value_plane=True)
        assert (encoder.num_planes, with_value.num_planes) == (48, 49)
        assert with_value.plane_names == (*encoder.plane_names, "black to move")
    assert encoders.get("alphago48").plane_names[20] == "stones that the move takes: 1"
    assert encoders.get("alphago48").plane_names[27] == "stones that the move takes: 8 or more"
    assert encoders.get("alphago48_roc").plane_names[20] == "stones that the move takes: 0"
    assert encoders.get("alphago48_roc").plane_names[27] == "stones that the move takes: 7 or more"
    with pytest.raises(ValueError, match="max_nodes=0: allowed is"):
        encoders.get("alphago48", ladder_max_nodes=0)


def test_a_game_that_is_over_is_drawn_like_one_that_is_not() -> None:
    game = encoder_cases.game_of(5)
    draw = drawing_of(tuple(sorted(PLAIN.items())), game)
    ended = game.init()
    for _ in range(2):
        ended = encoder_cases.step(game, ended, jnp.int32(25))
    assert game.is_over(ended)
    for name, planes in draw(game.init()).items():
        np.testing.assert_array_equal(draw(ended)[name], planes)
