"""Positions that are set up rather than played: handicap stones, diagrams, problems.

Chains, liberties and hashes are found from scratch. A set-up position has no past: it is the first situation in its
own superko history, and the older boards that encoders ask for are empty.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Int8

from research.go import chains, zobrist
from research.go import grid as grids
from research.go.game import Go
from research.go.state import GoState


def set_up(
    game: Go,
    stones: Int8[Array, "size size"],
    to_play: Int[Array, ""],
    komi: float | int | Float[Array, ""] | None = None,
) -> GoState:
    """The game that starts from `stones` (0 empty, 1 black, 2 white) with `to_play` (0 black, 1 white) to move.

    Every chain must have a liberty; here nothing checks that (see text.py). `komi` as in `Go.init`.
    """
    grid = game.grid
    label = chains.label_chains(grid, stones)
    hashes = zobrist.board_hash(grid, label)
    rows = jnp.stack([grids.pack_rows(grid, sign * label[grid.band] > 0) for sign in (1, -1)])
    state = game.init(komi)
    first = zobrist.situation(hashes, to_play, game.rules.ko)
    return state._replace(
        label=label,
        atari=chains.count_liberties(grid, label) == 1,
        recent_boards=state.recent_boards.at[0].set(rows),
        to_play=to_play.astype(jnp.int32),
        hashes=hashes,
        history=state.history.at[:, 0].set(first) if game.has_superko else state.history,
    )
