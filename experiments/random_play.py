"""Games of random moves, ours and Pgx's, as the benchmarks play them: many plies in one call on the device.

A ply is the same for both: a random legal move, the step, the result if the game is over, a new game after it, the
legal mask of the position that this led to, and where wanted the planes. What the next ply and a network would read
(mask, planes) is carried from ply to ply, as Pgx's state carries it, so that all of it is really written.
"""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32

from research import encoders, go
from research.go.grid import reduce_slices

PASS_EVERY = 64  # one ply in so many passes


class Playing(NamedTuple):
    """One of our games under way."""

    state: go.GoState
    mask: Bool[Array, " num_actions"]  # legal actions
    planes: Any  # of agz17, or () where nobody wants them


class RandomGames(NamedTuple):
    """A batch of games and how to play on."""

    ply: Callable[[Any, UInt32[Array, ""]], tuple[Any, Array]]  # (game, seed) -> (game, result), for one game
    games: Any  # the batch, before its first move


def our_games(size: int, batch: int, ko: str = "positional", with_planes: bool = False) -> RandomGames:
    """Games of this library; komi and `max_moves` are as Pgx has them; *Raises:* ValueError for no games."""
    if batch < 1:
        raise ValueError(f"batch is {batch}; allowed: 1 or more games")
    game = go.Go(go.Rules(size=size, ko=ko))  # type: ignore[arg-type]
    encoder = encoders.get("agz17")

    def look(state: go.GoState) -> Playing:
        return Playing(state, game.legal_actions(state), encoder.encode(game, state) if with_planes else ())

    def ply(playing: Playing, seed: UInt32[Array, ""]) -> tuple[Playing, Array]:
        state = game.step(playing.state, choose(playing.mask, seed))
        outcome = game.outcome(state)
        return look(game.restart(state, game.is_over(state))), outcome

    return RandomGames(ply, jax.jit(jax.vmap(lambda _: look(game.init())))(jnp.arange(batch)))


def pgx_games(size: int, batch: int) -> RandomGames:
    """Games of Pgx, which draws its planes at every ply and has no superko in its mask."""
    env = importlib.import_module("pgx").make(f"go_{size}x{size}")
    step = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)

    def ply(state: Any, seed: UInt32[Array, ""]) -> tuple[Any, Array]:
        state = step(state, choose(state.legal_action_mask, seed), jax.random.key(0))
        return state, state.rewards[0]

    return RandomGames(ply, jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), batch)))


def make_play(random_games: RandomGames, donate: bool = True) -> Callable[..., tuple[Any, Array]]:
    """A jitted function ((games, sums of results), first ply, ply to stop before) -> the same, so many plies on."""

    def play(carry: tuple[Any, Array], first: Int32[Array, ""], end: Int32[Array, ""]) -> tuple[Any, Array]:
        def body(number: Array, carry: tuple[Any, Array]) -> tuple[Any, Array]:
            games, total = carry
            games, results = jax.vmap(random_games.ply)(games, mix(jnp.arange(total.shape[0]), number))
            return games, total + results

        return lax.fori_loop(first, end, body, carry)

    return jax.jit(play, donate_argnums=0 if donate else ())


def start_of(random_games: RandomGames) -> tuple[Any, Array]:
    """What `make_play` plays on from: the games, and no results yet."""
    return random_games.games, jnp.zeros(jax.tree.leaves(random_games.games)[0].shape[0], jnp.float32)


def make_run(random_games: RandomGames, num_plies: int) -> Callable[[], Any]:
    """A function that plays on for `num_plies` plies each time it is called."""
    play = make_play(random_games)
    held = {"carry": start_of(random_games), "ply": 0}

    def run() -> Any:
        first = held["ply"]
        held["ply"] = first + num_plies
        held["carry"] = play(held["carry"], jnp.int32(first), jnp.int32(held["ply"]))
        return held["carry"]

    return run


def make_run_from(random_games: RandomGames, age: int, num_plies: int) -> Callable[[], Any]:
    """A function that plays `num_plies` plies from the same games each time, which are `age` plies old.

    But for those, one in ten at 300 plies, in which two passes came together before and a new game has begun.
    """
    play = make_play(random_games, donate=False)
    aged = play(start_of(random_games), jnp.int32(0), jnp.int32(age))
    return lambda: play(aged, jnp.int32(age), jnp.int32(age + num_plies))


def choose(mask: Bool[Array, " num_actions"], seed: UInt32[Array, ""]) -> Int32[Array, ""]:
    """A legal action, by a hash rather than jax.random, which would cost more than a step."""
    num_actions = mask.shape[0]
    number = np.arange(num_actions, dtype=np.uint32)
    # The hash above, the action in the low nine bits: the largest value names a random legal action.
    value = mix(number, seed) & np.uint32(0xFFFFFE00) | number
    is_pass_due = seed % np.uint32(PASS_EVERY) == 0
    rank = jnp.where(number == num_actions - 1, jnp.where(is_pass_due, np.uint32(0xFFFFFE00) | number, number), value)
    best = reduce_slices(lax.max, 0, lambda legal, rank: jnp.where(legal, rank, np.uint32(0)), mask, rank)
    return (best & np.uint32(511)).astype(jnp.int32)


def mix(a: Any, b: Any) -> UInt32[Array, "..."]:
    """A hash of two numbers (Murmur3's finaliser)."""
    x = jnp.asarray(a, jnp.uint32) * np.uint32(0x9E3779B1) + jnp.asarray(b, jnp.uint32) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    return x ^ x >> np.uint32(16)
