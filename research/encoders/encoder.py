"""The Encoder: how one position becomes the planes, and the global numbers, that a network reads.

The idea: an encoder is data (a name, the names of its planes and globals, the games that it fits) and one or two pure
functions of one position. They run under jit and vmap; whether the game fits is checked on the host, when it is
traced, so a mismatch is a message before anything compiles.

Planes are bool where every plane is a yes or no, uint8 for small counts and float32 where one of them is a number;
what they become inside a network is the network's choice. Globals, which belong to no point, are float32.

*Source:* own design; globals as in Wu, "Accelerating Self-Play Learning in Go" (2019), appendix A.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, UInt8

from research.game import Game, State

Planes = (
    Bool[Array, "rows columns num_planes"]
    | UInt8[Array, "rows columns num_planes"]
    | Float32[Array, "rows columns num_planes"]
)
Globals = Float32[Array, " num_globals"]


@dataclass(frozen=True)
class Encoder:
    """One way of turning positions into planes and globals; `research.encoders.get` makes them."""

    name: str  # the name in the registry
    plane_names: tuple[str, ...]  # one a plane, in order
    game_type: type  # the class of the games that it can read
    draw: Callable[..., Planes] = field(repr=False)  # (game, state) -> planes; `encode` is its checked form
    global_names: tuple[str, ...] = ()  # one a global, in order
    # (game, state) -> globals; `encode_globals` is its checked form. None: there are none.
    draw_globals: Callable[..., Globals] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse globals without names, and names without globals."""
        if bool(self.global_names) != (self.draw_globals is not None):
            raise ValueError(
                f"the encoder {self.name!r} has {len(self.global_names)} global_names and "
                f"{'a' if self.draw_globals else 'no'} draw_globals; give both or neither"
            )

    @property
    def num_planes(self) -> int:
        """How many planes `encode` gives."""
        return len(self.plane_names)

    @property
    def num_globals(self) -> int:
        """How many numbers `encode_globals` gives; 0 for most encoders."""
        return len(self.global_names)

    def check_game(self, game: Game) -> None:
        """Nothing, if this encoder can read positions of `game`.

        *Raises:* ValueError that names the encoder, the game, and the game that was wanted.
        """
        if not isinstance(game, self.game_type):
            raise ValueError(
                f"the encoder {self.name!r} reads positions of {self.game_type.__name__}, "
                f"and this is a game of {type(game).__name__}; choose an encoder made for it"
            )

    def encode(self, game: Game, state: State) -> Planes:
        """The planes of one position, channels last, the player to move being "own" (unless a plane names a colour).

        *Raises:* ValueError, when traced, if `game` is not one that this encoder reads, or `state` no position of it.
        """
        self.check_game(game)
        check_state(game, state)
        return self.draw(game, state)

    def encode_globals(self, game: Game, state: State) -> Globals:
        """The global numbers of one position, seen by the player to move; an empty vector if there are none.

        *Raises:* ValueError, when traced, if `game` is not one that this encoder reads, or `state` no position of it.
        """
        self.check_game(game)
        check_state(game, state)
        if self.draw_globals is None:
            return jnp.zeros(0, jnp.float32)
        return self.draw_globals(game, state)


def check_state(game: Game, state: State) -> None:
    """Nothing, if `state` has the fields and shapes of a position of `game`.

    *Raises:* ValueError that names what was got and wanted, for another game's state, size or a batch of states.
    """
    wanted = _first_shapes(game)
    if type(state) is not type(wanted):
        raise ValueError(f"the state is a {type(state).__name__}; wanted a {type(wanted).__name__} of the same game")
    for name, got, first in zip(wanted._fields, state, wanted, strict=True):
        shape = jnp.shape(got)
        if len(shape) == len(first.shape) + 1:
            raise ValueError(f"{name} of the state has the shape {shape}: encode takes one position; use jax.vmap")
        # A node of a search tree has a history as long as its path.
        if name != "history" and shape != first.shape:
            raise ValueError(f"{name} of the state has the shape {shape}; wanted {first.shape}, as this game's have")


@cache
def _first_shapes(game: Game) -> Any:
    """The shapes of a game's first position."""
    return jax.eval_shape(game.init)
