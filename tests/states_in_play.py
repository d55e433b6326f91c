"""States as play has kept them, move by move, beside the same worked out from the stones alone.

The referee plays random games (random_games.py); research.go replays them and gives every state on the way, and what
flood fill, counting and hashing make of its stones from scratch. What a label's number is does not matter, only which
stones share it: `parts` names every chain after its first stone.

*Source:* none; this is test scaffolding.
"""

import random
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from engines import Setting, rules_of, state_of
from random_games import random_game, random_setting

from research import go
from research.go import zobrist
from research.go.chains import count_liberties, label_chains
from research.go.grid import Grid

NO_ACTION = -1  # changes nothing


class InPlay(NamedTuple):
    """A game on the device: what was done, and what was so before each action, [plies, ...]."""

    setting: Setting
    actions: list[int]  # the last is NO_ACTION, so that what the one before led to is seen
    state: Any  # go.GoState, but without its history
    board: Any  # stones: 0 empty, 1 black, 2 white
    label: Any  # from scratch
    num_liberties: Any  # from scratch
    hashes: Any  # from scratch
    situation: Any  # what superko would forbid to repeat, from scratch
    last: Any  # go.GoState at the end, with its history


@cache
def games_in_play(size: int, ko: str, suicide: bool, num_games: int, max_moves: int) -> list[InPlay]:
    """Random games, the same on every run; about half begin on set-up positions, all go on past their end."""
    rng = random.Random(f"in play {size} {ko} {suicide}")
    settings = [random_setting(size, ko, suicide, max_moves, rng) for _ in range(num_games)]
    games = [random_game(setting, max_moves + 2, rng) for setting in settings]
    rules = rules_of(settings[0])
    states = jax.tree.map(lambda *leaves: np.stack(leaves), *(state_of(rules, setting) for setting in settings))
    actions = [[*game.actions, NO_ACTION] for game in games]
    last, seen = jax.device_get(make_watch(rules)(states, jnp.array(actions, jnp.int32)))
    return [
        InPlay(game.setting, actions[number], *(jax.tree.map(lambda leaf, n=number: leaf[n], (*seen, last))))
        for number, game in enumerate(games)
    ]


@cache
def make_watch(rules: go.Rules) -> Any:
    """A jitted (states [games], actions [games, plies]) -> (last states, what `InPlay` holds of each before)."""
    game = go.Go(rules)

    def look_then_step(state: go.GoState, action: Any) -> tuple[go.GoState, tuple]:
        board = go.board(state)
        label = label_chains(game.grid, board)
        hashes = zobrist.board_hash(game.grid, label)
        situation = zobrist.situation(hashes, state.to_play, rules.ko)
        scratch = (board, label, count_liberties(game.grid, label), hashes, situation)
        return game.step(state, action), (state._replace(history=jnp.zeros(0)), *scratch)

    return jax.jit(jax.vmap(lambda state, actions: jax.lax.scan(look_then_step, state, actions)))


def parts(label: np.ndarray) -> np.ndarray:
    """Each stone's label replaced by the place of the first stone that has it, with its sign; 0 stays 0."""
    _, first, inverse = np.unique(label.ravel(), return_index=True, return_inverse=True)
    return ((first + 1)[inverse].reshape(label.shape) * np.sign(label)).astype(int)


def on_points(size: int, cells: np.ndarray) -> np.ndarray:
    """What the mailbox `cells` has on the points of the board, [size, size]."""
    return cells[Grid(size).cells].reshape(size, size)
