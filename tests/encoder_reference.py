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


PATTERN_STEPS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0)]


def surroundings(game: Referee, point: int) -> tuple[int, ...]:
    """What lies on the eight points around: 0 empty, 1 own, 2 enemy, 3 off the board."""
    row, column = divmod(point, game.columns)
    contents = []
    for down, right in PATTERN_STEPS:
        r, c = row + down, column + right
        is_on_board = 0 <= r < game.rows and 0 <= c < game.columns
        symbol = game.board[r * game.columns + c] if is_on_board else None
        contents.append({EMPTY: 0, game.to_play: 1, other(game.to_play): 2, None: 3}[symbol])
    return tuple(contents)


def variants(contents: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The surroundings seen under the eight symmetries, with the colours as they are and exchanged."""
    at = dict(zip(PATTERN_STEPS, contents, strict=True))
    found = set()
    for swap in ({}, {1: 2, 2: 1}):
        for flip in (1, -1):
            turned = {(row, flip * column): swap.get(value, value) for (row, column), value in at.items()}
            for _ in range(4):
                turned = {(column, -row): value for (row, column), value in turned.items()}
                found.add(tuple(turned[step] for step in PATTERN_STEPS))
    return found


class Features(NamedTuple):
    """The hand features of a move but for its pattern."""

    can_capture: bool
    can_connect: bool
    creates_eye: bool
    liberties_after: int
    enemy_liberties: int
    distance_to_edge: int


def features_of(game: Referee, point: int) -> Features:
    """The features of a legal move at `point`."""
    board, captured, _ = put_stone(game, point)
    own = {frozenset(chain_at(game, game.board, p)) for p in game.neighbours(point) if game.board[p] == game.to_play}
    enemies = [p for p in game.neighbours(point) if game.board[p] == other(game.to_play)]
    around = {*game.neighbours(point), *diagonals(game, point)}
    new_eyes = true_eyes(game, board, game.to_play) - true_eyes(game, game.board, game.to_play)
    row, column = divmod(point, game.columns)
    return Features(
        can_capture=bool(captured),
        can_connect=len(own) >= 2,
        creates_eye=bool(new_eyes & around),
        liberties_after=result_of(game, point).liberties,
        enemy_liberties=min((len(liberties_at(game, game.board, p)) for p in enemies), default=0),
        distance_to_edge=min(row, column, game.rows - 1 - row, game.columns - 1 - column),
    )
