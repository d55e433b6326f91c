"""Which stones of a finished game are dead, judged by a network's ownership or by playing it out at random on the host.

A network that tells who will own each point says with it which chains are dead: those whose points it gives to the
opponent, clearly and on the average.

Without one, both colours play legal moves at random, but fill no eye of their own, until neither has a move. A chain
that alive stones cannot be kept from catching ends as the opponent's nearly every time; one that lives, or stands in
seki, does not. The chance is always the same, so the same position is always judged in the same way. Chains that
Benson's theorem calls dead, or alive, are so without playing.

That is a judge for territory rules, where somebody must say what is dead; it sees what random play sees, no more.

*Source:* Bruegmann 1993, "Monte Carlo Go", for random games that fill no eyes; the threshold is our own choice.
"""

import random
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float, Int

from research.go import host_scoring
from research.interop.sgf.legality import BLACK, BORDER, EMPTY, WHITE, HostBoard
from research.interop.sgf.points import Shape

NUM_PLAYOUTS = 64
DEAD_SHARE = 0.7  # of the playouts in which a dead chain's points end as the opponent's, on the average
DEAD_OWNERSHIP = 0.4  # of a chain's points, on the average, as the opponent's: from there on it is dead
MAX_LENGTH = 3  # plies of a playout, in boards full of points


def dead_stones(stones: Int[np.ndarray, "size size"], suicide: bool) -> Bool[np.ndarray, "size size"]:
    """The stones that are dead: whole chains."""
    size = len(stones)
    lost = np.array(_lost_shares(stones.astype(np.int8).tobytes(), size)).reshape(size, size)
    return _dead_chains(stones, suicide, lost, DEAD_SHARE)


def dead_by_ownership(
    stones: Int[np.ndarray, "size size"], ownership: Float[np.ndarray, "size size"], suicide: bool
) -> Bool[np.ndarray, "size size"]:
    """The stones that are dead by `ownership` (1 Black's, -1 White's): whole chains."""
    return _dead_chains(stones, suicide, np.where(stones == BLACK, -ownership, ownership), DEAD_OWNERSHIP)


def _dead_chains(
    stones: Int[np.ndarray, "size size"], suicide: bool, lost: Float[np.ndarray, "size size"], threshold: float
) -> Bool[np.ndarray, "size size"]:
    """The chains that are lost on the average, or caught for good, and not alive for good."""
    owner = host_scoring.area_map(stones, suicide)
    dead = np.zeros(stones.shape, bool)
    for colour in (BLACK, WHITE):
        alive, _ = host_scoring.pass_alive(stones, colour, suicide)
        for chain in host_scoring.parts(stones == colour):
            is_caught = any(owner[point] not in (0, colour) for point in chain)
            share = sum(lost[point] for point in chain) / len(chain)
            if is_caught or (chain not in alive and share >= threshold):
                for point in chain:
                    dead[point] = True
    return dead


@lru_cache(maxsize=4)
def _lost_shares(stones: bytes, size: int) -> tuple[float, ...]:
    """How often each stone's point ends as the opponent's; 0 at empty points."""
    chance, start = random.Random(0), HostBoard(Shape(size, size))
    entries = [start.index(divmod(action, size)) for action in range(size * size)]
    for entry, stone in zip(entries, stones, strict=True):
        start.points[entry] = stone
    lost = [0] * len(entries)
    for number in range(NUM_PLAYOUTS):
        board = HostBoard(Shape(size, size))
        board.points = list(start.points)
        _play_out(board, entries, (BLACK, WHITE)[number % 2], chance)
        for place, entry in enumerate(entries):
            lost[place] += stones[place] != EMPTY and _owner(board, entry) == BLACK + WHITE - stones[place]
    return tuple(count / NUM_PLAYOUTS for count in lost)


def _play_out(board: HostBoard, entries: list[int], colour: int, chance: random.Random) -> None:
    """Play until both have passed, or long enough."""
    num_passes, ko = 0, -1
    for _ in range(MAX_LENGTH * len(entries)):
        empty = [entry for entry in entries if board.points[entry] == EMPTY]
        chance.shuffle(empty)
        for entry in empty:
            if not _is_eye(board, entry, colour) and board.why_illegal(entry, colour, ko, False) is None:
                ko, num_passes = board.play(entry, colour), 0
                break
        else:
            ko, num_passes = -1, num_passes + 1
            if num_passes == 2:
                return
        colour = BLACK + WHITE - colour


def _is_eye(board: HostBoard, entry: int, colour: int) -> bool:
    """Whether an empty point is an eye of `colour`: its own around, and the opponent at no two corners of it."""
    points, width = board.points, board.width
    if any(points[entry + step] not in (colour, BORDER) for step in board.steps):
        return False
    corners = [points[entry + step] for step in (-width - 1, -width + 1, width - 1, width + 1)]
    return corners.count(BLACK + WHITE - colour) + (BORDER in corners) < 2


def _owner(board: HostBoard, entry: int) -> int:
    """Whose a point is at the end of a playout: the stone's there, else a neighbour's."""
    around = [entry, *(entry + step for step in board.steps)]
    return next((board.points[near] for near in around if board.points[near] in (BLACK, WHITE)), EMPTY)
