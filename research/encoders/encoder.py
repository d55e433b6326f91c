"""The Encoder: how one position becomes the planes that a network reads.

The idea: an encoder is data (a name, the names of its planes, the games that it fits) and one pure function of one
position. The function runs under jit and vmap; whether the game fits is checked on the host, when it is traced, so a
mismatch is a message before anything compiles.

*Source:* own design.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from jaxtyping import Array, Bool

from research.game import Game, State

Planes = Bool[Array, "rows columns num_planes"]


@dataclass(frozen=True)
class Encoder:
    """One way of turning positions into planes; `research.encoders.get` makes them."""

    name: str  # the name in the registry
    plane_names: tuple[str, ...]  # one a plane, in order
    game_type: type  # the class of the games that it can read
    draw: Callable[..., Planes] = field(repr=False)  # (game, state) -> planes; `encode` is its checked form

    @property
    def num_planes(self) -> int:
        """How many planes `encode` gives."""
        return len(self.plane_names)

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

        *Raises:* ValueError, when traced, if `game` is not one that this encoder reads.
        """
        self.check_game(game)
        return self.draw(game, state)
