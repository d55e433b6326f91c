"""How long a move may take: the clock of both players, as GTP's commands set it.

The share of a move is what is left divided by the moves that are still to come, less a margin for the way of the
answer. Moves still to come: in a byo-yomi period its stones; in main time a quarter of the board at first, fewer later,
never under MIN_MOVES_LEFT, so that a game that goes on and on slows down nobody into losing by time.

*Source:* GTP version 2 draft 2, section 4.2; kgsGtp's documentation of `kgs-time_settings`; own choice of shares.
"""

from dataclasses import dataclass, field

MARGIN_S = 0.1  # seconds a move that the answer's way may take
MIN_MOVES_LEFT = 12  # own moves that main time is always divided over
SHARE_OF_PERIOD = 0.8  # of a period's seconds that a move may take, since what it takes is only measured


@dataclass
class Side:
    """One player's clock."""

    seconds: float  # left of main time, or of the period
    stones: int  # to be played in the period; 0: in main time


@dataclass
class Clock:
    """Time for both; without settings moves are not timed."""

    main_s: float = 0.0  # seconds of main time
    period_s: float = 0.0  # seconds of a period
    period_stones: int = 0  # stones a period; 0: no periods, or no limit if `period_s` is not 0
    is_timed: bool = False
    sides: dict[str, Side] = field(default_factory=dict)

    @classmethod
    def with_settings(cls, main_s: float, period_s: float, period_stones: int) -> "Clock":
        """A clock at the start of a game; a period without stones means no limit at all."""
        is_timed = period_stones > 0 or period_s == 0
        clock = cls(main_s, period_s, period_stones, is_timed)
        clock.reset()
        return clock

    def reset(self) -> None:
        """Both clocks as at the start."""
        start = (self.main_s, 0) if self.main_s > 0 or not self.period_stones else (self.period_s, self.period_stones)
        self.sides = {colour: Side(*start) for colour in ("black", "white")} if self.is_timed else {}

    def set_left(self, colour: str, seconds: float, stones: int) -> None:
        """What the controller says is left, which counts more than what was measured here."""
        self.is_timed = True
        self.sides[colour] = Side(seconds, stones)

    def budget_s(self, colour: str, num_points: int, num_moves: int) -> float | None:
        """Seconds that the next move of `colour` may take, None for no limit."""
        side = self.sides.get(colour)
        if side is None:
            return None
        if side.stones > 0:
            share = SHARE_OF_PERIOD * side.seconds / side.stones
        else:
            moves_left = max(MIN_MOVES_LEFT, num_points // 4 - num_moves // 2)
            share = side.seconds / moves_left
            if self.period_stones > 0:  # main time may be used up, a period follows
                share = max(share, SHARE_OF_PERIOD * self.period_s / self.period_stones)
        return max(0.0, share - MARGIN_S)

    def spend(self, colour: str, seconds: float) -> None:
        """Take what a move took from the clock of `colour`."""
        side = self.sides.get(colour)
        if side is None:
            return
        left = side.seconds - seconds
        if side.stones > 1:
            self.sides[colour] = Side(max(0.0, left), side.stones - 1)
        elif side.stones == 1 or (left <= 0 and self.period_stones > 0):
            self.sides[colour] = Side(self.period_s, self.period_stones)
        else:
            self.sides[colour] = Side(max(0.0, left), 0)
