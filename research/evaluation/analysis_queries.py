"""What a line of JSON asks an analysis engine for, as `katago analysis` takes it: fields in, a checked query out.

A query is a game: stones to begin with, moves, rules, komi, and the turns to look at. Everything is checked before
anything is thought about; what is wrong is said with the field that it stands in, as KataGo does. Fields that KataGo
knows and that mean nothing here, and fields that nobody knows, are warned of and change nothing.

*Source:* KataGo's documentation of its analysis engine, docs/Analysis_Engine.md.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

from research.evaluation.gtp_game import HostGame, Record, Stone, has_dead_chain
from research.evaluation.gtp_rules import RuleSet, read_rule_set
from research.go.coords import Point, action_from_point, gtp_from_point
from research.go.rules import MAX_SIZE, MIN_SIZE
from research.interop.gtp import GtpError, is_colour, read_colour, read_vertex

Perspective = Literal["BLACK", "WHITE", "SIDETOMOVE"]
PERSPECTIVES = ("BLACK", "WHITE", "SIDETOMOVE")
MAX_KOMI = 150.0
MAX_NUMBER = 2**30
WITHOUT_EFFECT = (
    "rootPolicyTemperature", "rootFpuReductionMax", "includeOwnershipStdev", "includeMovesOwnershipStdev",
    "includePVVisits", "includeNoResultValue",
)  # fmt: skip
KNOWN = (
    "id", "moves", "initialStones", "initialPlayer", "rules", "komi", "whiteHandicapBonus", "boardXSize", "boardYSize",
    "analyzeTurns", "maxVisits", "analysisPVLen", "includeOwnership", "includeMovesOwnership", "includePolicy",
    "avoidMoves", "allowMoves", "overrideSettings", "reportDuringSearchEvery", "priority", "priorities",
)  # fmt: skip

Number = TypeVar("Number", int, float)


class QueryError(Exception):
    """A query that cannot be answered."""

    def __init__(self, text: str, field: str = "", query_id: str = ""):
        """What is wrong, in which field, of which query; "" where that is not known."""
        super().__init__(text)
        self.field, self.query_id = field, query_id


@dataclass(frozen=True)
class AnalysisConfig:
    """Settings of the engine, which a query may override.

    *Raises:* ValueError if a field is out of its range.
    """

    report_as: Perspective = "BLACK"  # whose winning chances are told
    max_visits: int | None = None  # simulations after which a position is done; None: one search
    max_time_s: float = math.inf  # seconds after which it is done
    pv_length: int = 15  # moves of a variation that are shown

    def __post_init__(self) -> None:
        """Checks each field."""
        if self.report_as not in PERSPECTIVES:
            raise ValueError(f"report_as is {self.report_as!r}; allowed: {', '.join(PERSPECTIVES)}")
        if self.max_visits is not None and self.max_visits < 1:
            raise ValueError(f"max_visits is {self.max_visits}; allowed: 1 or more")
        if not self.max_time_s > 0:
            raise ValueError(f"max_time_s is {self.max_time_s}; allowed: more than 0")
        if self.pv_length < 1:
            raise ValueError(f"pv_length is {self.pv_length}; allowed: 1 or more")


class Restriction(NamedTuple):
    """Moves that do not count, or the only ones that do, for one colour."""

    colour: str
    actions: frozenset[int]
    is_allowed: bool  # whether these are the only ones


class Query(NamedTuple):
    """One query, checked."""

    query_id: str
    record: Record  # of all moves
    rule_set: RuleSet
    size: int
    white_points: float  # komi, and what the rules give for handicap stones
    turns: tuple[tuple[int, int], ...]  # (turn, priority): how many moves are on the board
    config: AnalysisConfig
    report_every_s: float  # seconds between two replies during the search
    wants_policy: bool
    wants_ownership: bool
    wants_moves_ownership: bool
    restrictions: tuple[Restriction, ...]

    def restricts(self, colour: str) -> bool:
        """Whether some moves of a colour do not count."""
        return any(limit.colour == colour for limit in self.restrictions)

    def shows(self, colour: str, action: int) -> bool:
        """Whether a move counts."""
        mine = [limit for limit in self.restrictions if limit.colour == colour]
        return all((action in limit.actions) == limit.is_allowed for limit in mine)

    def game(self, turn: int) -> HostGame:
        """The position after so many moves."""
        return HostGame(self.rule_set.sized(self.size), self.record._replace(moves=self.record.moves[:turn]))


def read_line(line: str) -> dict[str, Any]:
    """The request that a line holds, which has an id; *Raises:* QueryError."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise QueryError(f"Could not parse input line as json request: {error}: {line.strip()[:200]}") from None
    if not isinstance(fields, dict):
        raise QueryError(f"Request line was valid json but was not an object: {line.strip()[:200]}")
    if not isinstance(fields.get("id"), str):
        raise QueryError('Request must have a string "id" field')
    return fields


def read_query(fields: dict[str, Any], config: AnalysisConfig) -> Query:
    """The query of a request; *Raises:* QueryError with its id."""
    try:
        return _read_query(fields, config)
    except QueryError as error:
        raise QueryError(str(error), error.field, fields["id"]) from None


def unused_fields(fields: dict[str, Any]) -> list[tuple[str, str]]:
    """(Field, warning) for those that change nothing."""
    warnings = [(name, "Has no effect in this engine") for name in fields if name in WITHOUT_EFFECT and fields[name]]
    return warnings + [(name, "Unexpected or unused field") for name in fields if name not in KNOWN + WITHOUT_EFFECT]


def _read_query(fields: dict[str, Any], config: AnalysisConfig) -> Query:
    size, rule_set = _read_size(fields), _read_rules(fields)
    setup = tuple(_read_stones(fields, size))
    moves = tuple(_pairs(fields, "moves", size))
    num_handicap = len(setup) if all(colour == "black" for colour, _ in setup) else 0
    first_player = moves[0][0] if moves else ("white" if num_handicap >= 2 else "black")
    if "initialPlayer" in fields:
        first_player = _colour(fields["initialPlayer"], "initialPlayer")
    usual_komi = 6.5 if rule_set.rules.scoring == "territory" else float(rule_set.rules.komi)
    komi = _number(fields, "komi", float, -MAX_KOMI, MAX_KOMI, usual_komi)
    if (2 * komi) % 1:
        raise QueryError(f"Must be an integer or half-integer from {-MAX_KOMI} to {MAX_KOMI}", "komi")
    query = Query(
        query_id=fields["id"],
        record=Record(setup, first_player, moves),
        rule_set=rule_set,
        size=size,
        white_points=komi + rule_set.compensation(num_handicap),
        turns=_read_turns(fields, len(moves)),
        config=_read_settings(fields, config),
        report_every_s=_number(fields, "reportDuringSearchEvery", float, 0.001, 1e6, math.inf),
        wants_policy=_switch(fields, "includePolicy"),
        wants_ownership=_switch(fields, "includeOwnership"),
        wants_moves_ownership=_switch(fields, "includeMovesOwnership"),
        restrictions=(*_read_restrictions(fields, "avoidMoves", size), *_read_restrictions(fields, "allowMoves", size)),
    )
    _check_moves(query)
    return query


def _read_size(fields: dict[str, Any]) -> int:
    for field in ("boardXSize", "boardYSize"):
        if field not in fields:
            raise QueryError(f"Must provide an integer from {MIN_SIZE} to {MAX_SIZE}", field)
    columns, rows = (_number(fields, field, int, MIN_SIZE, MAX_SIZE) for field in ("boardXSize", "boardYSize"))
    if columns != rows:
        raise QueryError(f"Must be the same as boardXSize, {columns}: only square boards are played here", "boardYSize")
    return columns


def _read_rules(fields: dict[str, Any]) -> RuleSet:
    rules = fields.get("rules")
    if not isinstance(rules, str | dict):
        raise QueryError("Must specify rules, as a string such as 'chinese' or as an object", "rules")
    try:
        rule_set = read_rule_set(rules if isinstance(rules, str) else json.dumps(rules))
    except GtpError as error:
        raise QueryError(str(error), "rules") from None
    bonus = fields.get("whiteHandicapBonus", rule_set.bonus)
    if bonus not in ("0", "N", "N-1"):
        raise QueryError("Must be '0', 'N' or 'N-1'", "whiteHandicapBonus")
    return replace(rule_set, bonus=bonus)


def _read_stones(fields: dict[str, Any], size: int) -> list[Stone]:
    stones: list[Stone] = []
    for colour, point in _pairs(fields, "initialStones", size, default=[]):
        if point is None:
            raise QueryError("Initial stones cannot be passes", "initialStones")
        if any(point == placed for _, placed in stones):
            raise QueryError("Two initial stones are on one point", "initialStones")
        stones.append((colour, point))
    if has_dead_chain(size, tuple(stones)):
        raise QueryError("Initial stones without liberties", "initialStones")
    return stones


def _read_turns(fields: dict[str, Any], num_moves: int) -> tuple[tuple[int, int], ...]:
    turns = fields.get("analyzeTurns", [num_moves])
    if not isinstance(turns, list) or not all(_is_integer(turn) for turn in turns):
        raise QueryError("Must specify an array of integers indicating turns to analyze", "analyzeTurns")
    for turn in turns:
        if not 0 <= turn <= num_moves:
            raise QueryError(f"Invalid turn number: {turn}", "analyzeTurns")
    priority = _number(fields, "priority", int, -MAX_NUMBER, MAX_NUMBER, 0)
    priorities = fields.get("priorities", [priority] * len(turns))
    is_list = isinstance(priorities, list) and all(_is_integer(number) for number in priorities)
    if not is_list or len(priorities) != len(turns):
        raise QueryError("Must be an array of integers as long as analyzeTurns", "priorities")
    return tuple(dict(zip(turns, priorities, strict=True)).items())


def _read_settings(fields: dict[str, Any], config: AnalysisConfig) -> AnalysisConfig:
    """What the query says of the engine's settings, by a field or as an override."""
    overrides = fields.get("overrideSettings", {})
    if not isinstance(overrides, dict):
        raise QueryError("Must be an object", "overrideSettings")
    try:
        config = with_settings(config, {name: str(setting) for name, setting in overrides.items()})
    except ValueError as error:
        raise QueryError(str(error), "overrideSettings") from None
    max_visits = config.max_visits
    if "maxVisits" in fields:
        max_visits = _number(fields, "maxVisits", int, 1, MAX_NUMBER)
    pv_length = _number(fields, "analysisPVLen", int, 1, 1000, config.pv_length)
    return replace(config, max_visits=max_visits, pv_length=pv_length)


def with_settings(config: AnalysisConfig, settings: dict[str, str]) -> AnalysisConfig:
    """The config with the settings that mean something here, by KataGo's names; *Raises:* ValueError."""
    readers: dict[str, tuple[str, Callable[[str], Any], str]] = {
        "reportAnalysisWinratesAs": ("report_as", _perspective, " or ".join(PERSPECTIVES)),
        "maxVisits": ("max_visits", int, "a whole number"),
        "maxTime": ("max_time_s", float, "a number"),
        "analysisPVLen": ("pv_length", int, "a whole number"),
    }
    for name, text in settings.items():
        if name in readers:
            field, reader, wanted = readers[name]
            try:
                setting = reader(text.strip())
            except ValueError:
                raise ValueError(f"{name} is {text!r}; wanted is {wanted}") from None
            config = replace(config, **{field: setting})
    return config


def _perspective(text: str) -> str:
    """The perspective that a text names; *Raises:* ValueError."""
    return PERSPECTIVES[PERSPECTIVES.index(text.upper())]


def _read_restrictions(fields: dict[str, Any], field: str, size: int) -> list[Restriction]:
    listed = fields.get(field, [])
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise QueryError("Must be an array of objects with player, moves and untilDepth", field)
    found = []
    for entry in listed:
        names = entry.get("moves")
        if not isinstance(names, list):
            raise QueryError("Must have moves, an array of locations", field)
        actions = frozenset(action_from_point(_point(name, field, size), size) for name in names)
        found.append(Restriction(_colour(entry.get("player"), field), actions, field == "allowMoves"))
    return found


def _check_moves(query: Query) -> None:
    """Nothing; *Raises:* QueryError for an illegal move."""
    game = query.game(0)
    for number, (colour, point) in enumerate(query.record.moves):
        if not game.is_legal(colour, point):
            raise QueryError(f"Illegal move {number}: {gtp_from_point(point, query.size)}", "moves")
        game.play(colour, point)


def _pairs(fields: dict[str, Any], field: str, size: int, default: list | None = None) -> list[tuple[str, Point]]:
    """Colours and points; *Raises:* QueryError."""
    listed = fields.get(field, default)
    is_list = isinstance(listed, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in listed)
    if not is_list:
        raise QueryError("Must be an array of pairs of the form: [player, location]", field)
    return [(_colour(colour, field), _point(name, field, size)) for colour, name in listed]


def _colour(text: Any, field: str) -> str:
    if not isinstance(text, str) or not is_colour(text):
        raise QueryError(f"Could not parse player: {text}", field)
    return read_colour(text)


def _point(name: Any, field: str, size: int) -> Point:
    try:
        return read_vertex(str(name), size)
    except GtpError:
        raise QueryError(f"Could not parse location: {name}", field) from None


def _number(
    fields: dict[str, Any], field: str, kind: type[Number], least: Number, most: Number, default: Number | None = None
) -> Number:
    """The number of a field; *Raises:* QueryError unless it is from `least` to `most`."""
    if field not in fields and default is not None:
        return default
    number: Any = fields.get(field)
    is_number = _is_integer(number) or (kind is float and isinstance(number, float))
    if not is_number or not least <= number <= most:
        what = "an integer" if kind is int else "a number"
        raise QueryError(f"Must be {what} from {least} to {most}", field)
    return kind(number)


def _is_integer(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _switch(fields: dict[str, Any], field: str) -> bool:
    switch = fields.get(field, False)
    if not isinstance(switch, bool):
        raise QueryError("Must be a boolean", field)
    return switch
