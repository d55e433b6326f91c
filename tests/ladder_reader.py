"""A slow, obvious ladder reader in plain Python: the oracle that research/go/ladders.py is tested against.

It reads on the boards of `referee.py`: one string, any number of rows and columns. Two players: the `prey` chain's
owner and the `hunter`. A function for each of them says, on his turn, whether the prey is caught, by trying every move
that he is allowed and asking the other function.

- The hunter, when the prey has two liberties, may play on either. One liberty: caught. Three or more: escaped.
- The prey, when it has one liberty, may play there, or capture a hunter's chain in atari that touches it (any stone of
  it) by playing on that chain's last liberty. Two liberties or more: escaped.
- A move must be legal for its player: an empty point, no suicide, not banned by ko.

Ko. "plain": simple ko for both, from the first move on. "prey": a ban that stands when it is the prey's turn means that
the prey has escaped, except at its first turn, where a ban is lifted; the hunter obeys bans.

*Source:* KataGo's `Board::searchIsLadderCaptured` for "prey"; RocAlphaGo's ladder features for "plain".
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from referee import BLACK, WHITE, Referee, chain_at, chains, liberties_at, new_game, other

FRAMES_PER_PLY = 6  # a little more than the recursion takes
NO_BANS: dict[str, int | None] = {BLACK: None, WHITE: None}


class TooMany(Exception):
    """The reading was cut off by its limit of moves."""


@dataclass
class Reader:
    """Reads for one convention; counts the moves that it plays."""

    ko: str  # "prey" | "plain"
    max_plies: int  # plies in a line, the first move included; the prey has escaped after so many
    max_moves: int  # moves played while one first move is read
    num_moves: int = 0

    def is_caught_after(self, game: Referee, point: int, prey: int) -> bool:
        """Whether the chain of the stone on `prey` is caught after the player to move has played on `point`.

        A move that is not legal has failed. *Raises:* TooMany at the limit of moves.
        """
        self.num_moves = 0
        after = self.play(game, point)
        if game.board[prey] == game.to_play:
            return after is None or self.hunter_catches(after, prey, 1)
        if after is None:
            return False
        is_lifted = self.ko == "prey"
        return self.prey_is_lost(after.with_to_play(after.to_play) if is_lifted else after, prey, 1)

    def play(self, game: Referee, point: int) -> Referee | None:
        """The game after a stone on `point`, or None if that is not legal."""
        if game.why_illegal(point):
            return None
        self.num_moves += 1
        if self.num_moves > self.max_moves:
            raise TooMany
        return game.step(point)

    def hunter_catches(self, game: Referee, prey: int, num_plies: int) -> bool:
        """Whether the prey is caught with the hunter to move, `num_plies` having been played."""
        liberties = liberties_at(game, game.board, prey)
        if len(liberties) != 2:
            return len(liberties) < 2
        if num_plies >= self.max_plies:
            return False
        return any(
            after is not None and self.prey_is_lost(after, prey, num_plies + 1)
            for after in (self.play(game, point) for point in sorted(liberties))
        )

    def prey_is_lost(self, game: Referee, prey: int, num_plies: int) -> bool:
        """Whether the prey is caught with its owner to move, `num_plies` having been played."""
        if len(liberties_at(game, game.board, prey)) >= 2 or (self.ko == "prey" and game.ko_point is not None):
            return False
        if num_plies >= self.max_plies:
            return False
        return all(
            after is None or self.hunter_catches(after, prey, num_plies + 1)
            for after in (self.play(game, point) for point in sorted(prey_moves(game, prey)))
        )


def prey_moves(game: Referee, prey: int) -> set[int]:
    """Where the owner of the chain on `prey` may try to save it: its liberties, and captures of what touches it."""
    hunter = other(game.board[prey])
    beside = {near for stone in chain_at(game, game.board, prey) for near in game.neighbours(stone)}
    moves = liberties_at(game, game.board, prey)
    for stone in beside:
        if game.board[stone] == hunter and len(liberties_at(game, game.board, stone)) == 1:
            moves = moves | liberties_at(game, game.board, stone)
    return moves


@dataclass
class Found:
    """The ladders of one position for one colour of prey, as sets of points."""

    laddered: set[int] = field(default_factory=set)
    captures: set[int] = field(default_factory=set)
    escapes: set[int] = field(default_factory=set)


def find_ladders(
    rows: int,
    columns: int,
    board: str,
    ko: str,
    bans: dict[str, int | None] = NO_BANS,
    max_plies: int | None = None,
    max_moves: int = 20_000,
) -> dict[str, Found]:
    """The ladders of `board` for prey of each colour; `bans` are the points that each player may not take first.

    *Raises:* TooMany, if a first move cannot be read in `max_moves`: there are positions with so many ways to go that
    nobody could, for instance where a ko is fought round and round.
    """
    max_plies = max_plies or 3 * rows * columns // 2
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES_PER_PLY * max_plies + 500))
    reader = Reader(ko, max_plies, max_moves)
    return {prey: _find_for(reader, rows, columns, board, prey, bans) for prey in (BLACK, WHITE)}


def _find_for(reader: Reader, rows: int, columns: int, board: str, prey: str, bans: dict[str, int | None]) -> Found:
    found = Found()

    def tries(first: str, stone: int, points: set[int], ban: int | None) -> Iterator[tuple[int, bool]]:
        game = new_game(rows, columns, ko="simple", board=board, to_play=first, ko_point=ban, max_moves=10**9)
        return ((point, reader.is_caught_after(game, point, stone)) for point in sorted(points))

    game = new_game(rows, columns, board=board)
    for chain in chains(game, board, prey):
        stone = min(chain)
        liberties = liberties_at(game, board, stone)
        if len(liberties) == 2:
            hunter = other(prey)
            works = {point for point, is_caught in tries(hunter, stone, liberties, bans[hunter]) if is_caught}
            found.captures |= works
            found.laddered |= chain if works else set()
        if len(liberties) == 1:
            ban = None if reader.ko == "prey" else bans[prey]
            saves = {point for point, is_caught in tries(prey, stone, prey_moves(game, stone), ban) if not is_caught}
            found.escapes |= saves
            found.laddered |= set() if saves else chain
    return found
