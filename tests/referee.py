"""A slow, obvious Go in plain Python: the oracle that the fast rules in research/go are tested against.

Everything is written so that a Go player can check it by reading. A board is one string, row after row, of `.` (empty),
`X` (black) and `O` (white); a point is an index into it; the board may have any number of rows and columns. A `Referee`
is one moment of a game: the board, who is to move, and what the rules must remember. `step` gives the next moment.

The rules
- A play puts a stone on an empty point; then enemy chains without liberties are taken off; then, if the player's own
  chain has no liberty, it is taken off (suicide). Suicide is legal only if `suicide` is set and two or more stones die.
- Ko, under every ko rule: if a play captured exactly one stone, and the stone played stands alone with one liberty,
  then the opponent may not play on that liberty next. Any pass lifts this ban.
- Superko on top of it: with ko="positional" a play may not recreate any earlier position of the whole board; with
  ko="situational" it may not recreate an earlier position with the same player to move. The position that the game
  started from counts as earlier. A pass is always legal, and makes nothing forgotten.
- The game ends by two passes in a row, or after `max_moves` plies. Then pass is the only action left, and changes
  nothing. Neither does an illegal action, at any time.
- The score is Tromp-Taylor area: stones, and empty regions that border on one colour only; all stones count as alive.
  Group tax is a score of its own (`taxed_score`).

*Source:* the Tromp-Taylor rules (https://tromp.github.io/go.html), rules 1-10; simple ko as in the AGA rules, rule 6;
group tax as in KataGo's rules (https://lightvector.github.io/KataGo/rules.html).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

EMPTY, BLACK, WHITE = ".", "X", "O"


@dataclass(frozen=True)
class Referee:
    """One moment of a game, with the rules that it is played by. Make the first one with `new_game`."""

    rows: int
    columns: int
    komi: float  # points that White is given
    ko: str  # "simple" | "positional" | "situational"
    suicide: bool  # whether a chain of two or more stones may be played out of its last liberty
    max_moves: int  # plies, passes included, after which the game is over
    board: str  # rows * columns characters
    to_play: str  # BLACK or WHITE
    ko_point: int | None = None  # where the player to move may not retake a single stone
    num_passes: int = 0  # passes in a row just now
    num_moves: int = 0  # plies played
    seen: frozenset = field(default=frozenset(), repr=False)  # what superko forbids to come back to

    @property
    def pass_action(self) -> int:
        """The action that is a pass."""
        return self.rows * self.columns

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.num_passes >= 2 or self.num_moves >= self.max_moves

    def is_legal(self, action: int) -> bool:
        """Whether the player to move may do `action`: a point, or `pass_action`."""
        if action == self.pass_action:
            return True
        if self.is_over() or not 0 <= action < self.pass_action:
            return False
        return self.why_illegal(action) is None

    def why_illegal(self, point: int) -> str | None:
        """What forbids a stone on `point`: "occupied", "suicide", "ko" or "superko"; None if it is legal."""
        if self.board[point] != EMPTY:
            return "occupied"
        board, _, lost = put_stone(self, point)
        if len(lost) == 1 or (lost and not self.suicide):
            return "suicide"
        if point == self.ko_point:
            return "ko"
        if self.memory_of(board, other(self.to_play)) & self.seen:
            return "superko"
        return None

    def legal_actions(self) -> list[bool]:
        """Whether each action is legal, pass last."""
        return [self.is_legal(action) for action in range(self.pass_action + 1)]

    def step(self, action: int) -> Referee:
        """The next moment; this one itself if the game is over or `action` is illegal."""
        if self.is_over() or not self.is_legal(action):
            return self
        if action == self.pass_action:
            board, ko_point, num_passes = self.board, None, self.num_passes + 1
        else:
            board, captured, _ = put_stone(self, action)
            ko_point, num_passes = self.new_ko_point(board, action, captured), 0
        next_player = other(self.to_play)
        return replace(
            self,
            board=board,
            to_play=next_player,
            ko_point=ko_point,
            num_passes=num_passes,
            num_moves=self.num_moves + 1,
            seen=self.seen | self.memory_of(board, next_player),
        )

    def new_ko_point(self, board: str, point: int, captured: set[int]) -> int | None:
        """Where a play on `point`, which led to `board`, bans the opponent from playing next."""
        if len(captured) != 1 or len(chain_at(self, board, point)) != 1:
            return None
        liberties = liberties_at(self, board, point)
        return min(liberties) if len(liberties) == 1 else None

    def memory_of(self, board: str, to_play: str) -> frozenset:
        """What superko will remember of a position: the board, or the board with its player to move, or nothing."""
        if self.ko == "situational":
            return frozenset({(board, to_play)})
        return frozenset({board}) if self.ko == "positional" else frozenset()

    def with_to_play(self, player: str) -> Referee:
        """The same moment with `player` to move: no ban by simple ko, and nothing else forgotten or added."""
        return replace(self, to_play=player, ko_point=None)

    def score(self) -> float:
        """Black's area minus White's area minus komi, in points, on the board as it stands."""
        black, white = self.board.count(BLACK), self.board.count(WHITE)
        for region in chains(self, self.board, EMPTY):
            colours = {self.board[near] for point in region for near in self.neighbours(point)} - {EMPTY}
            black += len(region) if colours == {BLACK} else 0
            white += len(region) if colours == {WHITE} else 0
        return black - white - self.komi

    def taxed_score(self, tax: str) -> float:
        """`score` where groups pay tax: "seki", the empty points of an area that lives in seki; "all", two points too.

        An area is all that one player's stones and surrounded points make up together. It lives in seki, as far as this
        rule looks, if it touches an empty point that is nobody's or holds a chain in atari. Then only its stones count;
        else all of it, less two points under "all".
        """
        owners = self.board
        for region in chains(self, self.board, EMPTY):
            colours = {self.board[near] for point in region for near in self.neighbours(point)} - {EMPTY}
            if len(colours) == 1:
                owners = with_points(owners, region, min(colours))
        points = {BLACK: 0, WHITE: 0}
        for colour in points:
            for area in chains(self, owners, colour):
                stones = {point for point in area if self.board[point] == colour}
                near = {owners[near] for point in area for near in self.neighbours(point)}
                in_atari = any(len(liberties_at(self, self.board, point)) == 1 for point in stones)
                if EMPTY in near or in_atari:
                    points[colour] += len(stones)
                else:
                    points[colour] += len(area) - (2 if tax == "all" else 0)
        return points[BLACK] - points[WHITE] - self.komi

    def outcome(self) -> int:
        """+1 if Black won, -1 if White won, 0 if the game is drawn or not over."""
        score = self.score() if self.is_over() else 0
        return (score > 0) - (score < 0)

    def neighbours(self, point: int) -> tuple[int, ...]:
        """The two to four points next to `point` (fewer on a board of one line)."""
        return neighbours_on(self.rows, self.columns, point)

    def diagram(self) -> str:
        """The board as lines of text, the top row first."""
        return diagram(self.board, self.columns)


def new_game(
    rows: int,
    columns: int | None = None,
    *,
    komi: float = 7.5,
    ko: str = "positional",
    suicide: bool = False,
    max_moves: int | None = None,
    board: str | None = None,
    to_play: str = BLACK,
    ko_point: int | None = None,
) -> Referee:
    """A game that begins on an empty board, or on `board` (a diagram or one string) with `to_play` to move."""
    columns = rows if columns is None else columns
    start = EMPTY * (rows * columns) if board is None else "".join(board.split())
    if len(start) != rows * columns or set(start) - {EMPTY, BLACK, WHITE}:
        raise ValueError(f"a board of {rows} x {columns} points of . X O was wanted, got\n{board}")
    limit = 2 * rows * columns if max_moves is None else max_moves
    game = Referee(rows, columns, komi, ko, suicide, limit, start, to_play, ko_point)
    dead = [
        point
        for colour in (BLACK, WHITE)
        for chain in chains(game, start, colour)
        for point in chain
        if not liberties_at(game, start, point)
    ]
    if dead:
        raise ValueError(f"stones without a liberty at {dead} in\n{game.diagram()}")
    return replace(game, seen=game.memory_of(start, to_play))


def put_stone(game: Referee, point: int) -> tuple[str, set[int], set[int]]:
    """(the board after a stone of the player to move on the empty `point`, enemy stones and own stones taken off)."""
    enemy = other(game.to_play)
    board = with_points(game.board, {point}, game.to_play)
    captured: set[int] = set()
    for near in game.neighbours(point):
        if board[near] == enemy and not has_liberty(game, board, near):
            captured |= chain_at(game, board, near)
    board = with_points(board, captured, EMPTY)
    lost = set() if has_liberty(game, board, point) else chain_at(game, board, point)
    return with_points(board, lost, EMPTY), captured, lost


def chain_at(game: Referee, board: str, point: int) -> set[int]:
    """The points connected with `point` by points of the same content (stones of one colour, or empty points)."""
    chain, to_visit = {point}, [point]
    while to_visit:
        for near in game.neighbours(to_visit.pop()):
            if board[near] == board[point] and near not in chain:
                chain.add(near)
                to_visit.append(near)
    return chain


def liberties_at(game: Referee, board: str, point: int) -> set[int]:
    """The empty points next to the chain of the stone on `point`."""
    return {near for stone in chain_at(game, board, point) for near in game.neighbours(stone) if board[near] == EMPTY}


def has_liberty(game: Referee, board: str, point: int) -> bool:
    """Whether the chain of the stone on `point` has a liberty: `liberties_at`, but it stops at the first one."""
    chain, to_visit = {point}, [point]
    while to_visit:
        for near in game.neighbours(to_visit.pop()):
            if board[near] == EMPTY:
                return True
            if board[near] == board[point] and near not in chain:
                chain.add(near)
                to_visit.append(near)
    return False


def chains(game: Referee, board: str, content: str) -> list[set[int]]:
    """All chains of stones of one colour, or all empty regions."""
    found: list[set[int]] = []
    for point in range(len(board)):
        if board[point] == content and not any(point in chain for chain in found):
            found.append(chain_at(game, board, point))
    return found


def other(player: str) -> str:
    """The opponent of `player`."""
    return WHITE if player == BLACK else BLACK


def diagram(board: str, columns: int) -> str:
    """`board` as lines of text, the top row first."""
    return "\n".join(board[start : start + columns] for start in range(0, len(board), columns))


def with_points(board: str, points: set[int], content: str) -> str:
    """`board` with `content` on each of `points`."""
    stones = list(board)
    for point in points:
        stones[point] = content
    return "".join(stones)


@cache
def neighbours_on(rows: int, columns: int, point: int) -> tuple[int, ...]:
    """The points next to `point` on a board of this size."""
    row, column = divmod(point, columns)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return tuple(r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns)
