"""Speed of the environment beside Pgx's Go: `python -m experiments.bench --sizes 9 19 --batches 1 32 256 1024`.

Both play the same random games on the CPU or whatever JAX finds: legal mask, a random legal move, the step, the result
at the end, a new game after it. Ours keeps exact superko in the mask and the last eight boards; `planes` also draws
the seventeen planes each ply, as Pgx does. `simple` is ours without superko: what superko costs. Pgx comes with the
extra `bench`; without it only ours is timed. Printed are microseconds a game and ply, and the ratio to Pgx.
"""

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import tyro
from jax import lax
from jaxtyping import Array, Bool, Int32, UInt32
from rich.console import Console
from rich.table import Table

from experiments.timing import time_in_turns
from research import encoders, go
from research.go.grid import reduce_slices

PLIES = {9: 64, 19: 24}  # plies a call at these sizes and a batch of 256; more games take fewer plies
PASS_EVERY = 64  # one ply in so many passes


def bench(sizes: tuple[int, ...] = (9, 19), batches: tuple[int, ...] = (1, 32, 256, 1024), num_rounds: int = 7) -> None:
    """Print a table of times.

    Args:
        sizes: points a side, 9 or 19 where Pgx is to be compared.
        batches: games side by side.
        num_rounds: timed turns; the median counts.

    """
    table = Table(title="one ply of one game: legal mask, random move, step, result, new game")
    for heading in ("size", "batch", "what", "us a ply", "x Pgx", "compile s"):
        table.add_column(heading, justify="right")
    for size in sizes:
        for batch in batches:
            makers = {
                "positional": functools.partial(our_games, size, "positional", False),
                "simple": functools.partial(our_games, size, "simple", False),
                "planes": functools.partial(our_games, size, "positional", True),
            }
            if importlib.util.find_spec("pgx") and size in (9, 19):
                makers["pgx"] = functools.partial(pgx_games, size)
            num_plies = max(8, PLIES.get(size, 32) * 256 // batch)
            runs = {name: make_run(*maker(batch), batch, num_plies) for name, maker in makers.items()}
            times = time_in_turns(runs, num_rounds)
            for name, timing in times.items():
                ratio = f"{times['pgx'].run_s / timing.run_s:.1f}" if "pgx" in times else ""
                microseconds = timing.run_s / num_plies / batch * 1e6
                table.add_row(str(size), str(batch), name, f"{microseconds:.2f}", ratio, f"{timing.compile_s:.0f}")
    Console().print(table)


def our_games(size: int, ko: str, with_planes: bool, batch: int) -> tuple[Callable, Any]:
    """(ply of one game, batched first states) of this library."""
    game = go.Go(go.Rules(size=size, ko=ko))  # type: ignore[arg-type]
    encoder = encoders.get("agz17")

    def ply(state: go.GoState, seed: UInt32[Array, ""]) -> tuple[go.GoState, Array]:
        state = game.step(state, choose(game.legal_actions(state), seed))
        seen = game.outcome(state)
        state = game.restart(state, game.is_over(state))
        if with_planes:
            seen = seen + encoder.encode(game, state).sum() * 1e-9  # so that the planes are not optimised away
        return state, seen

    return ply, jax.vmap(lambda _: game.init())(jnp.arange(batch))


def pgx_games(size: int, batch: int) -> tuple[Callable, Any]:
    """(ply of one game, batched first states) of Pgx."""
    env = importlib.import_module("pgx").make(f"go_{size}x{size}")
    step = importlib.import_module("pgx.experimental").auto_reset(env.step, env.init)

    def ply(state: Any, seed: UInt32[Array, ""]) -> tuple[Any, Array]:
        state = step(state, choose(state.legal_action_mask, seed), jax.random.key(0))
        return state, state.rewards[0]

    return ply, jax.vmap(env.init)(jax.random.split(jax.random.key(0), batch))


def make_run(ply: Callable, states: Any, batch: int, num_plies: int) -> Callable[[], Any]:
    """A function that plays on for `num_plies` plies each time it is called."""

    def play(carry: tuple[Any, Array], start: Int32[Array, ""]) -> tuple[Any, Array]:
        def body(number: Array, carry: tuple[Any, Array]) -> tuple[Any, Array]:
            states, total = carry
            states, seen = jax.vmap(ply)(states, mix(jnp.arange(batch), start + number))
            return states, total + seen

        return lax.fori_loop(0, num_plies, body, carry)

    jitted = jax.jit(play, donate_argnums=0)
    held = {"carry": (states, jnp.zeros(batch, jnp.float32)), "ply": 0}

    def run() -> Any:
        held["carry"] = jitted(held["carry"], jnp.int32(held["ply"]))
        held["ply"] += num_plies
        return held["carry"]

    return run


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


if __name__ == "__main__":
    sys.exit(tyro.cli(bench, prog="python -m experiments.bench", description=__doc__))
