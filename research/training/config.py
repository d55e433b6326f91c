"""RunConfig: every setting of a training run, checked before anything compiles.

A preset in configs/ returns one; the command line overrides any field by its dotted name; a run writes it to
config.json and reads it back from there. The game is chosen by the type of its rules.
"""

import dataclasses
import difflib
import json
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Any

from research import encoders, go, toys
from research.encoders.global_planes import with_global_planes
from research.encoders.option_words import encoder_with
from research.evaluation.arena import MatchConfig
from research.game import Game
from research.networks import NetworkConfig
from research.search import SearchConfig
from research.selfplay.replay import ReplayConfig
from research.selfplay.rollout import SelfPlayConfig
from research.training.errors import RunError
from research.training.files import write_atomically
from research.training.losses import LossConfig
from research.training.optimizers import OptimizerConfig

GameRules = go.Rules | toys.TicTacToeRules | toys.BanditRules

# The one table of games: the rules' type -> the game.
GAMES: dict[type, Any] = {
    go.Rules: go.Go,
    toys.TicTacToeRules: toys.TicTacToe,
    toys.BanditRules: toys.Bandit,
}


@dataclass(frozen=True)
class EvaluationConfig:
    """The matches that a run plays against a random player and against its own untrained network."""

    interval: int = 0  # iterations between matches while training; 0 plays them at the end alone
    match: MatchConfig = field(default_factory=MatchConfig)
    gumbel_scale: float = 1.0  # the search's root noise in matches; 0 plays the best move found, with less variety

    def __post_init__(self) -> None:
        """Raise ValueError naming the field, its value and what is allowed."""
        if self.interval < 0:
            raise ValueError(f"evaluation.interval is {self.interval}; it must be 0 (at the end alone) or more")
        if not 0 <= self.gumbel_scale < math.inf:
            raise ValueError(f"evaluation.gumbel_scale is {self.gumbel_scale}; it must be 0 or more")


@dataclass(frozen=True)
class RunConfig:
    """One training run."""

    name: str  # the run's folder is runs/NAME
    game: GameRules
    encoder: str  # a name of research.encoders
    encoder_options: tuple[str, ...] = ()  # such as ladder_max_nodes=400; docs/planes.md lists each encoder's
    network: NetworkConfig = field(default_factory=NetworkConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    self_play: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    loss: LossConfig = field(default_factory=LossConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    num_iterations: int = 100  # rollouts, each followed by num_updates updates
    num_updates: int = 32  # gradient steps an iteration
    batch_size: int = 256  # samples a gradient step
    checkpoint_interval: int = 10  # iterations between checkpoints
    num_checkpoints: int = 2  # latest checkpoints kept
    seed: int = 0  # of everything random in the run
    num_devices: int | None = None  # devices to use; None takes all

    def __post_init__(self) -> None:
        """Raise ValueError naming the field, its value and what is allowed."""
        for name in ("num_updates", "batch_size", "checkpoint_interval", "num_checkpoints"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.num_iterations < 0:
            raise ValueError(f"num_iterations is {self.num_iterations}; it must be 0 or more")
        if not self.name or Path(self.name).name != self.name or self.name.startswith("."):
            raise ValueError(f"name is {self.name!r}; it must be a plain folder name")
        if not 0 <= self.seed < 2**31:
            raise ValueError(f"seed is {self.seed}; it must be in 0..2147483647")
        self.make_encoder()
        opening_plies, max_moves = self.evaluation.match.opening_plies, self.make_game().max_moves
        if opening_plies >= max_moves:
            raise ValueError(
                f"evaluation.match.opening_plies is {opening_plies}; it must leave some of a game's {max_moves} moves"
            )

    @property
    def num_lanes(self) -> int:
        """Lanes of the replay ring: as many as divide both the games and the batch."""
        return math.gcd(self.self_play.num_games, self.batch_size)

    def make_game(self) -> Game:
        """The game that the rules describe."""
        return GAMES[type(self.game)](self.game)

    def make_encoder(self) -> encoders.Encoder:
        """The encoder, its globals as planes; ValueError for an unknown name or option, or another game's."""
        encoder = with_global_planes(encoder_with(self.encoder, self.encoder_options))
        encoder.check_game(self.make_game())
        return encoder

    def check_devices(self, num_devices: int) -> None:
        """Raise RunError if games, samples or matches do not split over this many devices."""
        if self.num_devices is not None and not 1 <= self.num_devices <= num_devices:
            raise RunError(f"num_devices is {self.num_devices}; this machine has {num_devices}")
        num_used = self.num_devices or num_devices
        for name, value in (("self_play.num_games", self.self_play.num_games), ("batch_size", self.batch_size)):
            if value % num_used:
                raise RunError(f"{name} is {value}; it must be a multiple of the {num_used} devices")


def write_config(config: RunConfig, path: Path) -> None:
    """Write config.json atomically."""
    write_atomically(path, json.dumps(to_json(config), indent=2) + "\n")


def read_config(path: Path) -> RunConfig:
    """The RunConfig that `write_config` wrote.

    Raises: RunError if the file is not one: damaged, or of another version's fields.
    """
    try:
        data = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RunError(f"{path}: wanted a run's config.json, got {error}") from error
    try:
        return _from_json(RunConfig, data, path.name)
    except (TypeError, ValueError) as error:
        raise RunError(f"{path}: {error}") from error


def to_json(settings: Any) -> Any:
    """`settings` as plain JSON values; a dataclass of a union carries its type's name under "type"."""
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        fields = {entry.name: to_json(getattr(settings, entry.name)) for entry in dataclasses.fields(settings)}
        is_game = type(settings) in GAMES
        return {"type": type(settings).__name__, **fields} if is_game else fields
    return list(settings) if isinstance(settings, tuple) else settings


def differing_fields(first: Any, second: Any) -> list[str]:
    """Dotted names of the settings in which two configs differ."""
    a, b = _flatten(to_json(first)), _flatten(to_json(second))
    return [name for name in sorted(a.keys() | b.keys()) if a.get(name) != b.get(name)]


def _flatten(value: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {prefix: value}
    flat: dict[str, Any] = {}
    for name, inner in value.items():
        flat |= _flatten(inner, f"{prefix}.{name}" if prefix else name)
    return flat


def _from_json(wanted: Any, data: Any, where: str) -> Any:
    """`data` as the type `wanted`: a dataclass is built from its fields, a list becomes a tuple."""
    if wanted is GameRules:
        by_name = {rules.__name__: rules for rules in GAMES}
        if not isinstance(data, Mapping) or data.get("type") not in by_name:
            raise ValueError(f"{where}: wanted a game of type {' or '.join(by_name)}, got {data!r}")
        wanted = by_name[data["type"]]
        data = {name: value for name, value in data.items() if name != "type"}
    if not dataclasses.is_dataclass(wanted):
        return _plain_from_json(wanted, data, where)
    if not isinstance(data, Mapping):
        raise ValueError(f"{where}: wanted the fields of {wanted.__name__}, got {data!r}")
    types = typing.get_type_hints(wanted)
    for name in data:
        if name not in types:
            near = difflib.get_close_matches(name, types)
            raise ValueError(f"{where}: unknown field {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return wanted(**{name: _from_json(types[name], value, f"{where}.{name}") for name, value in data.items()})


def _plain_from_json(wanted: Any, data: Any, where: str) -> Any:
    """`data` as a number, a word or None; a list becomes a tuple, and a whole number may stand for a float."""
    is_union = typing.get_origin(wanted) in (UnionType, typing.Union)  # the second where a Literal is a member
    members = typing.get_args(wanted) if is_union else (wanted,)
    for member in members:
        origin = typing.get_origin(member)
        if origin is tuple and isinstance(data, list):
            return tuple(_plain_from_json(typing.get_args(member)[0], entry, where) for entry in data)
        if member is float and type(data) is int:
            return float(data)
        if member is type(data) or (origin is typing.Literal and data in typing.get_args(member)):
            return data
    raise ValueError(f"{where}: wanted {' or '.join(map(_type_name, members))}, got {data!r}")


def _type_name(member: Any) -> str:
    if typing.get_origin(member) is typing.Literal:
        return f"one of {', '.join(typing.get_args(member))}"
    if typing.get_origin(member) is tuple:
        return "a list"
    return "None" if member is type(None) else member.__name__
