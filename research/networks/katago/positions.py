"""Positions of research.go as KataGo's networks read them, and what the networks say of them.

The idea: three steps, each a pure function of a batch. `make_read` draws planes, globals and legal moves into a square
array that may be larger than the board, which stands in its top left corner. `evaluate` asks the network under a
symmetry of that array and turns the answer back. `make_katago_evaluate` puts both together as a search wants it. The
first is compiled once for each game, the second once for all boards that fit into the array.

*Source:* KataGo 1.17.2, NNInputs and NNEvaluator, as facts.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32, Int32

from research import encoders
from research.encoders import Encoder
from research.go import Go, GoState, symmetry
from research.networks.katago.network import KataGoNetwork
from research.networks.katago.outputs import OPTIMISM, Evaluation, policy_logits, read_outputs
from research.networks.network import Prediction, Variables


class Inputs(NamedTuple):
    """What is asked about a batch of positions, in arrays of `side` points a side."""

    planes: Bool[Array, "batch side side num_planes"]
    global_inputs: Float32[Array, "batch num_globals"]
    legal: Bool[Array, "batch num_actions"]  # over the array's points and the pass
    may_be_void: Bool[Array, " batch"]  # whether a game can end without a result


def encoder_for(network: KataGoNetwork, **options: Any) -> Encoder:
    """The encoder `katago22` as this network wants it, with further options."""
    return encoders.get("katago22", pass_alive_suicide=network.description.pass_alive_suicide, **options)


def make_read(game: Go, encoder: Encoder, side: int | None = None) -> Callable[[GoState], Inputs]:
    """A function from batched positions to their inputs, in arrays of `side` points; None: as large as the board.

    *Raises:* ValueError for a board that does not fit.
    """
    size = game.rules.size
    margin = (side or size) - size
    if margin < 0:
        raise ValueError(f"side is {side}; allowed is {size}, the size of the board, or more")

    def read(states: GoState) -> Inputs:
        planes, global_inputs, legal = jax.vmap(
            lambda state: (encoder.encode(game, state), encoder.encode_globals(game, state), game.legal_actions(state))
        )(states)
        num_games = len(legal)
        points = jnp.pad(legal[:, :-1].reshape(num_games, size, size), ((0, 0), (0, margin), (0, margin)))
        return Inputs(
            planes=jnp.pad(planes, ((0, 0), (0, margin), (0, margin), (0, 0))),
            global_inputs=global_inputs,
            legal=jnp.concatenate([points.reshape(num_games, -1), legal[:, -1:]], axis=1),
            may_be_void=jnp.full(num_games, game.rules.ko == "simple"),
        )

    return read


def evaluate(
    network: KataGoNetwork,
    variables: Variables,
    inputs: Inputs,
    symmetries: Int32[Array, " batch"],
    optimism: float = OPTIMISM,
) -> Evaluation:
    """What the network says of each position when it sees it under its symmetry (a number of research.go.symmetry)."""
    planes = jax.vmap(symmetry.transform_planes)(inputs.planes, symmetries)
    raw = network.apply(variables, planes, inputs.global_inputs)
    back = jax.vmap(symmetry.inverse)(symmetries)
    raw = raw._replace(
        policy=jax.vmap(symmetry.transform_planes)(raw.policy, back),
        ownership=jax.vmap(symmetry.transform_planes)(raw.ownership, back),
    )
    evaluation = read_outputs(network.description, raw, inputs.legal, inputs.may_be_void, optimism)
    return evaluation._replace(ownership=evaluation.ownership * inputs.planes[..., 0])


def evaluate_average(
    network: KataGoNetwork, variables: Variables, inputs: Inputs, optimism: float = OPTIMISM
) -> Evaluation:
    """The mean of what the network says of each position under all eight symmetries."""
    repeated = jax.tree.map(lambda leaf: jnp.repeat(leaf, symmetry.NUM_SYMMETRIES, axis=0), inputs)
    numbers = jnp.tile(jnp.arange(symmetry.NUM_SYMMETRIES, dtype=jnp.int32), len(inputs.legal))
    evaluation = evaluate(network, variables, repeated, numbers, optimism)
    return jax.tree.map(lambda leaf: leaf.reshape(-1, symmetry.NUM_SYMMETRIES, *leaf.shape[1:]).mean(1), evaluation)


def make_katago_evaluate(
    game: Go, network: KataGoNetwork, encoder: Encoder | None = None, optimism: float = OPTIMISM
) -> Callable[[Variables, GoState], Prediction]:
    """An evaluation of batched positions as searches and players want it, the board being seen as it lies.

    The value is the winning chance minus the losing one: no result counts as a draw. Ownership is told too, so that
    influence maps can be made from it.
    """
    read = make_read(game, encoder or encoder_for(network))

    def predict(variables: Variables, states: GoState) -> Prediction:
        inputs = read(states)
        raw = network.apply(variables, inputs.planes, inputs.global_inputs)
        points, of_pass = policy_logits(raw, optimism)
        evaluation = read_outputs(network.description, raw, inputs.legal, inputs.may_be_void, optimism)
        logits = jnp.concatenate([points.reshape(len(points), -1), of_pass[:, None]], axis=1)
        return Prediction(policy_logits=logits, value=evaluation.value, ownership=evaluation.ownership)

    return predict
