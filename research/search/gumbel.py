"""Gumbel search: a policy improvement from few simulations, over mctx.

At the root, Gumbel noise and the prior choose the candidates, sequential halving spends the simulations on them, and
the action kept at the end is the one with the best sum of noise, logit and scaled value. Below the root the choice is
deterministic: visits follow the improved policy. That policy, the prior re-weighted by the values found with the
missing ones completed, is what the network learns; in expectation it is never worse than the prior, however few the
simulations, which PUCT's visit counts cannot promise. So 16 or 32 simulations a move are enough to learn from.

*Source:* Danihelka et al. 2022, "Policy improvement by planning with Gumbel"; the search itself is DeepMind's mctx.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Float32, Key

from research.game import Game, State
from research.search.model import Evaluate, SearchParams, Variables, make_recurrent_fn, predict_root
from research.search.result import SearchResult, from_tree

# (variables, states with a leading batch axis, one key or one a game) -> SearchResult; the keys are consumed
Search = Callable[[Variables, State, Array], SearchResult]


@dataclass(frozen=True)
class SearchConfig:
    """Settings of the search.

    *Raises:* ValueError if a field is out of its range.
    """

    num_simulations: int = 32  # simulations a move; 0 plays by the network's policy alone
    max_depth: int | None = None  # plies below the root; None: num_simulations, as deep as a tree can get
    max_num_considered_actions: int = 16  # root candidates; more than there are legal actions is no harm
    gumbel_scale: float = 1.0  # factor on the root's Gumbel noise; 0 plays the best move found, without variety
    value_scale: float = 0.1  # logits a visit: how strongly values bend the policy (c_scale of the paper)
    maxvisit_init: float = 50.0  # visits added to the most visited child's in that factor (c_visit of the paper)

    def __post_init__(self) -> None:
        """Checks each field."""
        if self.num_simulations < 0:
            raise ValueError(f"num_simulations is {self.num_simulations}; allowed: 0 or more")
        if self.max_depth is not None and self.max_depth < 1:
            raise ValueError(f"max_depth is {self.max_depth}; allowed: None, or 1 or more")
        if self.max_num_considered_actions < 1:
            raise ValueError(f"max_num_considered_actions is {self.max_num_considered_actions}; allowed: 1 or more")
        for name in ("gumbel_scale", "maxvisit_init"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0.0):
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: 0 or more, finite")
        if not (math.isfinite(self.value_scale) and self.value_scale > 0.0):
            raise ValueError(f"value_scale is {self.value_scale}; allowed: more than 0, finite")


def make_search(game: Game, evaluate: Evaluate, config: SearchConfig) -> Search:
    """A search of batched positions.

    It is deterministic given the keys, and given its own key a game's result does not depend on the others. With no
    simulations the policy is the masked prior and the action its Gumbel sample (its largest entry with `gumbel_scale`
    0).
    """
    if config.num_simulations == 0:
        return _make_raw_policy(game, evaluate, config)
    search_tree = make_tree_search(game, evaluate, config)

    def search(variables: Variables, states: State, key: Key[Array, "*games"]) -> SearchResult:
        return from_tree(search_tree(variables, states, key))

    return search


def make_tree_search(
    game: Game, evaluate: Evaluate, config: SearchConfig
) -> Callable[[Variables, State, Array], mctx.PolicyOutput]:
    """The same search with mctx's whole output: for looking into the tree. It needs a simulation at least.

    It is put together from mctx's parts as `mctx.gumbel_muzero_policy` is, but for the root's noise, which every game
    draws from its own key: what a game plays then does not depend on which device holds it.
    """
    max_depth = config.max_depth or config.num_simulations
    recurrent_fn = make_recurrent_fn(game, evaluate)
    complete_values = functools.partial(
        mctx.qtransform_completed_by_mix_value, value_scale=config.value_scale, maxvisit_init=config.maxvisit_init
    )
    choose_at_root = functools.partial(
        mctx.gumbel_muzero_root_action_selection,
        num_simulations=config.num_simulations,
        max_num_considered_actions=config.max_num_considered_actions,
        qtransform=complete_values,
    )
    choose_below = functools.partial(mctx.gumbel_muzero_interior_action_selection, qtransform=complete_values)

    def search_tree(variables: Variables, states: State, key: Key[Array, "*games"]) -> mctx.PolicyOutput:
        legal = jax.vmap(game.legal_actions)(states)
        nodes, past = jax.vmap(lambda state: game.as_node(state, max_depth))(states)
        logits, value = predict_root(game, evaluate, variables, nodes, legal)
        keys = split_for_games(key, legal.shape[0])
        noise = _root_noise(config, keys, game.num_actions)
        tree = mctx.search(
            params=SearchParams(variables, past),
            rng_key=keys[0],  # for rules that draw in the tree; these do not
            root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=nodes),
            recurrent_fn=recurrent_fn,
            root_action_selection_fn=choose_at_root,
            interior_action_selection_fn=choose_below,
            num_simulations=config.num_simulations,
            max_depth=max_depth,
            invalid_actions=~legal,
            extra_data=mctx.GumbelMuZeroExtraData(root_gumbel=noise),
        )
        completed = jax.vmap(complete_values, in_axes=(0, None))(tree, tree.ROOT_INDEX)
        policy = jax.nn.softmax(jnp.where(legal, logits + completed, jnp.finfo(jnp.float32).min))
        # Sequential halving's survivors are the most visited actions; of those the best score is played.
        visits = tree.summary().visit_counts
        is_survivor = legal & (visits == jnp.max(visits, axis=-1, keepdims=True, where=legal, initial=0))
        action = jnp.argmax(jnp.where(is_survivor, logits + completed + noise, -jnp.inf), axis=-1)
        return mctx.PolicyOutput(action=action.astype(jnp.int32), action_weights=policy, search_tree=tree)

    return search_tree


def split_for_games(key: Key[Array, "*games"], num_games: int) -> Key[Array, " games"]:
    """One key a game: `key` itself if it is that already, else what it splits into."""
    return key if key.ndim else jax.random.split(key, num_games)


def _root_noise(
    config: SearchConfig, keys: Key[Array, " batch"], num_actions: int
) -> Float32[Array, "batch num_actions"]:
    """Scaled Gumbel noise, each game's from its own key."""
    draw = jax.vmap(lambda key: jax.random.gumbel(key, (num_actions,), jnp.float32))
    return config.gumbel_scale * draw(keys)


def _make_raw_policy(game: Game, evaluate: Evaluate, config: SearchConfig) -> Search:
    """The search with no simulations: the network's policy over the legal actions."""

    def search(variables: Variables, states: State, key: Key[Array, "*games"]) -> SearchResult:
        legal = jax.vmap(game.legal_actions)(states)
        logits, value = predict_root(game, evaluate, variables, states, legal)
        noise = _root_noise(config, split_for_games(key, legal.shape[0]), game.num_actions)
        scores = jnp.where(legal, logits + noise, -jnp.inf)
        policy = jax.nn.softmax(logits)
        return SearchResult(
            action=jnp.argmax(scores, axis=-1).astype(jnp.int32),
            policy=policy,
            value=value,
            raw_value=value,
            visits=jnp.zeros(logits.shape, jnp.int32),
            q=jnp.zeros(logits.shape, jnp.float32),
            prior=policy,
        )

    return search
