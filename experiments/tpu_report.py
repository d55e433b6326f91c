"""What Miai costs on a TPU, without one: `python -m experiments.tpu_report --sizes 9 19 --peer`.

Compiles parts of a run for a named TPU topology with libtpu (the extra `tpu`) and prints the compiler's own cycle
estimates a board, memory and whether it fits, and FLOPs. Gathers, scatters, custom calls and the like carry no estimate
and are listed; loops whose trips nobody knows are taken to make `--trips`. Nothing runs, cycles are not times, and a
board is one of the batch: docs/performance.md says what the figures are good for.
"""

import dataclasses
import importlib.metadata
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import tyro
from rich.console import Console

from configs import PRESETS
from experiments.command_line import CALLERS_FAULTS, report_error
from experiments.tpu.cycles import cost_of
from experiments.tpu.programs import Kind, Program, peer_program, programs_of
from experiments.tpu.table import Entry, print_report, to_json
from experiments.tpu.topology import compile_program, devices_of
from research import go
from research.search.config import Rule
from research.training.config import RunConfig
from research.training.files import write_atomically

# The loops that go down a tree, ours and mctx's.
WALKS = ("research/search/lanes.py descend", "mctx/_src/search.py simulate")


@dataclasses.dataclass(frozen=True)
class Command:
    """Settings of the report."""

    # step: a move, its result and the next mask; ply: also a new game after the last move; encoder; network; search: a
    # whole search; advance: a move in trees that are reused; influence: the mean maps of such trees; train: a gradient
    # step; run: the preset's rollout and update, laid over the whole topology; katago: KataGo's networks, in the
    # preset's compute type
    programs: tuple[Kind, ...] = ("step",)
    topology: str = "v5e:2x2"  # family and chips, such as v5e:2x2, v6e:16x16, v5p:2x2x1, v4:2x2x1 or tpu7x:2x2x1
    preset: str = "go9"  # whose game, network, search and optimizer; a name of configs/
    sizes: tuple[int, ...] = ()  # points a side, in place of the preset's
    batch: int = 512  # boards on a device, or samples of a gradient step; `run` has the preset's
    encoders: tuple[str, ...] = ()  # names, or names with options: alphago48:ladders=False; none: all that draw Go
    # how often a loop runs whose trips are data: at the top, inside one loop, inside two; the last holds deeper
    trips: tuple[int, ...] = (2,)
    levels: int | None = None  # plies that the deepest game's walk goes down in a search; none: as `trips` says
    rule: Rule | None = None  # of the search, in place of the preset's; so are the next three, 0 keeping the preset's
    num_simulations: int = 0  # a move
    num_blocks: int = 0  # of the network
    num_channels: int = 0  # of the network
    peer: bool = False  # compile Pgx's Go too and print the ratio, for sizes 9 and 19; the extra `bench`
    json: Path | None = None  # file to write the whole report to

    def __post_init__(self) -> None:
        """Raise ValueError naming the field, its value and what is allowed."""
        if self.preset not in PRESETS:
            raise ValueError(f"preset is {self.preset!r}; wanted one of {', '.join(PRESETS)}")
        if self.batch < 1:
            raise ValueError(f"batch is {self.batch}; it must be at least 1")
        if not self.trips or min(self.trips) < 0:
            raise ValueError(f"trips is {self.trips}; wanted at least one number, none below 0")
        for name in ("num_simulations", "num_blocks", "num_channels"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; wanted 1 or more, or 0 for the preset's")
        if self.levels is not None and self.levels < 0:
            raise ValueError(f"levels is {self.levels}; wanted 0 or more")
        if self.peer and importlib.util.find_spec("pgx") is None:
            raise ValueError("peer: Pgx is not installed: pip install pgx")


def configs_of(command: Command) -> Iterator[RunConfig]:
    """The preset with the search and the network that are asked for, once for each size."""
    config = PRESETS[command.preset]()
    search = dataclasses.replace(
        config.search,
        rule=command.rule or config.search.rule,
        num_simulations=command.num_simulations or config.search.num_simulations,
    )
    network = dataclasses.replace(
        config.network,
        num_blocks=command.num_blocks or config.network.num_blocks,
        num_channels=command.num_channels or config.network.num_channels,
    )
    config = dataclasses.replace(config, search=search, network=network)
    for size in command.sizes or (None,):
        if size is None:
            yield config
        elif isinstance(config.game, go.Rules):
            yield dataclasses.replace(config, game=dataclasses.replace(config.game, size=size))
        else:
            raise ValueError(f"sizes is {command.sizes}; the preset {config.name} plays no Go")


def planned(command: Command, devices: list) -> Iterator[Program]:
    """Every program of the report; a peer stands before the ones that are compared with it."""
    for config in configs_of(command):
        for kind in command.programs:
            size = config.make_game().board_shape[0]
            if command.peer and kind in ("step", "ply") and size in (9, 19):
                yield peer_program(kind, size, command.batch, devices[0])
            yield from programs_of(kind, config, command.batch, command.encoders, devices)


def report(command: Command, console: Console) -> list[Entry]:
    """Compile everything, print the table and write the JSON.

    *Raises:* ValueError for a topology, an encoder or a preset that will not do.
    """
    devices = devices_of(command.topology)
    trips_of = {} if command.levels is None else dict.fromkeys(WALKS, command.levels)
    entries = []
    for program in planned(command, devices):
        console.print(f"compiling {program.name}, {program.size}x{program.size}", highlight=False)
        compiled = compile_program(program.function, program.arguments, command.topology)
        cost = cost_of(compiled.text, command.trips, program.batch, trips_of) if compiled.text else None
        entries.append(Entry(program, compiled, cost))
    print_report(entries, command.topology, console)
    if command.json is not None:
        versions = {name: importlib.metadata.version(name) for name in ("jax", "libtpu")}
        record = to_json(entries, command.topology, versions) | {"trips": list(command.trips), "levels": command.levels}
        write_atomically(command.json, json.dumps(record, indent=2) + "\n")
    return entries


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 if everything compiled and fits, 1 if something does not, 2 for a wrong call or no libtpu."""
    try:
        command = tyro.cli(Command, prog="python -m experiments.tpu_report", description=__doc__, args=arguments)
        # A file or a pipe has no width of its own, and the tables want more than the 80 columns that rich then takes.
        entries = report(command, Console(width=None if sys.stdout.isatty() else 110))
    except CALLERS_FAULTS as error:
        return report_error(error)
    return 0 if all(entry.compiled.memory and entry.compiled.memory.fits for entry in entries) else 1


if __name__ == "__main__":
    sys.exit(main())
