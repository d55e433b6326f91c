"""Influence maps from random games of Go: what becomes of a position when both sides play anything but their own eyes.

A random game that spares the eyes comes to an end by itself, with every stone that cannot be caught at random alive;
then each point is in somebody's area. Many positions are played out side by side on the device, until the last of them
is over.

*Source:* Bruegmann 1993, "Monte Carlo Go".
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float32, Int8, Key

from research import go
from research.game import State
from research.go import grid as grids
from research.go.eyes import true_eyes
from research.go.rules import MAX_MAX_MOVES
from research.go.state import board_size
from research.search.influence import MapStates, map_from_owners
from research.search.model import Variables

LENGTH = 3  # plies of a playout at most, in boards full of points


def make_playout_maps(game: go.Go, num_playouts: int = 1, max_plies: int | None = None) -> MapStates:
    """Own maps from random games of Go, `num_playouts` of each position, to their end or `max_plies`.

    Both sides play random legal moves, but fill no eye of their own, and pass when there is nothing else; only
    simple ko binds. At the end each point is whose area it is in. A finished game is mapped as it stands.
    *Raises:* ValueError if there would be no playout.
    """
    size = game.rules.size
    max_plies = LENGTH * size * size if max_plies is None else max_plies
    if num_playouts < 1 or max_plies < 0:
        raise ValueError(f"num_playouts is {num_playouts}, max_plies {max_plies}; allowed: 1 or more, 0 or more")
    # The clock of the game itself must not end a playout, and its history would be carried through every ply.
    free = go.Go(dataclasses.replace(game.rules, ko="simple", suicide=False, scoring="area", max_moves=MAX_MAX_MOVES))

    def map_states(
        variables: Variables, states: State, keys: Key[Array, " batch"]
    ) -> Float32[Array, "batch rows columns"]:
        del variables
        is_over = jax.vmap(game.is_over)(states)
        bare = states._replace(history=states.history[..., :0], history_length=jnp.zeros_like(states.history_length))

        def play_all(number: Array) -> Float32[Array, "batch rows columns"]:
            own_keys = jax.vmap(lambda key: jax.random.fold_in(key, number))(keys)
            return map_from_owners(jax.vmap(area)(play_out(free, bare, is_over, own_keys, max_plies)))

        return jnp.mean(lax.map(play_all, jnp.arange(num_playouts)), axis=0)

    return map_states


def play_out(
    game: go.Go, states: go.GoState, is_over: Bool[Array, " batch"], keys: Key[Array, " batch"], max_plies: int
) -> go.GoState:
    """The positions at the end of one random game from each; those that are over stay."""

    def ply(carry: tuple[Array, go.GoState, Array]) -> tuple[Array, go.GoState, Array]:
        number, states, is_over = carry
        played = jax.vmap(lambda state, key: _random_ply(game, state, jax.random.fold_in(key, number)))(states, keys)
        states = jax.tree.map(
            lambda new, old: jnp.where(is_over.reshape(-1, *[1] * (new.ndim - 1)), old, new), played, states
        )
        return number + 1, states, is_over | jax.vmap(game.is_over)(states)

    def goes_on(carry: tuple[Array, go.GoState, Array]) -> Bool[Array, ""]:
        return (carry[0] < max_plies) & ~jnp.all(carry[2])

    return lax.while_loop(goes_on, ply, (jnp.int32(0), states, is_over))[1]


def _random_ply(game: go.Go, state: go.GoState, key: Key[Array, ""]) -> go.GoState:
    """One random move that is no eye of the mover's own; a pass if there is none."""
    legal = game.legal_actions(state)[:-1] & ~true_eyes(game.grid, state.label, state.to_play).reshape(-1)
    draw = jnp.where(legal, jax.random.uniform(key, legal.shape), -1.0)
    action = jnp.where(jnp.any(legal), jnp.argmax(draw), game.num_actions - 1)
    return game.step(state, action.astype(jnp.int32))


def area(state: go.GoState) -> Int8[Array, "size size"]:
    """Whose area each point is in, every stone alive: 0 nobody's, 1 Black's, 2 White's."""
    grid = grids.Grid(board_size(state))
    rows = state.recent_boards[0]
    empty = ~(rows[0] | rows[1]) & np.uint32((1 << grid.size) - 1)
    reach = grids.flood_rows(rows, empty)
    is_black, is_white = (grids.unpack_rows(grid, reach[own] & ~reach[1 - own]) for own in (0, 1))
    return jnp.where(is_black, 1, jnp.where(is_white, 2, 0)).astype(jnp.int8)
