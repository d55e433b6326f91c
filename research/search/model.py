"""The model that a search plans with: the game's own rules for the moves, the network for policy and value.

The rules are written for one game and the search runs a batch, so this is where `vmap` stands; network and tree are
batched by themselves.

Signs. Players alternate, so a child's value is the parent's with the sign turned: discount -1. The ply that ends a
game carries its outcome as reward, seen by the player who made that ply, and discount 0: nothing follows. Below a
finished game every action leads to the same finished game with reward 0 and discount 0, so however often a search goes
there, the value of the position above stays the outcome.

Superko. What a root remembers of its game is the same for its whole tree and large, so nodes are kept without it:
`Game.as_node` takes it off at the root, it travels beside the network's variables (mctx hands its `params` to every
expansion), and `step` and `legal_actions` get it back as `past`. Legality in the tree is then exact.

*Source:* Schrittwieser et al. 2020 (MuZero), appendix B, for rewards and discounts in the backup; Silver et al. 2018
(AlphaZero) for masking illegal actions by the rules.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Bool, Float, Float32, Int, Int32, PRNGKeyArray

from research.encoders import Encoder
from research.game import Game, Past, State
from research.networks import Network, Prediction

Variables = Any  # whatever the evaluation reads; for a network its parameters and statistics

# (variables, states with a leading batch axis) -> Prediction for the player to move, illegal actions not yet masked
Evaluate = Callable[[Variables, State], Prediction]


class Transition(NamedTuple):
    """One ply inside the tree."""

    node: State  # the position after the ply, without the root's past
    reward: Float32[Array, ""]  # +1, 0 or -1 for the player who moved, if this ply ended the game; else 0
    discount: Float32[Array, ""]  # factor on the value after the ply: -1, or 0 when the game is over
    legal: Bool[Array, " num_actions"]  # legal actions after the ply


class SearchParams(NamedTuple):
    """What every expansion of one search shares; mctx calls it `params`."""

    variables: Variables  # of the network
    past: Past  # batched over games; None for a game without one


def make_evaluate(game: Game, encoder: Encoder, network: Network) -> Evaluate:
    """An evaluation of batched positions: planes by `encoder`, policy and value by `network`."""

    def evaluate(variables: Variables, states: State) -> Prediction:
        planes = jax.vmap(lambda state: encoder.encode(game, state))(states)
        return network.apply(variables, planes)

    return evaluate


def mask_illegal(
    logits: Float[Array, "*batch num_actions"], legal: Bool[Array, "*batch num_actions"]
) -> Float32[Array, "*batch num_actions"]:
    """`logits` in float32 with illegal actions at the lowest finite number, so that their softmax is exactly 0.

    Not minus infinity: search adds and subtracts logits, and infinities would make NaN of that.
    """
    lowest = jnp.finfo(jnp.float32).min
    # A network with huge logits must not bring a legal action down to the mask's level. Holding it at half of that
    # reads the mask once, where a shift by the largest legal logit reads it twice; the mask is dear to read.
    return jnp.where(legal, jnp.maximum(logits.astype(jnp.float32), lowest / 2), lowest)


def take_ply(game: Game, node: State, action: Int[Array, ""], past: Past) -> Transition:
    """One ply of one game inside the tree."""
    mover = game.to_play(node)
    was_over = game.is_over(node)
    child = game.step(node, action, past)
    is_over = game.is_over(child)
    outcome_for_mover = jnp.where(mover == 0, 1.0, -1.0) * game.outcome(child)
    return Transition(
        node=child,
        reward=jnp.where(is_over & ~was_over, outcome_for_mover, 0.0).astype(jnp.float32),
        discount=jnp.where(is_over, 0.0, -1.0).astype(jnp.float32),
        legal=game.legal_actions(child, past),
    )


def predict_root(
    game: Game, evaluate: Evaluate, variables: Variables, states: State, legal: Bool[Array, "batch num_actions"]
) -> tuple[Float32[Array, "batch num_actions"], Float32[Array, " batch"]]:
    """(masked policy logits, value for the player to move) of batched positions; value 0 for finished games."""
    prediction = evaluate(variables, states)
    is_over = jax.vmap(game.is_over)(states)
    value = jnp.where(is_over, 0.0, prediction.value).astype(jnp.float32)
    return mask_illegal(prediction.policy_logits, legal), value


def make_recurrent_fn(game: Game, evaluate: Evaluate) -> Callable[..., tuple[Any, State]]:
    """The expansion that mctx calls once a simulation: one ply in every game, then one evaluation of the batch."""

    def recurrent_fn(
        params: SearchParams, key: PRNGKeyArray, action: Int32[Array, " batch"], nodes: State
    ) -> tuple[mctx.RecurrentFnOutput, State]:
        del key  # rules and network leave nothing to chance
        ply = jax.vmap(lambda node, action, past: take_ply(game, node, action, past))(nodes, action, params.past)
        prediction = evaluate(params.variables, ply.node)
        output = mctx.RecurrentFnOutput(
            reward=ply.reward,
            discount=ply.discount,
            prior_logits=mask_illegal(prediction.policy_logits, ply.legal),
            # discount 0 shields the parent, but not this node's own statistics, from a value after the end.
            value=jnp.where(ply.discount == 0.0, 0.0, prediction.value).astype(jnp.float32),
        )
        return output, ply.node

    return recurrent_fn
