"""Tic-tac-toe: every position that can arise, against the plain Python rules of the solver."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from research.toys import TicTacToe, TicTacToeRules, TicTacToeState
from tests.toys import solver

GAME = TicTacToe(TicTacToeRules())
POSITIONS = tuple(solver.all_positions())


class Facts(NamedTuple):
    """What the game says of every position, and where each of the nine actions leads."""

    legal: np.ndarray  # [positions, 9]
    to_play: np.ndarray  # [positions]
    is_over: np.ndarray  # [positions]
    outcome: np.ndarray  # [positions]
    after: TicTacToeState  # [positions, 9]


def states_of(positions: tuple[str, ...]) -> TicTacToeState:
    """The batch of states of positions in the solver's text."""
    points = np.array([[".XO".index(mark) for mark in position] for position in positions], np.int8)
    return TicTacToeState(points=jnp.asarray(points), num_moves=jnp.asarray((points > 0).sum(1), jnp.int32))


def text_of(points: np.ndarray) -> str:
    """The solver's text of one board."""
    return "".join(".XO"[int(point)] for point in points)


@pytest.fixture(scope="module")
def facts() -> Facts:
    """Everything about all positions, in one compiled call."""

    def look(state: TicTacToeState) -> Facts:
        after = jax.vmap(GAME.step, (None, 0))(state, jnp.arange(9))
        return Facts(GAME.legal_actions(state), GAME.to_play(state), GAME.is_over(state), GAME.outcome(state), after)

    return jax.device_get(jax.jit(jax.vmap(look))(states_of(POSITIONS)))


def test_there_are_5478_positions_and_perfect_play_draws() -> None:
    assert len(POSITIONS) == 5478
    assert solver.value(solver.START) == 0
    assert solver.best_moves("X...O...X") == (1, 3, 5, 7)


def test_masks_ends_and_winners_agree_with_plain_rules_in_every_position(facts: Facts) -> None:
    for index, position in enumerate(POSITIONS):
        expected_moves = solver.moves(position) or [0]
        assert np.flatnonzero(facts.legal[index]).tolist() == expected_moves, position
        assert facts.is_over[index] == solver.is_over(position), position
        assert facts.to_play[index] == "XO".index(solver.to_move(position)), position
        assert facts.outcome[index] == {"X": 1, "O": -1, None: 0}[solver.winner(position)], position


def test_every_action_leads_where_plain_rules_say_or_changes_nothing(facts: Facts) -> None:
    for index, position in enumerate(POSITIONS):
        allowed = solver.moves(position)
        for point in range(9):
            expected = solver.play(position, point) if point in allowed else position
            assert text_of(facts.after.points[index, point]) == expected
            assert facts.after.num_moves[index, point] == 9 - expected.count(".")


def test_a_full_line_wins_on_larger_boards_too() -> None:
    game = TicTacToe(TicTacToeRules(size=4))
    state, step = game.init(), jax.jit(game.step)
    for action in (3, 0, 6, 1, 9, 2, 12):  # X takes the diagonal from the top right
        assert not game.is_over(state)
        state = step(state, jnp.int32(action))
    assert float(game.outcome(state)) == 1.0


def test_a_board_that_is_too_small_is_named() -> None:
    with pytest.raises(ValueError, match="size is 2; it must be 3 to 5"):
        TicTacToeRules(size=2)
