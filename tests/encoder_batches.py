"""Positions encoded many at a time, in batches of one size, so that an encoder is compiled once a board size.

*Source:* none; this is test scaffolding.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import random_positions
from encoder_cases import Case, golden_cases, position_of
from referee import Referee

from research import encoders, go
from research.go.setup import set_up

BATCH = 48


@cache
def compiled(name: str, game: go.Go, options: tuple[tuple[str, Any], ...]) -> Any:
    """(a batch of states) -> planes."""
    encoder = encoders.get(name, **dict(options))
    return jax.jit(jax.vmap(lambda state: encoder.encode(game, state)))


def encode_many(name: str, game: go.Go, states: Sequence[go.GoState], **options: Any) -> np.ndarray:
    """The planes of each state."""
    encode, parts = compiled(name, game, tuple(options.items())), []
    for start in range(0, len(states), BATCH):
        part = [*states[start : start + BATCH]]
        part += part[-1:] * (BATCH - len(part))
        parts.append(np.asarray(encode(jax.tree.map(lambda *leaves: np.stack(leaves), *part))))
    return np.concatenate(parts)[: len(states)]


def wrong_golden_planes(name: str, sizes: Sequence[int], skipped: Sequence[int] = (), **options: Any) -> list[str]:
    """What differs from the golden games on boards of `sizes`, the planes `skipped` left out; the cases must exist."""
    cases = [case for case in golden_cases(name) if case.position["size"] in sizes]
    assert {case.position["size"] for case in cases} == set(sizes)
    return [wrong for case in cases for wrong in _wrong_planes(case, skipped, options)]


def _wrong_planes(case: Case, skipped: Sequence[int], options: dict[str, Any]) -> list[str]:
    """The planes of one case that are not as listed."""
    game, state = position_of(case)
    planes = encode_many(case.encoder, game, [jax.tree.map(np.asarray, state)], **case.options, **options)[0]
    names = encoders.get(case.encoder).plane_names
    assert planes.shape[-1] == len(case.planes)
    is_right = {
        number: np.allclose(planes[..., number].astype(float), plane, atol=1e-6)
        for number, plane in case.planes.items()
    }
    return [
        f"{case.id}: {number} {names[number]}" for number in is_right if not is_right[number] and number not in skipped
    ]


def states_of(game: go.Go, moments: Sequence[Referee]) -> list[go.GoState]:
    """The moments as set-up positions, without their past and their ko bans."""
    boards = random_positions.boards_of(list(moments))
    make = jax.jit(jax.vmap(lambda stones, player: set_up(game, stones, player)))
    states = jax.tree.map(np.asarray, make(jnp.asarray(boards.stones), jnp.asarray(boards.player)))
    return [jax.tree.map(lambda leaf, index=index: leaf[index], states) for index in range(len(moments))]
