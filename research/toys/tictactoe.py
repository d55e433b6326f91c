"""Tic-tac-toe behind the Game protocol: small enough to solve, deep enough to show a search's mistakes.

The idea: a board of 0, 1, 2 (empty, X, O) and a ply count say everything. Lines are sums over rows, columns and
diagonals, so a position is judged without a loop or a table. Player 0 is X and moves first.

After the end the mask shows action 0 alone, as Go's shows the pass alone: it changes nothing, and a search spends no
width on a finished game.

*Source:* the usual rules: a full row, column or long diagonal of one side wins, a full board without one is a draw.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int, Int8, Int32, Shaped

from research.go import symmetry as square

EMPTY, CROSS, NOUGHT = 0, 1, 2
_MIN_SIZE, _MAX_SIZE = 3, 5


@dataclass(frozen=True)
class TicTacToeRules:
    """How large the board is."""

    size: int = 3  # points along a side, which is also the length of a winning line; 3 to 5

    def __post_init__(self) -> None:
        if not _MIN_SIZE <= self.size <= _MAX_SIZE:
            raise ValueError(f"size is {self.size}; it must be {_MIN_SIZE} to {_MAX_SIZE}")


class TicTacToeState(NamedTuple):
    """One position."""

    points: Int8[Array, " points"]  # EMPTY, CROSS or NOUGHT, row by row from the top left
    num_moves: Int32[Array, ""]  # plies played


@dataclass(frozen=True)
class TicTacToe:
    """The rules as functions of one position; see `research.game.Game`."""

    rules: TicTacToeRules = TicTacToeRules()

    @property
    def num_actions(self) -> int:
        """One action a point, row by row from the top left."""
        return self.rules.size**2

    @property
    def board_shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return self.rules.size, self.rules.size

    @property
    def max_moves(self) -> int:
        """Plies until the board is full."""
        return self.rules.size**2

    @property
    def num_symmetries(self) -> int:
        """All symmetries of the square."""
        return square.NUM_SYMMETRIES

    def init(self) -> TicTacToeState:
        """The empty board, X to move."""
        return TicTacToeState(points=jnp.zeros(self.num_actions, jnp.int8), num_moves=jnp.int32(0))

    def step(self, state: TicTacToeState, action: Int[Array, ""], past: None = None) -> TicTacToeState:
        """The position with the mover's sign on `action`; `state` if the game is over or that is no empty point."""
        # A compare against every point, not an index: an action that is no point then matches nothing.
        is_played = (jnp.arange(self.num_actions) == action) & (state.points == EMPTY) & ~self.is_over(state)
        sign = jnp.where(self.to_play(state) == 0, CROSS, NOUGHT).astype(jnp.int8)
        return TicTacToeState(
            points=jnp.where(is_played, sign, state.points),
            num_moves=state.num_moves + is_played.any().astype(jnp.int32),
        )

    def legal_actions(self, state: TicTacToeState, past: None = None) -> Bool[Array, " num_actions"]:
        """The empty points; after the end action 0 alone, which then changes nothing."""
        return jnp.where(self.is_over(state), jnp.arange(self.num_actions) == 0, state.points == EMPTY)

    def to_play(self, state: TicTacToeState) -> Int32[Array, ""]:
        """0 when X is to move, 1 when O is."""
        return state.num_moves % 2

    def num_moves(self, state: TicTacToeState) -> Int32[Array, ""]:
        """Signs on the board."""
        return state.num_moves

    def is_over(self, state: TicTacToeState) -> Bool[Array, ""]:
        """Whether a line or the board is full."""
        return (self._winner(state) != 0) | (state.num_moves >= self.max_moves)

    def score(self, state: TicTacToeState) -> Float32[Array, ""]:
        """+1 with a full line of X, -1 with one of O, else 0."""
        return self._winner(state)

    def outcome(self, state: TicTacToeState) -> Float32[Array, ""]:
        """+1 if X won, -1 if O won, 0 if drawn or not over."""
        return self._winner(state)

    def restart(self, state: TicTacToeState, should_restart: Bool[Array, ""]) -> TicTacToeState:
        """The empty board where `should_restart`, else `state`."""
        return jax.tree.map(lambda new, old: jnp.where(should_restart, new, old), self.init(), state)

    def as_node(self, state: TicTacToeState, max_depth: int) -> tuple[TicTacToeState, None]:
        """(`state`, None): a position here needs nothing of its past."""
        return state, None

    def as_node_below(self, node: TicTacToeState, root: TicTacToeState) -> TicTacToeState:
        """`node`: it holds nothing of its path."""
        return node

    def transform_planes(
        self, planes: Shaped[Array, "rows columns channels"], symmetry: Int[Array, ""]
    ) -> Shaped[Array, "rows columns channels"]:
        """`planes` seen under `symmetry`, in the order of `research.go.symmetry`."""
        return square.transform_planes(planes, symmetry)

    def transform_policy(
        self, policy: Shaped[Array, " num_actions"], symmetry: Int[Array, ""]
    ) -> Shaped[Array, " num_actions"]:
        """`policy` seen under `symmetry`."""
        return square.transform_policy(policy, symmetry, self.rules.size)

    def _winner(self, state: TicTacToeState) -> Float32[Array, ""]:
        """+1 with a full line of X, -1 with one of O, else 0."""
        board = state.points.reshape(self.board_shape)

        def has_line(is_own: Bool[Array, "rows columns"]) -> Bool[Array, ""]:
            straight = is_own.all(0).any() | is_own.all(1).any()
            return straight | jnp.diagonal(is_own).all() | jnp.diagonal(is_own[:, ::-1]).all()

        return has_line(board == CROSS).astype(jnp.float32) - has_line(board == NOUGHT).astype(jnp.float32)
