"""The Game protocol: what search, self-play, training and evaluation ask of any two-player game.

A game object is a frozen, hashable description of the rules (so it can be closed over by jitted functions); its
methods are pure functions of one position, written for jit and vmap. `step` is total: on a finished game, or with an
illegal action, it gives the state back unchanged, so a finished game absorbs every action.

A position may need its past to know what is legal (superko in Go, repetition in chess). That past is large and every
node of a search tree shares it, so `as_node` takes it off the state; search hands it back to `step` and
`legal_actions` as `past`. A node then holds only what its own path adds. Outside a search `past` is None.

Player 0 moves first (Black in Go, X in tic-tac-toe), player 1 second. `score` and `outcome` speak for player 0.
"""

from typing import Any, Protocol, runtime_checkable

from jaxtyping import Array, Bool, Float, Int

State = Any  # a NamedTuple of arrays: one position and what the rules must remember of the way there
Past = Any  # a pytree: the part of a search root's past that its whole tree shares, or None


@runtime_checkable  # so that the tests' type checks can ask whether an object is a game
class Game(Protocol):
    """Rules of one two-player, zero-sum, perfect-information game."""

    @property
    def num_actions(self) -> int:
        """Number of actions; action indices are int32 in [0, num_actions)."""
        ...

    @property
    def board_shape(self) -> tuple[int, int]:
        """(rows, columns) of the board that encoders draw planes for."""
        ...

    @property
    def max_moves(self) -> int:
        """Plies after which a game is over whatever stands on the board."""
        ...

    @property
    def num_symmetries(self) -> int:
        """How many board symmetries leave the rules unchanged: 8 for square boards, 1 for none."""
        ...

    def init(self) -> State:
        """The position before the first move."""
        ...

    def step(self, state: State, action: Int[Array, ""], past: Past = None) -> State:
        """The position after `action`; `state` itself if the game is over or the action illegal."""
        ...

    def legal_actions(self, state: State, past: Past = None) -> Bool[Array, " num_actions"]:
        """Mask of the legal actions; never all false, also when the game is over."""
        ...

    def to_play(self, state: State) -> Int[Array, ""]:
        """The player to move, 0 or 1 (int32)."""
        ...

    def num_moves(self, state: State) -> Int[Array, ""]:
        """Plies played so far (int32)."""
        ...

    def is_over(self, state: State) -> Bool[Array, ""]:
        """Whether the game has ended."""
        ...

    def score(self, state: State) -> Float[Array, ""]:
        """Points of player 0 minus points of player 1 if the game were scored as it stands (float32)."""
        ...

    def outcome(self, state: State) -> Float[Array, ""]:
        """+1 if player 0 won, -1 if player 1 won, 0 if drawn or not over (float32)."""
        ...

    def restart(self, state: State, should_restart: Bool[Array, ""]) -> State:
        """A new game where `should_restart`, else `state`.

        Behaves exactly as a state from `init`, with the game's own settings that are data (such as komi) kept. Unlike
        a select over the whole tree it need not rewrite large buffers that a new game never reads.
        """
        ...

    def as_node(self, state: State, max_depth: int) -> tuple[State, Past]:
        """(`state` without its past, that past), for a search tree at most `max_depth` plies deep."""
        ...

    def as_node_below(self, node: State, root: State) -> State:
        """`node` of a search tree, for the tree of `root`, which becomes the root and stood a ply below the old one.

        What the path adds to `node` then begins at `root`; what it added before is in the past of the new root.
        """
        ...

    def transform_planes(self, planes: Array, symmetry: Int[Array, ""], /) -> Array:
        """`planes` [rows, columns, channels] seen under board symmetry number `symmetry`."""
        ...

    def transform_policy(
        self, policy: Float[Array, " num_actions"], symmetry: Int[Array, ""], /
    ) -> Float[Array, " num_actions"]:
        """`policy` with each action moved as `transform_planes` moves its point."""
        ...
