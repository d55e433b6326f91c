"""Positions out of the referee's random games, as moments that a plain reference reads and as arrays.

The players have the habits of random_games.py, so kos, captures of many stones and suicides are common.

*Source:* none; this is test scaffolding.
"""

import random
from typing import NamedTuple

import numpy as np
from random_games import HABITS, random_action
from referee import BLACK, EMPTY, Referee, new_game

SYMBOLS = ".XO"


class Boards(NamedTuple):
    """Many positions of one size."""

    stones: np.ndarray  # int8[positions, size, size]
    player: np.ndarray  # int32[positions], 0 black, 1 white
    legal: np.ndarray  # bool[positions, size, size]


def random_positions(size: int, num_games: int, num_plies: int, suicide: bool = False, seed: int = 0) -> list[Referee]:
    """Every moment of games under simple ko, the beginnings left out."""
    moments = []
    for number in range(num_games):
        rng = random.Random(f"{seed} {size} {suicide} {number}")
        game = new_game(size, ko="simple", suicide=suicide, max_moves=10 * size * size)
        habits, actions = {BLACK: rng.choice(HABITS[:5]), "O": rng.choice(HABITS[:5])}, []
        for _ in range(num_plies):
            reasons = [game.why_illegal(point) for point in range(game.pass_action)]
            actions.append(random_action(game, reasons, habits[game.to_play], actions, rng))
            game = game.step(actions[-1])
            if not game.is_over() and game.board.count(EMPTY) < size * size - 1:
                moments.append(game)
    return moments


def boards_of(moments: list[Referee]) -> Boards:
    """The moments as arrays."""
    return Boards(
        stones=np.array([stones_of(game.board, game.columns) for game in moments], np.int8),
        player=np.array([game.to_play != BLACK for game in moments], np.int32),
        legal=np.array([game.legal_actions()[:-1] for game in moments]).reshape(
            -1, moments[0].rows, moments[0].columns
        ),
    )


def stones_of(board: str, columns: int) -> np.ndarray:
    """A board as numbers: 0 empty, 1 black, 2 white."""
    return np.array([SYMBOLS.index(content) for content in board], np.int8).reshape(-1, columns)
