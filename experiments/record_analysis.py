"""What a run's network thinks of a game, position by position, for the viewer.

The main line is played on the device move by move, so that the network sees what it would have seen in play: ko, the
boards before, whose turn it is. Stones that are set up begin a new history. A move that the rules do not allow, and a
position that is none, end the analysis there; what comes before is kept.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32
from rich.console import Console
from rich.progress import track

from research import go
from research.go.text import plain_text
from research.interop import sgf
from research.search import make_evaluate, mask_illegal
from research.training.errors import RunError
from research.training.trained import Trained
from research.visualise.viewer import EMPTY, GameAnalysis, GameStep, ViewedGame

BATCH = 32  # positions evaluated at once


def analyse(record: sgf.Record, viewed: ViewedGame, trained: Trained, name: str) -> GameAnalysis:
    """Value and policy of the network alone at each step of the main line, from the first on.

    *Raises:* RunError if the network plays another game or size; SgfError for a board that no network of ours plays.
    """
    if not isinstance(trained.game, go.Go):
        raise RunError(f"{name}: it plays another game than Go")
    rules = sgf.rules_of(record)
    if rules.size != trained.game.rules.size:
        size = trained.game.rules.size
        raise RunError(f"{name}: its network plays {size}x{size}, not {rules.size}x{rules.size}")
    # A network values games that end by its own run's rules; ko, suicide and komi are the record's.
    game = go.Go(rules)
    evaluate = make_evaluate(game, trained.encoder, trained.network)

    def think(states: go.GoState) -> tuple[Float32[Array, " batch"], Float32[Array, "batch actions"]]:
        prediction = evaluate(trained.variables, states)
        logits = mask_illegal(prediction.policy_logits, jax.vmap(game.legal_actions)(states))
        return jnp.where(states.to_play == 0, 1, -1) * prediction.value, jax.nn.softmax(logits)

    states = list(positions(game, viewed))
    values, policies = [], []
    think = jax.jit(think)
    starts = range(0, len(states), BATCH)
    for start in track(starts, f"{name}: {len(states)} positions", console=Console(stderr=True), transient=True):
        chosen = states[start : start + BATCH]
        filled = chosen + chosen[-1:] * (BATCH - len(chosen))  # one shape, so that it compiles once
        batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *filled)
        for kept, found in zip((values, policies), jax.device_get(think(batch)), strict=True):
            kept.append(found[: len(chosen)])
    return GameAnalysis(np.concatenate(values), np.concatenate(policies), player=name)


def positions(game: go.Go, viewed: ViewedGame) -> Iterator[go.GoState]:
    """The position at each step of the main line, its player to move the one who plays next in the record."""
    step, turn = _make_turn_and_step(game), jax.jit(go.with_to_play)
    stones = np.zeros(viewed.num_rows * viewed.num_columns, np.int8)
    state = game.init()
    for current in main_line(viewed):
        for point, stone in current.changes:
            stones[point] = stone
        if current.player != EMPTY:
            after = step(state, jnp.int32(current.player - 1), jnp.int32(current.action))
            if int(after.num_moves) == int(state.num_moves):
                return  # illegal
            state = after
        elif current.changes:
            try:
                text = plain_text(stones.reshape(game.board_shape))
                state = go.from_text(game.rules, text, current.to_play - 1)
            except ValueError:
                return  # a chain without a liberty
        yield turn(state, jnp.int32(current.to_play - 1))


def main_line(viewed: ViewedGame) -> Iterator[GameStep]:
    """Step 0, its first child, that one's first child, and so on."""
    last = -1
    for index, step in enumerate(viewed.steps):
        if step.parent != last:
            return
        yield step
        last = index


@lru_cache(maxsize=8)
def _make_turn_and_step(game: go.Go) -> Callable[..., go.GoState]:
    """(state, player, action) -> the position after that player's move, whoever's turn it was."""

    def turn_and_step(state: go.GoState, player: Int32[Array, ""], action: Int32[Array, ""]) -> go.GoState:
        turned = go.with_to_play(state, player)
        # A record may go on behind two passes.
        return game.step(turned._replace(passes=jnp.where(state.passes >= 2, 0, state.passes)), action)

    return jax.jit(turn_and_step)
