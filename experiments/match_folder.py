"""The folder of a match: `match.json`, what is played, and `games/`, a record for each finished game.

A record is written beside its name and renamed, so whatever stops a match, each game in the folder is whole and the
others are played when the match is started again.
"""

import contextlib
import dataclasses
import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

from experiments.match_players import Player
from research.evaluation.gtp_rules import as_json
from research.evaluation.outside_game import GameConfig
from research.evaluation.outside_match import OpeningConfig
from research.go.coords import gtp_from_point
from research.interop import sgf
from research.training.errors import RunError
from research.training.files import owned, write_atomically


class MatchFolder:
    """A match on disk."""

    def __init__(self, path: Path):
        """Nothing is read or written yet."""
        self.path = path

    @contextlib.contextmanager
    def opened(self, description: dict[str, Any]) -> Generator[None]:
        """Hold the folder for the match that `description` is while the block runs.

        Raises: RunError if another process plays there, or it holds another match.
        """
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(owned(self.path))
            except RunError as error:
                busy = f"{self.path}: another process plays this match, or nothing can be written there"
                raise RunError(f"{busy}; give another --folder") from error
            self._check_or_write(description)
            yield

    def records(self) -> dict[int, sgf.Record]:
        """The games that are finished, by number; *Raises:* RunError for one that cannot be read."""
        found = {}
        for path in sorted((self.path / "games").glob("*.sgf")):
            if path.stem.isdecimal():
                try:
                    found[int(path.stem)] = next(iter(sgf.load(path)))
                except (sgf.SgfError, StopIteration) as error:
                    raise RunError(f"{path}: not a record ({error}); delete it, and its game is played again") from None
        return found

    def game_path(self, number: int) -> Path:
        """Where the record of a game is."""
        return self.path / "games" / f"{number:04}.sgf"

    def write(self, number: int, record: sgf.Record) -> None:
        """Keep a finished game."""
        write_atomically(self.game_path(number), sgf.write(record))

    def _check_or_write(self, description: dict[str, Any]) -> None:
        path = self.path / "match.json"
        if not path.exists():
            write_atomically(path, json.dumps(description, indent=2) + "\n")
            return
        try:
            there = json.loads(path.read_text())
            different = [name for name in description | there if description.get(name) != there.get(name)]
        except (ValueError, TypeError, AttributeError, OSError):
            raise RunError(f"{path}: no description of a match; delete it or give another --folder") from None
        if different:
            name = different[0]
            raise RunError(
                f"{self.path} holds a match with {name} {there.get(name)!r}; asked for is {description.get(name)!r}: "
                "give another --folder"
            )


def describe(
    players: tuple[Player, Player], game: GameConfig, opening: OpeningConfig, arbiter: Player | None
) -> dict[str, Any]:
    """A match as JSON values: all that its games depend on."""
    return {
        "players": {player.name: player.text for player in players},
        **{field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.name != "rule_set"},
        "rules": as_json(game.rule_set),
        "opening_plies": opening.num_plies,
        "openings": [" ".join(gtp_from_point(point, game.size) for point in line) for line in opening.listed],
        "seed": opening.seed,
        "arbiter": None if arbiter is None else arbiter.text,
    }


def default_folder(first: str, second: str, size: int) -> Path:
    """Where a match goes if nothing is said."""
    names = (re.sub(r"[^\w.-]+", "-", name).strip("-")[:40] for name in (first, second))
    return Path("runs") / "matches" / f"{'-against-'.join(names)}-{size}x{size}"
