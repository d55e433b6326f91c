"""Go behind the Game protocol.

`Go(rules)` closes over the rules; its methods are pure functions of one position. `step` checks its own action from
the four neighbours of the point and one pass over the superko history, without the mask of all legal actions, so a
caller who needs no mask does not pay for it, and a wrong action leaves the position exactly as it was.

*Source:* Tromp-Taylor rules (tromp.github.io/go.html), with the options of `Rules`.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Float32, Int, Int32

from research.go import grid as grids
from research.go import legality, moves, recent, scoring, superko, symmetry, zobrist
from research.go.grid import Grid
from research.go.rules import Rules, check_komi
from research.go.state import NO_KO, NO_MOVE, NUM_RECENT, GoState, History


@dataclass(frozen=True)
class Go:
    """The game played by `rules` on the device; *Raises:* ValueError for rules that it cannot play."""

    rules: Rules

    def __post_init__(self):
        """Refuse what only the host can score."""
        if self.rules.scoring == "territory":
            raise ValueError(
                "scoring='territory': the device game scores by area; use scoring='area' or 'area-pass-dead', or "
                "research.go.host_scoring for a finished game"
            )

    @property
    def num_actions(self) -> int:
        """Points and the pass, which is the last action."""
        return self.grid.num_points + 1

    @property
    def board_shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return (self.rules.size, self.rules.size)

    @property
    def max_moves(self) -> int:
        """Plies after which the game is over, also in the middle of a fight."""
        return self.rules.num_moves_allowed

    @property
    def num_symmetries(self) -> int:
        """All of the square's."""
        return symmetry.NUM_SYMMETRIES

    @property
    def grid(self) -> Grid:
        """Where the points lie in a state's vectors."""
        return Grid(self.rules.size)

    @property
    def has_superko(self) -> bool:
        """Whether a history is kept."""
        return self.rules.ko != "simple"

    def init(self, komi: float | int | Float[Array, ""] | None = None) -> GoState:
        """The empty board, Black to move. `komi` is data: a number, or a traced value of a batch; None: the rules'.

        *Raises:* ValueError for a number that `Rules` would refuse.
        """
        if komi is None:
            komi = self.rules.komi
        if not isinstance(komi, jax.Array):
            check_komi(komi, self.rules.size)
        grid, zero = self.grid, jnp.int32(0)
        capacity = superko.history_capacity(self.max_moves + 1) if self.has_superko else 0
        return GoState(
            label=jnp.zeros(grid.num_cells, jnp.int16),
            atari=jnp.zeros(grid.num_cells, bool),
            recent_boards=jnp.zeros((NUM_RECENT, 2, grid.size), jnp.uint32),
            recent_moves=jnp.full(NUM_RECENT, NO_MOVE, jnp.int16),
            recent_players=zero,
            recent_captures=jnp.uint32(0),
            to_play=zero,
            passes=zero,
            num_moves=zero,
            ko=jnp.int32(NO_KO),
            komi=jnp.asarray(komi, jnp.float32),
            hashes=jnp.zeros(3, jnp.uint32),
            history=jnp.zeros((3, capacity), jnp.uint32),
            history_length=jnp.int32(1 if self.has_superko else 0),
        )

    def step(self, state: GoState, action: Int[Array, ""] | int, past: History | None = None) -> GoState:
        """The position after `action` (row * size + column, size * size to pass).

        The very same state if the game is over or the action illegal, a number that is no action included.
        """
        grid, rules, action = self.grid, self.rules, self._as_action(action)
        is_point = (action >= 0) & (action < grid.num_points) & ~self.is_over(state)
        is_passed = (action == grid.num_points) & ~self.is_over(state)
        cell = grids.cell_of(grid, jnp.where(is_point, action, 0))
        around = legality.look_around(grid, state, cell)
        is_played = is_point & legality.is_legal_point(rules, state, cell, around)
        hashes = superko.hashes_after(grid, rules, state, cell, around)
        if self.has_superko:
            situation = zobrist.situation(hashes, 1 - state.to_play, rules.ko)
            is_played = is_played & ~superko.is_repetition(situation, _histories(state, past), is_played)
        is_turn = is_played | is_passed
        placed = moves.place(grid, state, cell, around, moves.removal(rules, around), is_played)
        after = state._replace(
            label=placed.label,
            atari=placed.atari,
            to_play=state.to_play ^ is_turn,
            passes=jnp.where(is_played, 0, state.passes + is_passed),
            num_moves=state.num_moves + is_turn,
            ko=jnp.where(is_turn, placed.ko, state.ko),
            hashes=jnp.where(is_played, hashes, state.hashes),
        )
        after = recent.remember(grid, after, state.to_play, action, placed, is_turn)
        return self._push(after, is_played, is_passed) if self.has_superko else after

    def legal_actions(self, state: GoState, past: History | None = None) -> Bool[Array, " num_actions"]:
        """Mask of the legal actions, exact for the ko and suicide rule; after the end the pass alone."""
        grid = self.grid
        legal = legality.legal_points(grid, self.rules, state) & ~self.is_over(state)
        if self.has_superko:
            legal = superko.without_repeats(grid, self.rules, state, legal, _histories(state, past))
        return _with_pass(grid, legal)

    def to_play(self, state: GoState) -> Int32[Array, ""]:
        """0 Black, 1 White."""
        return state.to_play

    def num_moves(self, state: GoState) -> Int32[Array, ""]:
        """Plies played so far, passes included; a position that was set up begins at 0."""
        return state.num_moves

    def is_over(self, state: GoState) -> Bool[Array, ""]:
        """Whether there were two passes in a row, or `max_moves` plies."""
        return (state.passes >= 2) | (state.num_moves >= self.max_moves)

    def score(self, state: GoState) -> Float32[Array, ""]:
        """Black's points minus White's minus komi, of the board as it stands, by the rules' scoring and tax."""
        return scoring.points_difference(self.grid, self.rules, state) - state.komi

    def outcome(self, state: GoState) -> Float32[Array, ""]:
        """+1 Black won, -1 White won, 0 drawn or not over; costs next to nothing where the game is not over."""
        is_over = self.is_over(state)
        score = scoring.points_difference(self.grid, self.rules, state, is_over) - state.komi
        return jnp.where(is_over, jnp.sign(score), jnp.float32(0))

    def restart(self, state: GoState, should_restart: Bool[Array, ""]) -> GoState:
        """The empty board with the game's own komi where `should_restart`, else `state`.

        The history keeps its old entries but for the first: its length says that they no longer count.
        """
        fresh = self.init(state.komi)
        history = state.history
        if self.has_superko:
            history = superko.push(history, 0, fresh.history[:, 0], should_restart)
        state = state._replace(history=fresh.history)  # so that the select has nothing large to rewrite
        chosen = jax.tree.map(lambda new, old: jnp.where(should_restart, new, old), fresh, state)
        return chosen._replace(history=history)

    def as_node(self, state: GoState, max_depth: int) -> tuple[GoState, History]:
        """(`state` with room for the situations of `max_depth` plies only, those that had occurred so far)."""
        capacity = superko.history_capacity(max_depth) if self.has_superko else 0
        node = state._replace(history=jnp.zeros((3, capacity), jnp.uint32), history_length=jnp.int32(0))
        return node, History(state.history, state.history_length)

    def as_node_below(self, node: GoState, root: GoState) -> GoState:
        """`node` with the situations since `root`, which stood a ply below the old root and so holds one or none."""
        if not self.has_superko:
            return node
        later = jnp.concatenate([node.history[:, 1:], jnp.zeros_like(node.history[:, :1])], axis=1)
        return node._replace(
            history=jnp.where(root.history_length > 0, later, node.history),
            history_length=node.history_length - root.history_length,
        )

    def transform_planes(self, planes: Array, symmetry_number: Int[Array, ""]) -> Array:
        """`planes` [rows, columns, channels] seen under a symmetry, in the order of symmetry.py."""
        return symmetry.transform_planes(planes, symmetry_number)

    def transform_policy(
        self, policy: Float[Array, " num_actions"], symmetry_number: Int[Array, ""]
    ) -> Float[Array, " num_actions"]:
        """`policy` with each point moved as `transform_planes` moves it; the pass stays."""
        return symmetry.transform_policy(policy, symmetry_number, self.rules.size)

    def _as_action(self, action: Int[Array, ""] | int) -> Int32[Array, ""]:
        """`action` as int32, -1 for a number on the host that is no action: int32 could wrap it into one."""
        if isinstance(action, jax.Array):
            return action.astype(jnp.int32)
        return jnp.int32(action if action in range(self.num_actions) else -1)

    def _push(self, state: GoState, is_played: Bool[Array, ""], is_passed: Bool[Array, ""]) -> GoState:
        """`state` with the situation that it has come to in its history."""
        is_new = is_played | is_passed if self.rules.ko == "situational" else is_played
        entry = zobrist.situation(state.hashes, state.to_play, self.rules.ko)
        return state._replace(
            history=superko.push(state.history, state.history_length, entry, is_new),
            history_length=state.history_length + is_new,
        )


def _histories(state: GoState, past: History | None) -> tuple[History, ...]:
    """The parts of the history, oldest first."""
    own = History(state.history, state.history_length)
    return (own,) if past is None else (past, own)


def _with_pass(grid: Grid, legal: Bool[Array, " band"]) -> Bool[Array, " num_actions"]:
    """The band's points in the order of actions, and the pass, which is always legal."""
    num_points, action = grid.num_points, np.arange(grid.num_points + 1)
    places = np.append(grid.cells - grid.width, 0)
    row = np.minimum(action // grid.size, grid.size - 1)

    # Row r of the board begins r cells later in the band than in the mask: one select a row, bytes side by side. Where
    # a CPU gathers or appends instead it goes point by point, and takes what reads the mask along with it.
    def by_selects(legal):
        mask = legal[: num_points + 1]
        for number in range(1, grid.size):
            mask = jnp.where(row == number, legal[number : number + num_points + 1], mask)
        return mask | (action == num_points)

    return lax.platform_dependent(
        legal,
        cpu=by_selects,
        tpu=lambda legal: jnp.append(grids.to_points(grid, legal).reshape(-1), True),
        default=lambda legal: legal.at[places].get(mode="promise_in_bounds") | (action == num_points),
    )
