"""The planes of agz17 and alphago48 drawn on the host, by Python and NumPy, one position at a time.

This is what an encoder costs when it is not on the device: chains as sets of points, each legal move judged from the
chains beside it. `experiments.bench_encoders` times it beside the device's; a test holds the two against each other.
alphago48's ladder planes (44, 45) stay empty.

*Source:* the encoders of the same names in research/encoders.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int, Int8

Board = Int8[np.ndarray, "size size"]
Point = tuple[int, int]


class HostPosition(NamedTuple):
    """What the two encoders read of a position."""

    boards: Int8[np.ndarray, "8 size size"]  # board k plies ago: 0 empty, 1 black, 2 white
    ages: Int[np.ndarray, "size size"]  # plies since the stone here was played, the last ply being 1; 8 for older
    legal: Bool[np.ndarray, "size size"]  # points that the player to move may play on
    to_play: int  # 0 black, 1 white


@dataclass(eq=False)
class Chain:
    """Stones of one colour that hang together."""

    colour: int  # 1 black, 2 white
    stones: set[Point]
    liberties: set[Point]


def agz17(position: HostPosition) -> Bool[np.ndarray, "size size 17"]:
    """The seventeen planes, as research/encoders/agz17.py draws them."""
    own, opponent = 1 + position.to_play, 2 - position.to_play
    planes = np.zeros((*position.ages.shape, 17), bool)
    planes[..., 0:16:2] = np.moveaxis(position.boards == own, 0, -1)
    planes[..., 1:16:2] = np.moveaxis(position.boards == opponent, 0, -1)
    planes[..., 16] = position.to_play == 0
    return planes


def alphago48(position: HostPosition) -> Bool[np.ndarray, "size size 48"]:
    """The forty-eight planes, as research/encoders/alphago48.py draws them, but for the ladders."""
    board, own = position.boards[0], 1 + position.to_play
    planes = np.zeros((*board.shape, 48), bool)
    planes[..., 0], planes[..., 1], planes[..., 2] = board == own, board == 3 - own, board == 0
    planes[..., 3] = True
    chains = chains_of(board)
    eyes = true_eyes(board, own)
    for point, chain in chains.items():
        planes[(*point, 3 + min(int(position.ages[point]), 8))] = True
        planes[(*point, 11 + min(len(chain.liberties), 8))] = True
    for point in points_of(position.legal):
        taken, stones, liberties = result_of(board, chains, point, own)
        if taken:
            planes[(*point, 19 + min(taken, 8))] = True
        if liberties == 1:
            planes[(*point, 27 + min(stones, 8))] = True
        if liberties:
            planes[(*point, 35 + min(liberties, 8))] = True
        planes[(*point, 46)] = not eyes[point]
    return planes


def points_of(mask: Bool[np.ndarray, "size size"]) -> list[Point]:
    """The points at which `mask` is set."""
    return [(row, column) for row, column in np.argwhere(mask).tolist()]


def neighbours(point: Point, size: int) -> list[Point]:
    """The points beside one."""
    row, column = point
    beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [(r, c) for r, c in beside if 0 <= r < size and 0 <= c < size]


def chains_of(board: Board) -> dict[Point, Chain]:
    """The chain of every stone."""
    chains: dict[Point, Chain] = {}
    for start in points_of(board != 0):
        if start in chains:
            continue
        chain, waiting = Chain(int(board[start]), {start}, set()), [start]
        while waiting:
            for near in neighbours(waiting.pop(), len(board)):
                if not board[near]:
                    chain.liberties.add(near)
                elif board[near] == chain.colour and near not in chain.stones:
                    chain.stones.add(near)
                    waiting.append(near)
        chains |= dict.fromkeys(chain.stones, chain)
    return chains


def result_of(board: Board, chains: dict[Point, Chain], point: Point, own: int) -> tuple[int, int, int]:
    """(Stones that a move takes, stones of the chain that it makes, liberties of that chain), 0, 0 for a suicide."""
    beside = {chains[near] for near in neighbours(point, len(board)) if board[near]}
    taken = set().union(*(c.stones for c in beside if c.colour != own and c.liberties == {point}))
    stones = {point}.union(*(chain.stones for chain in beside if chain.colour == own))
    liberties = {near for near in neighbours(point, len(board)) if not board[near]}
    liberties = liberties.union(*(chain.liberties for chain in beside if chain.colour == own)) - {point}
    liberties |= {stone for stone in taken if any(near in stones for near in neighbours(stone, len(board)))}
    return len(taken), len(stones) if liberties else 0, len(liberties)


def true_eyes(board: Board, own: int) -> Bool[np.ndarray, "size size"]:
    """The empty points that are eyes for good: the greatest set whose members' diagonals are own stones or members."""
    size = len(board)
    around = np.pad(board, 1, constant_values=own)
    is_own = around == own
    eyes = (board == 0) & is_own[:-2, 1:-1] & is_own[2:, 1:-1] & is_own[1:-1, :-2] & is_own[1:-1, 2:]
    is_edge = np.zeros((size, size), bool)
    is_edge[[0, -1]] = is_edge[:, [0, -1]] = True
    sides = (slice(None, -2), slice(2, None))
    while True:
        is_good = is_own | np.pad(eyes, 1)
        num_bad = sum(~is_good[rows, columns] for rows in sides for columns in sides)
        kept = eyes & (num_bad <= np.where(is_edge, 0, 1))
        if (kept == eyes).all():
            return eyes
        eyes = kept
