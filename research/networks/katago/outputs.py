"""What KataGo's raw outputs mean: probabilities, points, and how sure they are.

The idea: a network is trained to give logits, and numbers of about one; what turns them into winning chances and points
depends on the network's version, on the multipliers in its file, and on the rules: only under simple ko, and by
territory, can a game end without a result. Everything speaks for the player to move; `turned_round` for the other.

*Source:* KataGo 1.17.2, NNEvaluator and cpp/neuralnet/modelversion.cpp, as facts.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float32

from research.networks.katago.description import Description
from research.networks.katago.modules import RawOutputs

OPTIMISM = 0.2  # share of the optimistic policy that KataGo's search, and its kata-raw-nn, mix in
UNKNOWN = -1.0  # an uncertainty that the network does not tell
ERROR_VERSION = 9  # from here on there are short-term errors
OLD_SCORE_ERROR_UNIT = 10.0  # points, in version 9
ROOT_ERROR_VERSION = 10  # from here on they are roots
SQUARED_ERROR_VERSION = 14  # from here on their inside is squared


class Evaluation(NamedTuple):
    """A network's opinion of each position of a batch, for the player to move."""

    policy: Float32[Array, "*batch num_actions"]  # probabilities; 0 where illegal
    win: Float32[Array, "*batch"]  # probabilities of the three results
    loss: Float32[Array, "*batch"]
    no_result: Float32[Array, "*batch"]
    lead: Float32[Array, "*batch"]  # points that would make the game even
    score_mean: Float32[Array, "*batch"]  # points by which the game would end in self-play
    score_mean_square: Float32[Array, "*batch"]  # mean of the squared score
    variance_time: Float32[Array, "*batch"]  # plies until the result is clear, roughly; -1 unknown
    short_term_win_error: Float32[Array, "*batch"]  # of the winning chance, in 0..2; -1 unknown
    short_term_score_error: Float32[Array, "*batch"]  # points; -1 unknown
    ownership: Float32[Array, "*batch rows columns"]  # 1: ends as the player's to move, -1: the opponent's

    @property
    def value(self) -> Float32[Array, "*batch"]:
        """The expected outcome in [-1, 1]; no result counts as a draw."""
        return self.win - self.loss


def policy_logits(
    raw: RawOutputs, optimism: float = OPTIMISM
) -> tuple[Float32[Array, "batch rows columns"], Float32[Array, " batch"]]:
    """(logits of the points, logit of the pass), with that share of the optimistic policy where there is one."""
    if raw.policy.shape[-1] == 1:
        return raw.policy[..., 0], raw.policy_pass[..., 0]
    points, passes = (
        logits[..., 0] + optimism * (logits[..., 1] - logits[..., 0]) for logits in (raw.policy, raw.policy_pass)
    )
    return points, passes


def read_outputs(
    description: Description,
    raw: RawOutputs,
    legal: Bool[Array, "batch num_actions"],
    may_be_void: Bool[Array, " batch"],
    optimism: float = OPTIMISM,
) -> Evaluation:
    """The evaluations; `legal` is over the points of the array row by row, then the pass.

    `may_be_void`: whether by the rules a game can end without a result.
    """
    points, of_pass = policy_logits(raw, optimism)
    logits = jnp.concatenate([points.reshape(len(points), -1), of_pass[:, None]], axis=1)
    is_possible = jnp.stack([jnp.ones_like(may_be_void)] * 2 + [may_be_void], axis=1)
    win, loss, no_result = jax.nn.softmax(jnp.where(is_possible, raw.value, -jnp.inf), axis=1).T
    _, mean_unit, deviation_unit, lead_unit, time_unit, *_ = description.multipliers
    mean, lead = raw.score[:, 0] * mean_unit, raw.score[:, 2] * lead_unit
    deviation = jax.nn.softplus(raw.score[:, 1]) * deviation_unit
    has_errors = description.version >= ERROR_VERSION
    unknown = jnp.full_like(win, UNKNOWN)
    win_error, score_error = _short_term_errors(description, raw) if has_errors else (unknown, unknown)
    is_scored = 1 - no_result
    return Evaluation(
        policy=jax.nn.softmax(jnp.where(legal, logits, -jnp.inf), axis=1),
        win=win,
        loss=loss,
        no_result=no_result,
        lead=lead * is_scored,
        score_mean=mean * is_scored,
        score_mean_square=(mean**2 + deviation**2) * is_scored,
        variance_time=jax.nn.softplus(raw.score[:, 3]) * time_unit if has_errors else unknown,
        short_term_win_error=win_error,
        short_term_score_error=score_error,
        ownership=jnp.tanh(raw.ownership),
    )


def turned_round(evaluation: Evaluation) -> Evaluation:
    """The same evaluation for the other player."""
    return evaluation._replace(
        win=evaluation.loss,
        loss=evaluation.win,
        lead=-evaluation.lead,
        score_mean=-evaluation.score_mean,
        ownership=-evaluation.ownership,
    )


def _short_term_errors(
    description: Description, raw: RawOutputs
) -> tuple[Float32[Array, " batch"], Float32[Array, " batch"]]:
    """(error of the winning chance, error of the score in points), by the version's own formula."""
    outputs = raw.score[:, 4:6]
    if description.version < ROOT_ERROR_VERSION:
        win, score = (jax.nn.softplus(outputs) * jnp.array([1.0, OLD_SCORE_ERROR_UNIT])).T
        return win, score
    inside = jax.nn.softplus(outputs)
    if description.version >= SQUARED_ERROR_VERSION:
        inside = jax.nn.softplus(outputs / 2) ** 2
    win, score = jnp.sqrt(inside * jnp.array(description.multipliers[5:7])).T
    return win, score
