"""Positions to measure on, out of recorded games or of random ones: on the device, in Pgx and on the host.

A game is its actions, so the same positions can be had from every program that plays by the rules. Games whose stones
were set up or whose players do not alternate are left out: not every program can play those.
"""

import importlib
import itertools
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Int, PRNGKeyArray

from experiments.host_encoders import HostPosition
from research import go
from research.go import coords, eyes
from research.go.state import NUM_RECENT
from research.interop import sgf

MIN_MOVES = 100  # of a recorded game, at 19x19; fewer on smaller boards, by their points
MOST_POSITIONS = 1024


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of some games, in random order."""

    game: go.Go
    source: str  # where they are from, in words
    actions: Int[np.ndarray, "num_games plies"]  # the games, -1 after their ends
    chosen: Int[np.ndarray, "num_positions 2"]  # of each position: game, and how many moves were played
    states: Any  # GoState with a leading axis of the positions


def of_records(path: Path, size: int, num_games: int) -> Positions:
    """Positions of the first `num_games` games of that size below `path`.

    *Raises:* ValueError if there are fewer; FileNotFoundError, sgf.SgfError if there is nothing to read.
    """
    is_wanted = sgf.refuse_unless(size=size, min_moves=MIN_MOVES * size * size // 361)
    games = sgf.load(path, refuse=lambda record: is_wanted(record) or _fault(record))
    records = list(itertools.islice(games, num_games))
    if len(records) < num_games:
        raise ValueError(f"wanted {num_games} games of size {size} played from an empty board; {games.summary()}")
    actions = np.full((num_games, max(len(record.moves) for record in records)), -1, np.int32)
    for row, record in zip(actions, records, strict=True):
        row[: len(record.moves)] = [coords.action_from_point(point, size) for _, point in record.moves]
    return _positions(actions, size, f"{num_games} games of {path.name}")


def of_random_games(size: int, num_games: int, seed: int = 0) -> Positions:
    """Positions of games of random moves that fill no true eye of the player's own."""
    game = _game(size, size * size)
    keys = jax.random.split(jax.random.key(seed), (num_games, size * size))
    actions = np.asarray(jax.jit(jax.vmap(partial(_random_game, game)))(keys))
    return _positions(actions, size, f"{num_games} games of random moves")


def of_pgx(positions: Positions) -> tuple[Any, Any]:
    """(Pgx's environment, its states of the same positions)."""
    size = positions.game.rules.size
    env = importlib.import_module("pgx").make(f"go_{size}x{size}")
    first = env.init(jax.random.key(0))
    return env, _states_of(lambda state, action: env.step(state, jnp.maximum(action, 0)), first, positions)


def on_host(positions: Positions) -> list[HostPosition]:
    """The same positions as NumPy arrays."""
    states, size = jax.device_get(positions.states), positions.game.rules.size
    legal = jax.device_get(jax.jit(jax.vmap(positions.game.legal_actions))(positions.states))[:, :-1]
    bits = states.recent_boards[..., None] >> np.arange(size, dtype=np.uint32) & 1
    boards = (bits[:, :, 0] + 2 * bits[:, :, 1]).astype(np.int8)
    found = []
    for index, (number, num_moves) in enumerate(positions.chosen.tolist()):
        last_played = np.full(size * size + 1, -NUM_RECENT)
        last_played[positions.actions[number, :num_moves]] = np.arange(num_moves)
        ages = np.minimum(num_moves - last_played[:-1], NUM_RECENT).reshape(size, size)
        found.append(HostPosition(boards[index], ages, legal[index].reshape(size, size), int(states.to_play[index])))
    return found


def in_batches(states: Any, num_positions: int, batch: int) -> list[Any]:
    """`states` over and over, until there are `num_positions`, in batches."""
    number = np.arange(num_positions).reshape(-1, batch)
    return [jax.tree.map(lambda leaf, row=row: leaf[row % leaf.shape[0]], states) for row in number]


def _fault(record: sgf.Record) -> str | None:
    """Why a record cannot be played by every program."""
    colours = [colour for colour, _ in record.moves]
    if record.setup or len(record.events) != len(record.moves):
        return "stones are set up"
    return (
        None if colours == [("black", "white")[ply % 2] for ply in range(len(colours))] else "colours do not alternate"
    )


def _game(size: int, num_moves: int) -> go.Go:
    """The default rules, for games of so many moves at least."""
    return go.Go(go.Rules(size=size, max_moves=max(2 * size * size, num_moves + 1)))


def _positions(actions: Int[np.ndarray, "num_games plies"], size: int, source: str) -> Positions:
    """Up to MOST_POSITIONS positions evenly out of these games, in random order."""
    lengths = (actions >= 0).sum(1)
    every = np.array([(number, ply) for number, length in enumerate(lengths) for ply in range(length)])
    chosen = every[np.linspace(0, len(every) - 1, min(MOST_POSITIONS, len(every))).astype(int)]
    game = _game(size, actions.shape[1])
    positions = Positions(game, source, actions, np.random.default_rng(0).permutation(chosen), None)
    states = _states_of(game.step, game.init(), positions)
    played = np.asarray(states.num_moves)
    if (played != positions.chosen[:, 1]).any():
        number = positions.chosen[np.argmax(played != positions.chosen[:, 1]), 0]
        raise ValueError(f"game {number + 1} of {source} has a move that is illegal by positional superko")
    return Positions(game, source, actions, positions.chosen, states)


def _states_of(step: Any, first: Any, positions: Positions) -> Any:
    """The chosen states when the games are played by `step` from `first`."""

    def play(actions: Int[Array, " plies"]) -> Any:
        return lax.scan(lambda state, action: (step(state, action), state), first, actions)[1]

    states = jax.jit(jax.vmap(play))(positions.actions)
    number, ply = positions.chosen.T
    return jax.tree.map(lambda leaf: leaf[number, ply], states)


def _random_game(game: go.Go, keys: PRNGKeyArray) -> Int[Array, " plies"]:
    """The actions of one game, -1 after its end."""

    def play(state: go.GoState, key: PRNGKeyArray) -> tuple[go.GoState, Int[Array, ""]]:
        is_eye = eyes.true_eyes(game.grid, state.label, state.to_play).reshape(-1)
        is_good = game.legal_actions(state)[:-1] & ~is_eye
        draw = jnp.where(is_good, jax.random.uniform(key, is_good.shape), -1.0)
        action = jnp.where(is_good.any(), draw.argmax(), game.num_actions - 1).astype(jnp.int32)
        return game.step(state, action), jnp.where(game.is_over(state), -1, action)

    return lax.scan(play, game.init(), keys)[1]
