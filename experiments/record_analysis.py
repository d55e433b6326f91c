"""What a network thinks of a game, position by position, for the viewer: a run's, or one of KataGo's.

Random games played out from each position add their influence map, with a network or without one.

The main line is played on the device move by move, so that the network sees what it would have seen in play: ko, the
boards before, whose turn it is. Stones that are set up begin a new history. A move that the rules do not allow, and a
position that is none, end the analysis there; what comes before is kept.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float32, Int32
from rich.console import Console
from rich.progress import track

from research import go
from research.go.text import plain_text
from research.interop import sgf
from research.networks.katago import KataGoFile, KataGoNetwork, encoder_for, evaluate, make_read
from research.search import make_evaluate, mask_illegal
from research.search.playouts import make_playout_maps
from research.training.errors import RunError
from research.training.trained import Trained
from research.visualise.viewer import EMPTY, GameAnalysis, GameStep, ViewedGame

BATCH = 8  # positions evaluated at once


class Thought(NamedTuple):
    """What is thought of each position of a batch, for the player to move."""

    value: Float32[Array, " batch"]  # expected outcome in [-1, 1]; NaN if nobody says it
    policy: Float32[Array, "batch num_actions"] | None = None  # probabilities; 0 where illegal
    ownership: Float32[Array, "batch rows columns"] | None = None  # 1: ends as the player's to move, -1: the opponent's


class Judge(NamedTuple):
    """Who thinks, and what he can be asked about."""

    name: str  # for the page and for messages
    size: int | None  # points a side of the boards that it knows; None: all
    make_think: Callable[[go.Go], Callable[[go.GoState], Thought]]


def run_judge(trained: Trained, name: str) -> Judge:
    """A run's network; *Raises:* RunError if it plays another game."""
    if not isinstance(trained.game, go.Go):
        raise RunError(f"{name}: it plays another game than Go")

    def make_think(game: go.Go) -> Callable[[go.GoState], Thought]:
        ask = make_evaluate(game, trained.encoder, trained.network)

        def think(states: go.GoState) -> Thought:
            prediction = ask(trained.variables, states)
            logits = mask_illegal(prediction.policy_logits, jax.vmap(game.legal_actions)(states))
            return Thought(prediction.value, jax.nn.softmax(logits))

        return jax.jit(think)

    return Judge(name, trained.game.rules.size, make_think)


def katago_judge(file: KataGoFile, name: str) -> Judge:
    """One of KataGo's networks, which also tells who will own which point."""
    network = KataGoNetwork(file.description)
    variables = jax.device_put(file.variables)

    def make_think(game: go.Go) -> Callable[[go.GoState], Thought]:
        read = jax.jit(make_read(game, encoder_for(network)))
        ask = jax.jit(lambda variables, inputs, symmetries: evaluate(network, variables, inputs, symmetries))

        def think(states: go.GoState) -> Thought:
            found = ask(variables, read(states), jnp.zeros(BATCH, jnp.int32))
            return Thought(found.value, found.policy, found.ownership)

        return think

    return Judge(name, None, make_think)


def playout_judge(num_playouts: int, judge: Judge | None = None) -> Judge:
    """`judge`, or nobody, with the influence of so many random games played out from each position."""

    def make_think(game: go.Go) -> Callable[[go.GoState], Thought]:
        play_out = jax.jit(make_playout_maps(game, num_playouts))
        think = None if judge is None else judge.make_think(game)
        keys = jax.random.split(jax.random.key(0), BATCH)

        def think_too(states: go.GoState) -> Thought:
            thought = Thought(jnp.full(BATCH, jnp.nan)) if think is None else think(states)
            side = jnp.where(states.to_play == 0, 1, -1)[:, None, None]
            return thought._replace(ownership=side * (1 - 2 * play_out(None, states, keys)))

        return think_too

    return Judge("playouts" if judge is None else judge.name, None if judge is None else judge.size, make_think)


def analyse(record: sgf.Record, viewed: ViewedGame, judge: Judge) -> GameAnalysis:
    """What `judge` thinks, without search, at each step of the main line, from the first on.

    *Raises:* RunError for a board of another size than the network's; SgfError for one that no network of ours plays.
    """
    rules = sgf.rules_of(record)
    if judge.size not in (None, rules.size):
        raise RunError(f"{judge.name}: it plays {judge.size}x{judge.size}, not {rules.size}x{rules.size}")
    game = go.Go(rules)
    think, states, thoughts = judge.make_think(game), list(positions(game, viewed)), list[Thought]()
    starts, console = range(0, len(states), BATCH), Console(stderr=True)
    for start in track(starts, f"{judge.name}: {len(states)} positions", console=console, transient=True):
        chosen = states[start : start + BATCH]
        filled = chosen + chosen[-1:] * (BATCH - len(chosen))  # one shape, so that it compiles once
        thoughts.append(jax.device_get(think(jax.tree.map(lambda *leaves: jnp.stack(leaves), *filled))))
    value, policy, ownership = jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(states)], *thoughts)
    sign = np.array([1 if int(state.to_play) == 0 else -1 for state in states])
    owned = None if ownership is None else sign[:, None] * ownership.reshape(len(states), -1)
    return GameAnalysis(sign * value, policy, owned, judge.name)


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
