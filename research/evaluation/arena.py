"""The arena: a batch of games between two players, and matches with the colours balanced, on the device.

Games stand side by side and the players take turns, as in every game of the protocol, so on one ply the same player
moves in all of them: a ply is one call of that player for the whole batch. The loop runs until the last game is over;
a finished game absorbs what is played on. Which player is Black is a traced flag, and the networks' variables are
arguments, so both halves of a match, and every later match of that pairing, are one compiled program.

A match needs variety to mean anything: identical games are counted once in `num_distinct_games`. It comes from the
players' noise (search, sampled policies) or from `opening_plies` random plies; both halves of a match then play the
same openings with the colours swapped.

*Source:* own design. The evaluation games of Silver et al. 2017 (AlphaGo Zero), Methods, "Evaluator", are the model.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int32, PRNGKeyArray

from research.evaluation.match import Games, MatchResult, summarise
from research.evaluation.players import Player, random_player
from research.game import Game, State
from research.search import Variables

# (first player's variables, second player's, key, whether the first is Black: True by default) -> Games
PlayGames = Callable[..., Games]
# (first player's variables, second player's, key) -> MatchResult, on the host
Match = Callable[[Variables, Variables, PRNGKeyArray], MatchResult]


@dataclass(frozen=True)
class MatchConfig:
    """Settings of a match.

    *Raises:* ValueError if a field is out of its range.
    """

    num_games: int = 200  # games in all, half of them with each colour; an even number
    opening_plies: int = 0  # uniformly random plies before the players take over

    def __post_init__(self) -> None:
        """Checks each field."""
        if self.num_games < 2 or self.num_games % 2:
            raise ValueError(f"num_games is {self.num_games}; allowed: an even number, 2 or more")
        if self.opening_plies < 0:
            raise ValueError(f"opening_plies is {self.opening_plies}; allowed: 0 or more")


class _Table(NamedTuple):
    """The games under way."""

    ply: Int32[Array, ""]  # plies played
    states: State  # batched positions
    num_moves: Int32[Array, " games"]  # plies played in each game, which stops counting at its end
    actions: Int32[Array, "plies games"]  # what was played; -1 after a game's end


class _Keys(NamedTuple):
    """The two sources of chance in a match; each ply folds its number in."""

    opening: PRNGKeyArray  # the same in both halves of a match
    moves: PRNGKeyArray  # the players' own


def make_match(game: Game, first: Player, second: Player, config: MatchConfig) -> Match:
    """A match of `config.num_games` games, half with each colour; deterministic given the key, which is consumed."""
    play = make_play_games(game, first, second, config.num_games // 2, config.opening_plies)

    def match(first_variables: Variables, second_variables: Variables, key: PRNGKeyArray) -> MatchResult:
        as_black = play(first_variables, second_variables, key, True)
        as_white = play(first_variables, second_variables, key, False)
        return summarise(first.name, second.name, jax.device_get(as_black), jax.device_get(as_white))

    return match


def make_play_games(game: Game, first: Player, second: Player, num_games: int, opening_plies: int = 0) -> PlayGames:
    """`num_games` games at once from the game's start: play(first_variables, second_variables, key, first_is_black).

    The first player is Black unless told otherwise. With the same key and the colours swapped, the random openings
    are the same and the players' noise is not.
    """
    choose = _make_choose(game, first, second, opening_plies)

    @jax.jit
    def play(
        first_variables: Variables, second_variables: Variables, key: PRNGKeyArray, first_is_black: Bool[Array, ""]
    ) -> Games:
        opening_key, move_key = jax.random.split(key)
        keys = _Keys(opening_key, jax.random.fold_in(move_key, first_is_black))

        def is_any_running(table: _Table) -> Bool[Array, ""]:
            return (table.ply < game.max_moves) & ~jax.vmap(game.is_over)(table.states).all()

        def play_ply(table: _Table) -> _Table:
            is_first_to_move = (table.ply % 2 == 0) == first_is_black
            action = choose(first_variables, second_variables, is_first_to_move, table, keys)
            return _advance(game, table, action)

        table = jax.lax.while_loop(is_any_running, play_ply, _set_up(game, num_games))
        outcomes = jax.vmap(game.outcome)(table.states)
        return Games(outcomes, table.num_moves, table.actions, table.states)

    def play_games(
        first_variables: Variables, second_variables: Variables, key: PRNGKeyArray, first_is_black: bool = True
    ) -> Games:
        # An explicit transfer, for callers that forbid the implicit ones.
        return play(first_variables, second_variables, key, jax.device_put(np.bool_(first_is_black)))

    return play_games


def _make_choose(
    game: Game, first: Player, second: Player, opening_plies: int
) -> Callable[..., Int32[Array, " games"]]:
    """Who chooses on a ply: the random opening, then the player whose turn it is."""
    opening = random_player(game)

    def choose_in_turn(
        first_variables: Variables, second_variables: Variables, is_first: Bool[Array, ""], states: State, key: Array
    ) -> Int32[Array, " games"]:
        if first.choose is second.choose:
            # One program for both: a select of the variables costs less than compiling a search twice.
            variables = jax.tree.map(lambda a, b: jnp.where(is_first, a, b), first_variables, second_variables)
            return first.choose(variables, states, key)
        return jax.lax.cond(
            is_first,
            lambda: first.choose(first_variables, states, key),
            lambda: second.choose(second_variables, states, key),
        )

    def choose(
        first_variables: Variables, second_variables: Variables, is_first: Bool[Array, ""], table: _Table, keys: _Keys
    ) -> Int32[Array, " games"]:
        def in_turn() -> Int32[Array, " games"]:
            key = jax.random.fold_in(keys.moves, table.ply)
            return choose_in_turn(first_variables, second_variables, is_first, table.states, key)

        if opening_plies == 0:
            return in_turn()
        opening_key = jax.random.fold_in(keys.opening, table.ply)
        return jax.lax.cond(table.ply < opening_plies, lambda: opening.choose(None, table.states, opening_key), in_turn)

    return choose


def _set_up(game: Game, num_games: int) -> _Table:
    """`num_games` games before their first move."""
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (num_games, *leaf.shape)), game.init())
    return _Table(
        ply=jnp.int32(0),
        states=states,
        num_moves=jnp.zeros(num_games, jnp.int32),
        actions=jnp.full((game.max_moves, num_games), -1, jnp.int32),
    )


def _advance(game: Game, table: _Table, action: Int32[Array, " games"]) -> _Table:
    """The games one ply on; a finished game stays as it is and records -1."""
    is_running = ~jax.vmap(game.is_over)(table.states)
    recorded = jnp.where(is_running, action, -1)
    return _Table(
        ply=table.ply + 1,
        states=jax.vmap(lambda state, move: game.step(state, move))(table.states, action),
        num_moves=table.num_moves + is_running.astype(jnp.int32),
        actions=jax.lax.dynamic_update_index_in_dim(table.actions, recorded, table.ply, axis=0),
    )
