"""Evaluations that do not care, or hardly, how the board lies: averaged over its symmetries, or under a random one.

The idea: a position and its mirror image are worth the same, but a network only learns that roughly. Asked under each
symmetry of the board, with its policies turned back, its answers can be averaged: eight times the work on a square
board, and a policy and a value that are the same whichever way the board lies. Asked under one symmetry at random it
costs nothing more, and a search averages by itself. Both wrap the function that a network predicts with, for any game:
the symmetries are the game's.

A policy is averaged as probabilities, as is a value, which is their difference.

In a search there is no key for each evaluation, and none is needed: `WithKey` hands one key to all of it, and each
position folds in a number made of its own planes. So other positions get other symmetries, and the same search with
the same key is the same again.

*Source:* Silver et al., "Mastering the game of Go without human knowledge", Nature 550 (2017), Methods, "Search
algorithm" (a random symmetry at each leaf); Silver et al., Nature 529 (2016), Methods, "Symmetries" (all eight).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int32, Key, PRNGKeyArray, Shaped, UInt32

from research.encoders import Encoder
from research.game import Game, State
from research.networks import Network, Prediction
from research.search.model import Evaluate, Variables

# (variables, planes with a leading batch axis) -> Prediction; a network's `apply` is one
Apply = Callable[[Variables, Array], Prediction]
BatchPlanes = Shaped[Array, "batch rows columns num_planes"]
SymmetryUse = Literal["average", "random"]

_SPREAD = np.uint32(2654435769)  # odd, about 2^32 / golden ratio: its multiples are spread evenly over the words


class WithKey(NamedTuple):
    """What an evaluation under random symmetries reads: a network's variables, and where its chance comes from."""

    variables: Variables
    key: Key[Array, "*games"]  # one, or one a game, for any number of evaluations; planes tell positions apart


def make_symmetric_evaluate(game: Game, encoder: Encoder, network: Network, use: str = "average") -> Evaluate:
    """An evaluation as `make_evaluate` gives it, over all symmetries, or each position under one chosen at random.

    With `use="random"` its variables are a `WithKey`. *Raises:* ValueError for another `use`.
    """
    if use not in get_args(SymmetryUse):
        raise ValueError(f"use is {use!r}; allowed is one of {', '.join(get_args(SymmetryUse))}")

    def evaluate(variables: Variables, states: State) -> Prediction:
        planes = jax.vmap(lambda state: encoder.encode(game, state))(states)
        if use == "average":
            return predict_average(game, network.apply, variables, planes)
        keys = jnp.broadcast_to(variables.key, len(planes))
        keys = jax.vmap(jax.random.fold_in)(keys, jax.vmap(planes_number)(planes))
        symmetry = jax.vmap(lambda key: jax.random.randint(key, (), 0, game.num_symmetries))(keys)
        return predict_under(game, network.apply, variables.variables, planes, symmetry)

    return evaluate


def predict_average(game: Game, apply: Apply, variables: Variables, planes: BatchPlanes) -> Prediction:
    """The mean over all symmetries of the game of what `apply` says; logits are log probabilities (nats).

    `apply` is called once, with the batch under each symmetry one after the other.
    """
    num_symmetries, batch = game.num_symmetries, len(planes)
    symmetry = jnp.repeat(jnp.arange(num_symmetries, dtype=jnp.int32), batch)
    repeated = jnp.tile(planes, (num_symmetries, *[1] * (planes.ndim - 1)))
    prediction = predict_under(game, apply, variables, repeated, symmetry)
    each = jax.tree.map(lambda leaf: leaf.reshape(num_symmetries, batch, *leaf.shape[1:]), prediction)
    log_probabilities = jax.nn.log_softmax(each.policy_logits, axis=-1)
    mean = jax.tree.map(lambda leaf: leaf.mean(0), each)
    return mean._replace(policy_logits=jax.nn.logsumexp(log_probabilities, axis=0) - np.log(num_symmetries))


def predict_random(
    game: Game, apply: Apply, variables: Variables, planes: BatchPlanes, key: PRNGKeyArray
) -> Prediction:
    """What `apply` says of each position under a symmetry of its own, chosen at random. `key` is consumed."""
    symmetry = jax.random.randint(key, (len(planes),), 0, game.num_symmetries)
    return predict_under(game, apply, variables, planes, symmetry)


def predict_under(
    game: Game, apply: Apply, variables: Variables, planes: BatchPlanes, symmetry: Int32[Array, " batch"]
) -> Prediction:
    """What `apply` says of each position under its `symmetry`, with policy and ownership turned back."""
    prediction = apply(variables, jax.vmap(game.transform_planes)(planes, symmetry))
    back = jnp.asarray(inverse_symmetries(game), jnp.int32)[symmetry]
    ownership = prediction.ownership
    if ownership is not None:
        ownership = jax.vmap(game.transform_planes)(ownership[..., None], back)[..., 0]
    policy_logits = jax.vmap(game.transform_policy)(prediction.policy_logits, back)
    return prediction._replace(policy_logits=policy_logits, ownership=ownership)


@lru_cache
def inverse_symmetries(game: Game) -> tuple[int, ...]:
    """The number of the symmetry that undoes each, found by trying; *Raises:* ValueError if a game has none for one."""
    with jax.ensure_compile_time_eval():
        number = jnp.arange(game.num_symmetries, dtype=jnp.int32)
        marks = jnp.arange(game.num_actions, dtype=jnp.float32)
        once = jax.vmap(game.transform_policy, (None, 0))(marks, number)
        twice = jax.vmap(jax.vmap(game.transform_policy, (None, 0)), (0, None))(once, number)
        undoes = np.asarray((twice == marks).all(-1))  # [first, second]
    if not undoes.any(1).all():
        raise ValueError(f"{game}: no symmetry undoes number {int(np.argmin(undoes.any(1)))}; they must form a group")
    return tuple(undoes.argmax(1).tolist())


def planes_number(planes: Shaped[Array, "rows columns num_planes"]) -> UInt32[Array, ""]:
    """A number that nearly always differs where planes differ: a sum of the odd weights of what is set."""
    words = jax.lax.bitcast_convert_type(planes.astype(jnp.float32), jnp.uint32)
    words = words ^ words >> np.uint32(23)  # a float's low bits are nearly always zero, and would stay so
    index = jnp.arange(planes.size, dtype=jnp.uint32).reshape(planes.shape)
    weight = (index * _SPREAD) ^ (index * _SPREAD >> np.uint32(15))
    return (words * (2 * weight + 1)).sum(dtype=jnp.uint32)
