"""A one-step game behind the Game protocol: player 0 pulls an arm, and its known payoff is the score.

The idea: the right policy and the value of every action are known without any play, so a test can ask a search
whether it improves a policy, and a training step whether it learns one. There is one ply; player 1 only looks on.

After the end the mask shows action 0 alone, which changes nothing.

*Source:* the multi-armed bandit with payoffs that never vary.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int, Int32, Shaped

NOT_PULLED = -1


@dataclass(frozen=True)
class BanditRules:
    """What each arm pays."""

    payoffs: tuple[float, ...] = (-1.0, 0.0, 1.0)  # player 0's points, one an arm; at least two arms

    def __post_init__(self) -> None:
        if len(self.payoffs) < 2 or not all(math.isfinite(payoff) for payoff in self.payoffs):
            raise ValueError(f"payoffs is {self.payoffs}; it must be a tuple of two or more finite numbers")


class BanditState(NamedTuple):
    """One position."""

    pulled: Int32[Array, ""]  # the arm that was pulled; NOT_PULLED before


@dataclass(frozen=True)
class Bandit:
    """The rules as functions of one position; see `research.game.Game`."""

    rules: BanditRules = BanditRules()

    @property
    def num_actions(self) -> int:
        """One action an arm."""
        return len(self.rules.payoffs)

    @property
    def board_shape(self) -> tuple[int, int]:
        """One row with a point an arm."""
        return 1, len(self.rules.payoffs)

    @property
    def max_moves(self) -> int:
        """One ply."""
        return 1

    @property
    def num_symmetries(self) -> int:
        """None but the identity: every arm is its own."""
        return 1

    def init(self) -> BanditState:
        """No arm pulled, player 0 to move."""
        return BanditState(pulled=jnp.int32(NOT_PULLED))

    def step(self, state: BanditState, action: Int[Array, ""], past: None = None) -> BanditState:
        """The end of the game with arm `action` pulled; `state` if it is over or there is no such arm."""
        is_arm = (action >= 0) & (action < self.num_actions)
        pulls = is_arm & ~self.is_over(state)
        return BanditState(pulled=jnp.where(pulls, action.astype(jnp.int32), state.pulled))

    def legal_actions(self, state: BanditState, past: None = None) -> Bool[Array, " num_actions"]:
        """Every arm; after the end action 0 alone, which then changes nothing."""
        return ~self.is_over(state) | (jnp.arange(self.num_actions) == 0)

    def to_play(self, state: BanditState) -> Int32[Array, ""]:
        """0 before the pull, 1 after it."""
        return self.is_over(state).astype(jnp.int32)

    def num_moves(self, state: BanditState) -> Int32[Array, ""]:
        """1 after the pull."""
        return self.is_over(state).astype(jnp.int32)

    def is_over(self, state: BanditState) -> Bool[Array, ""]:
        """Whether an arm has been pulled."""
        return state.pulled != NOT_PULLED

    def score(self, state: BanditState) -> Float32[Array, ""]:
        """The payoff of the arm that player 0 pulled; 0 before."""
        is_pulled = jnp.arange(self.num_actions) == state.pulled
        return jnp.where(is_pulled, jnp.asarray(self.rules.payoffs, jnp.float32), 0.0).sum()

    def outcome(self, state: BanditState) -> Float32[Array, ""]:
        """The sign of that payoff; 0 before the pull."""
        return jnp.sign(self.score(state))

    def restart(self, state: BanditState, should_restart: Bool[Array, ""]) -> BanditState:
        """A new game where `should_restart`, else `state`."""
        return jax.tree.map(lambda new, old: jnp.where(should_restart, new, old), self.init(), state)

    def as_node(self, state: BanditState, max_depth: int) -> tuple[BanditState, None]:
        """(`state`, None): a position here needs nothing of its past."""
        return state, None

    def as_node_below(self, node: BanditState, root: BanditState) -> BanditState:
        """`node`: it holds nothing of its path."""
        return node

    def transform_planes(
        self, planes: Shaped[Array, "rows columns channels"], symmetry: Int[Array, ""]
    ) -> Shaped[Array, "rows columns channels"]:
        """`planes` as they are: the only symmetry is the identity."""
        return planes

    def transform_policy(
        self, policy: Shaped[Array, " num_actions"], symmetry: Int[Array, ""]
    ) -> Shaped[Array, " num_actions"]:
        """`policy` as it is: the only symmetry is the identity."""
        return policy
