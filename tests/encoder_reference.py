"""Encoders' questions answered slowly and obviously: every move is played on a copy of the board.

A position is a `Referee` (see referee.py); points are indices into its board. Everything follows the definitions word
for word and shares no code with `research`.

*Source:* Silver et al., Nature 529 (2016), Extended Data Table 2; RocAlphaGo's reading of true eyes and capture sizes.
"""

from dataclasses import replace
from typing import NamedTuple

from referee import EMPTY, Referee, chain_at, liberties_at, other, put_stone


class Result(NamedTuple):
    """What a move of the player to move leads to."""

    captured: int  # enemy stones taken off
    liberties: int  # of the chain that the new stone is part of; 0 if it was a suicide
    stones: int  # of that chain; 0 if it was a suicide
    enemy_liberties: int  # fewest among the surviving enemy chains beside the point; 0 if there are none
    enemy_in_atari: int  # stones of those chains that have exactly one liberty


NOTHING = Result(0, 0, 0, 0, 0)


def result_of(game: Referee, point: int) -> Result:
    """What playing on the empty `point` leads to."""
    board, captured, lost = put_stone(game, point)
    enemies = [near for near in game.neighbours(point) if board[near] == other(game.to_play)]
    liberties = {near: len(liberties_at(game, board, near)) for near in enemies}
    threatened = set()
    for near in enemies:
        if liberties[near] == 1:
            threatened |= chain_at(game, board, near)
    return Result(
        captured=len(captured),
        liberties=0 if lost else len(liberties_at(game, board, point)),
        stones=0 if lost else len(chain_at(game, board, point)),
        enemy_liberties=min(liberties.values(), default=0),
        enemy_in_atari=len(threatened),
    )


def results_of(game: Referee) -> list[Result]:
    """`result_of` every point, `NOTHING` where the move is not legal."""
    return [result_of(game, point) if game.is_legal(point) else NOTHING for point in range(game.pass_action)]


def chain_liberties(game: Referee) -> list[int]:
    """Liberties of the chain of each stone, 0 on empty points."""
    return [len(liberties_at(game, game.board, p)) if game.board[p] != EMPTY else 0 for p in range(game.pass_action)]


def chain_stones(game: Referee) -> list[int]:
    """Stones of the chain of each stone, 0 on empty points."""
    return [len(chain_at(game, game.board, p)) if game.board[p] != EMPTY else 0 for p in range(game.pass_action)]


def diagonals(game: Referee, point: int) -> list[int]:
    """The diagonal points of a point that are on the board."""
    row, column = divmod(point, game.columns)
    around = [(row + down, column + right) for down in (-1, 1) for right in (-1, 1)]
    return [r * game.columns + c for r, c in around if 0 <= r < game.rows and 0 <= c < game.columns]


def true_eyes(game: Referee, board: str, player: str) -> set[int]:
    """The greatest set of eye candidates of `player` each of which has no more bad diagonals than it may have."""
    eyes = {
        point
        for point in range(len(board))
        if board[point] == EMPTY and all(board[near] == player for near in game.neighbours(point))
    }

    def is_false(point: int) -> bool:
        bad = [p for p in diagonals(game, point) if board[p] == other(player) or (board[p] == EMPTY and p not in eyes)]
        return len(bad) > (1 if len(game.neighbours(point)) == 4 else 0)

    while false := {point for point in eyes if is_false(point)}:
        eyes -= false
    return eyes


def with_player(game: Referee, player: str) -> Referee:
    """The same position with `player` to move, no ko ban."""
    return replace(game, to_play=player, ko_point=None)
