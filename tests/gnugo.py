"""GNU Go behind a pipe, as far as the tests ask it: what is legal, what was captured, and how it plays and scores.

A process is started with command-line options, which alone can choose GNU Go's rules, and then answers GTP commands
one by one. Points travel as the library's actions, so that answers compare with its masks at once.

*Source:* GTP version 2 draft 2, sections 2.5 to 2.8 and 6.3; GNU Go 3.8's own help text.
"""

from collections.abc import Iterable
from types import TracebackType

from research.evaluation.engines import Engine, EngineRefusal
from research.evaluation.gnugo import gnugo_path
from research.go.coords import GTP_PASS, action_from_gtp, gtp_from_action

PLAYERS = ("black", "white")
ANSWER_S = 300.0  # seconds that an answer may take


class GnuGo:
    """One GNU Go process with one game; use it in a `with` statement."""

    def __init__(self, size: int, options: Iterable[str] = ()) -> None:
        """Start it on an empty board; *Raises:* FileNotFoundError where GNU Go is not installed."""
        path = gnugo_path()
        if path is None:
            raise FileNotFoundError("GNU Go is not installed: looked for gnugo on the path and in /usr/games")
        self.size = size
        self.engine = Engine("GNU Go", (path, "--mode", "gtp", *options))
        self.ask(f"boardsize {size}")
        self.clear()

    def __enter__(self) -> "GnuGo":
        """Itself."""
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        """End the process."""
        self.engine.close()

    def ask(self, command: str) -> str:
        """The answer to a command; *Raises:* ValueError if GNU Go refuses it, EngineFault if it has died."""
        try:
            return self.engine.ask(command, ANSWER_S)
        except EngineRefusal as refusal:
            raise ValueError(f"{command!r}: {refusal}") from None

    def clear(self) -> None:
        """Begin a new game."""
        self.ask("clear_board")

    def play(self, player: int, action: int) -> None:
        """Let `player` (0 black, 1 white) do `action`; *Raises:* ValueError if it is illegal."""
        self.ask(f"play {PLAYERS[player]} {gtp_from_action(action, self.size)}")

    def choose(self, player: int) -> int | None:
        """The action that GNU Go itself does for `player`; None if it resigns."""
        answer = self.ask(f"genmove {PLAYERS[player]}")
        return None if answer.lower() == "resign" else action_from_gtp(answer, self.size)

    def legal(self, player: int) -> list[int]:
        """The points that `player` may play on, in order."""
        return sorted(self._actions(self.ask(f"all_legal {PLAYERS[player]}")))

    def stones(self, player: int) -> list[int]:
        """The points that hold a stone of `player`, in order."""
        return sorted(self._actions(self.ask(f"list_stones {PLAYERS[player]}")))

    def num_captured_by(self, player: int) -> int:
        """The stones of the other player that were taken off, suicides included."""
        return int(self.ask(f"captures {PLAYERS[player]}"))

    def score(self) -> float:
        """Black's points minus White's as GNU Go judges the position."""
        answer = self.ask("final_score")
        if answer == "0":
            return 0.0
        winner, _, points = answer.partition("+")
        return float(points) if winner == "B" else -float(points)

    def _actions(self, text: str) -> list[int]:
        return [action_from_gtp(name, self.size) for name in text.split() if name.lower() != GTP_PASS]
