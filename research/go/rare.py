"""Work that few games of a batch need, done for those games only.

Under vmap a cond runs both branches for every game, and a loop runs every game until the slowest ends. Superko makes
that dear: one step in hundreds has a move to try, so nearly every step of a large batch would try a move in all of its
games. Here the games that need the work are gathered a few at a time, and their results written back. A batch in
which none needs it pays for one look at its flags.

A TPU gathers badly and would lay the whole history out anew for it, and a small batch has nothing to gain: there the
work is done for all games as soon as one needs it.

Where the compiler splits a batch over devices this gathers across them, which is right but slow. Games are therefore
split by shard_map, as in training: each device then looks at its own.

*Source:* own design.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, Int32

GAMES_AT_A_TIME = 8  # gathered in one trip, unless the caller knows better


def where_needed(
    function: Callable,
    is_needed: Bool[Array, ""],
    otherwise: Any,
    *arguments: Any,
    games_at_a_time: int = GAMES_AT_A_TIME,
) -> Any:
    """`function(*arguments)` of one game if `is_needed`, else `otherwise`, which has the same shapes and types.

    `function` closes over no traced values: all that it reads are its arguments.
    """

    @custom_vmap
    def of_one(is_needed: Array, otherwise: Any, arguments: Any) -> Any:
        return lax.cond(is_needed, lambda: function(*arguments), lambda: otherwise)

    @of_one.def_vmap
    def of_batch(num_games: int, is_batched: Any, *operands: Any) -> Any:
        stacked = jax.tree.map(
            lambda value, batched: value if batched else jnp.broadcast_to(value, (num_games, *jnp.shape(value))),
            operands,
            tuple(is_batched),
        )
        every = functools.partial(_of_every_game, function)
        some = functools.partial(_of_some_games, function, games_at_a_time)
        if num_games <= games_at_a_time:
            result = every(*stacked)
        else:
            result = lax.platform_dependent(*stacked, tpu=every, default=some)
        return result, jax.tree.map(lambda _: True, result)

    return of_one(is_needed, otherwise, arguments)


def _of_every_game(function: Callable, is_needed: Bool[Array, " games"], otherwise: Any, arguments: Any) -> Any:
    """The results of a batch, worked out for all of it if a game needs it."""

    def work() -> Any:
        def choose(is_needed: Array, found: Any, otherwise: Any) -> Any:
            return jax.tree.map(lambda new, old: jnp.where(is_needed, new, old), found, otherwise)

        return jax.vmap(choose)(is_needed, jax.vmap(function)(*arguments), otherwise)

    return lax.cond(is_needed.any(), work, lambda: otherwise)


def _of_some_games(
    function: Callable, games_at_a_time: int, is_needed: Bool[Array, " games"], otherwise: Any, arguments: Any
) -> Any:
    """The results of a batch, worked out for a few of the games that need it at a time."""

    def work(carry: tuple[Array, Any]) -> tuple[Array, Any]:
        waiting, results = carry
        games = _first_games(waiting, games_at_a_time)
        gathered = jax.tree.map(lambda value: value.at[games].get(mode="clip"), arguments)
        found = jax.vmap(function)(*gathered)
        results = jax.tree.map(lambda old, new: old.at[games].set(new, mode="drop"), results, found)
        return waiting & (np.arange(waiting.shape[0]) > games[-1]), results

    return lax.while_loop(lambda carry: carry[0].any(), work, (is_needed, otherwise))[1]


def _first_games(waiting: Bool[Array, " games"], num_gathered: int) -> Int32[Array, " gathered"]:
    """The numbers of the first games that wait, in order, then the number of games where there are no more."""
    is_waiting, games = lax.top_k(waiting.astype(jnp.float32), num_gathered)  # of equals the first go first
    return jnp.where(is_waiting > 0, games, waiting.shape[0])
