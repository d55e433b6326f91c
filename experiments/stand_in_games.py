"""Games that a search can be timed on beside ours: one in which nothing happens, and Pgx's Go.

*Source:* own design.
"""

import importlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Float32, Int, Int32


class Count(NamedTuple):
    """A position of a game in which nothing happens."""

    num_moves: Int32[Array, ""]  # plies


@dataclass(frozen=True)
class Nothing:
    """A game with as many actions as Go, all of them legal, that never ends: a search of it is the search alone."""

    size: int  # points a side

    @property
    def num_actions(self) -> int:
        """Points and the pass."""
        return self.size**2 + 1

    @property
    def board_shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return (self.size, self.size)

    @property
    def max_moves(self) -> int:
        """No game gets that far."""
        return 1 << 30

    @property
    def num_symmetries(self) -> int:
        """Only the one that changes nothing."""
        return 1

    def init(self) -> Any:
        """No ply yet."""
        return Count(jnp.int32(0))

    def step(self, state: Any, action: Int[Array, ""], past: None = None) -> Any:
        """One ply more."""
        return Count(state.num_moves + 1)

    def legal_actions(self, state: Any, past: None = None) -> Bool[Array, " num_actions"]:
        """All."""
        return jnp.ones(self.num_actions, bool)

    def to_play(self, state: Any) -> Int[Array, ""]:
        """Players alternate."""
        return state.num_moves & 1

    def num_moves(self, state: Any) -> Int[Array, ""]:
        """Plies."""
        return state.num_moves

    def is_over(self, state: Any) -> Bool[Array, ""]:
        """Never."""
        return jnp.bool_(False)

    def score(self, state: Any) -> Float32[Array, ""]:
        """Even."""
        return jnp.float32(0)

    def outcome(self, state: Any) -> Float32[Array, ""]:
        """None."""
        return jnp.float32(0)

    def restart(self, state: Any, should_restart: Bool[Array, ""]) -> Any:
        """A new game where `should_restart`."""
        return jax.tree.map(lambda new, old: jnp.where(should_restart, new, old), self.init(), state)

    def as_node(self, state: Any, max_depth: int) -> tuple[Any, None]:
        """The whole state; there is no past."""
        return state, None

    def as_node_below(self, node: Any, root: Any) -> Any:
        """`node`: it holds nothing of its path."""
        return node

    def transform_planes(self, planes: Array, symmetry: Int[Array, ""], /) -> Array:
        """As they are."""
        return planes

    def transform_policy(
        self, policy: Float[Array, " num_actions"], symmetry: Int[Array, ""], /
    ) -> Float[Array, " num_actions"]:
        """As it is."""
        return policy


@dataclass(frozen=True)
class PgxGo(Nothing):
    """Pgx's Go as a search asks for a game: its state, planes and mask included, is the node. Needs the extra `bench`.

    The player number is the one that Pgx gives the players, and an outcome is what player 0 got by the last ply.
    """

    def _env(self) -> Any:
        return importlib.import_module("pgx").make(f"go_{self.size}x{self.size}")

    def init(self) -> Any:
        """The empty board, with Pgx's draw of who is Black."""
        return self._env().init(jax.random.key(0))

    def step(self, state: Any, action: Int[Array, ""], past: None = None) -> Any:
        """Pgx's own step, which draws the planes and the mask."""
        return self._env().step(state, action)

    def legal_actions(self, state: Any, past: None = None) -> Bool[Array, " num_actions"]:
        """As the step left it."""
        return state.legal_action_mask

    def to_play(self, state: Any) -> Int[Array, ""]:
        """The number of the player to move."""
        return state.current_player

    def num_moves(self, state: Any) -> Int[Array, ""]:
        """Plies, as Pgx counts them."""
        return state._step_count

    def is_over(self, state: Any) -> Bool[Array, ""]:
        """Whether the game has ended."""
        return state.terminated

    def outcome(self, state: Any) -> Float32[Array, ""]:
        """What player 0 got by the last ply."""
        return state.rewards[0]
