"""What a search tells about its roots: the move, the policy and value to learn from, and the statistics behind them.

Everything is batched over games (first axis) and speaks for the player to move at the root. Actions are indices as in
the Game protocol; an illegal action has policy, prior and visits exactly 0, so that a loss over them needs no mask.

*Source:* Danihelka et al. 2022, "Policy improvement by planning with Gumbel": section 3.3 (choosing the action),
section 4 and appendix D (the improved policy from completed action values). Silver et al. 2018 (AlphaZero) for visits.
"""

from typing import NamedTuple

from jaxtyping import Array, Float32, Int32


class SearchResult(NamedTuple):
    """Outcome of one search for each game of a batch; values are for the player to move at the root, in [-1, 1]."""

    action: Int32[Array, " batch"]  # the move to play, always legal
    policy: Float32[
        Array, "batch num_actions"
    ]  # the training target: Gumbel's improved policy, PUCT's shares of visits; sums to 1
    value: Float32[Array, " batch"]  # mean over the root's own value and every simulation; 0 for a finished game
    raw_value: Float32[Array, " batch"]  # the network's value before any search; 0 for a finished game
    visits: Int32[Array, "batch num_actions"]  # simulations that began with this action
    q: Float32[Array, "batch num_actions"]  # mean value of those simulations; 0 where there were none
    prior: Float32[Array, "batch num_actions"]  # the network's policy over the legal actions; sums to 1
