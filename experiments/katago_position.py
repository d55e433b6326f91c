"""The position that a command about KataGo's networks is asked about: from a record, from moves, or from a diagram."""

import dataclasses
import itertools
from pathlib import Path

from research import go
from research.evaluation.gtp_rules import RuleSet, read_rule_set
from research.go import coords
from research.go.rules import check_komi
from research.interop import sgf as records
from research.interop.gtp import GtpError

DEFAULT_SIZE = 19  # points a side, for moves


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a position comes from."""

    sgf: Path | None = None  # a record; without one, the diagram or the moves count
    game: int = 1  # which game of the record's file
    move: int | None = None  # moves of the record to play; all by default
    board: Path | None = None  # a file with a diagram: X black, O white, a dot empty, one line a row
    to_play: str = "black"  # who is to move on the diagram
    moves: str = ""  # from the empty board, Black first, as in "D4 Q16 pass"
    size: int | None = None  # points a side, for moves; 19 by default
    rules: str | None = None  # a name or JSON, as kata-set-rules takes them; the record's, or tromp-taylor
    komi: float | None = None  # points for White; the record's, or 7.5


def read_position(source: Source) -> tuple[go.Go, go.GoState, bool]:
    """(game, position, whether passes are friendly) of a source.

    *Raises:* ValueError, OSError for a file, a game, a move, rules or a komi that will not do.
    """
    if source.size is not None and (source.sgf is not None or source.board is not None):
        raise ValueError(f"size is {source.size}: a record or a diagram has its own; leave it out")
    rule_set = None if source.rules is None else _rule_set(source.rules)
    record = _record(source) if source.sgf is not None else None
    text = source.board.read_text() if source.board is not None and record is None else ""
    asked = DEFAULT_SIZE if source.size is None else source.size
    size = asked if source.board is None else len(text.strip().splitlines())
    rules = go.rules_named("tromp-taylor", min(max(size, 2), 19)) if record is None else records.rules_of(record)
    if record is None and size != rules.size:
        raise ValueError(f"the board has {size} rows; allowed are 2 to 19")
    if rule_set is not None:
        rules = _with_rules(rules, rule_set)
    if source.komi is not None:
        check_komi(source.komi, rules.size)
        rules = dataclasses.replace(rules, komi=source.komi)
    game, is_friendly = go.Go(rules), rule_set is not None and rule_set.is_friendly
    if text:
        return game, go.from_text(rules, text, source.to_play), is_friendly
    if record is None:
        actions = [coords.action_from_gtp(vertex, rules.size) for vertex in source.moves.split()]
        record = records.from_actions(actions, rules)
    return game, records.replay(game, record, source.move), is_friendly


def _record(source: Source) -> records.Record:
    """The game of the record's file that is asked for."""
    games = records.load(source.sgf)  # type: ignore[arg-type]
    found = next(itertools.islice(games, source.game - 1, None), None) if source.game > 0 else None
    if found is None:
        raise ValueError(f"{source.sgf}: there is no game {source.game}; {games.summary()}")
    return found


def _rule_set(text: str) -> RuleSet:
    try:
        return read_rule_set(text)
    except GtpError as error:
        raise ValueError(f"rules is {text!r}: {error}") from None


def _with_rules(rules: go.Rules, rule_set: RuleSet) -> go.Rules:
    """`rules` by another rule set; territory is played as area, without tax, as everywhere on the device."""
    told = rule_set.rules
    is_territory = told.scoring == "territory"
    return dataclasses.replace(
        rules,
        ko=told.ko,
        suicide=told.suicide,
        scoring="area" if is_territory else told.scoring,
        tax="none" if is_territory else told.tax,
    )
