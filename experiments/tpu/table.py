"""A report of compiled programs: as a table with notes to read, and as JSON values to compare."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table

from experiments.tpu.cycles import UNNAMED, Cost
from experiments.tpu.programs import Program
from experiments.tpu.topology import Compiled

MIB = 2**20
MAX_NOTES = 10  # functions, and kinds of unpriced instructions, that are printed of one program; JSON holds all
LEAST_SHARE = 0.02  # of a program's cycles, for a function to be printed
FOOTNOTE = (
    "cycles: the compiler's estimates, of one device, a board; not times, and a lower bound where something is "
    "unpriced. indexed: gathers and scatters added at 18 and 115 cycles an index, as counted on v5e. "
    "Mflops: a board, bodies of loops once."
)


class Entry(NamedTuple):
    """One program of a report."""

    program: Program
    compiled: Compiled
    cost: Cost | None  # None where the compiler refused

    @property
    def cycles_a_board(self) -> float | None:
        """Estimated cycles a board."""
        return self.cost.cycles / self.program.num_boards if self.cost else None

    @property
    def cycles_a_board_with_indices(self) -> float | None:
        """The same with gathers and scatters at the higher price."""
        return (self.cost.cycles + self.cost.priced_indices[1]) / self.program.num_boards if self.cost else None


def print_report(entries: Sequence[Entry], topology: str, console: Console) -> None:
    """Two tables, cycles and memory, and under them what each program's cycles and unpriced instructions are."""
    costs = Table(title=f"cycles a board, compiled for {topology}; nothing was run", box=box.SIMPLE, pad_edge=False)
    memory = Table(title=f"MiB of one device of {topology}", box=box.SIMPLE, pad_edge=False)
    for table, headings in (
        (costs, ("size", "batch", "cycles", "indexed", "x Pgx", "indexed", "Mflops")),
        (memory, ("size", "args", "out", "temp", "in all", "of", "fits", "seconds")),
    ):
        table.add_column("program", no_wrap=True)
        for heading in headings:
            table.add_column(heading, justify="right")
    for entry in entries:
        costs.add_row(*_cost_row(entry, entries))
        memory.add_row(*_memory_row(entry))
    console.print(costs, memory)
    console.print(FOOTNOTE, highlight=False)
    for entry in entries:
        console.print(*_notes(entry), sep="\n", highlight=False, markup=False, soft_wrap=True)


def to_json(entries: Sequence[Entry], topology: str, versions: dict[str, str]) -> dict[str, Any]:
    """The whole report as JSON values."""
    return {"topology": topology, "versions": versions, "programs": [_record(entry, entries) for entry in entries]}


def ratio_to_peer(entry: Entry, entries: Sequence[Entry]) -> tuple[float, float] | None:
    """How many times the peer's cycles a board are ours: (estimates alone, with indices); None without a peer."""
    for other in entries:
        is_peer = other.program.name == entry.program.peer and other.program.size == entry.program.size
        if is_peer and other.cost and entry.cost:
            assert other.program.num_boards == entry.program.num_boards
            with_indices = other.cycles_a_board_with_indices / entry.cycles_a_board_with_indices  # type: ignore
            return other.cost.cycles / entry.cost.cycles, with_indices
    return None


def _cost_row(entry: Entry, entries: Sequence[Entry]) -> list[str]:
    program, compiled, cost = entry
    row = [program.name, str(program.size), str(program.batch)]
    if cost is None:
        return [*row, "refused"]
    ratio = ratio_to_peer(entry, entries)
    return [
        *row,
        f"{entry.cycles_a_board:,.0f}",
        f"{entry.cycles_a_board_with_indices:,.0f}",
        f"{ratio[0]:.1f}" if ratio else "",
        f"{ratio[1]:.1f}" if ratio else "",
        f"{compiled.flops / program.batch / 1e6:,.2f}" if compiled.flops else "",
    ]


def _memory_row(entry: Entry) -> list[str]:
    program, compiled, _ = entry
    row, memory, seconds = [program.name, str(program.size)], compiled.memory, f"{compiled.seconds:.0f}"
    if memory is None:
        return [*row, *[""] * 5, "no", seconds]
    counts = (memory.arguments, memory.outputs, memory.temporaries, memory.total, memory.limit)
    return [*row, *(f"{count / MIB:,.1f}" for count in counts), "yes" if memory.fits else "no", seconds]


def _notes(entry: Entry) -> list[str]:
    """What the figures of one program hide, a line each."""
    notes = [f"{entry.program.name}, {entry.program.size}x{entry.program.size}"]
    if entry.cost is None:
        return [*notes, f"  refused: {entry.compiled.refusal}"]
    cycles = max(entry.cost.cycles, 1)
    for function, spent in entry.cost.functions[:MAX_NOTES]:
        if spent >= LEAST_SHARE * cycles:
            notes.append(f"  {spent / cycles:4.0%} {function}")
    spent = entry.cost.areas
    notes.append("  by area: " + ", ".join(f"{area} {share / cycles:.0%}" for area, share in spent.items()))
    if spent["network"] and spent["search"]:
        both = spent["network"] + spent["search"]
        least = spent["network"] / (both + spent[UNNAMED] + entry.cost.priced_indices[1])
        notes.append(
            f"  network: {spent['network'] / both:.0%} of what network and search take, {least:.0%} if all that is "
            "unnamed and all indices are the search's"
        )
    for loop in entry.cost.loops:
        kind = "serial loop" if loop.is_serial else "loop"
        where = f"{loop.function or loop.operation}, depth {loop.depth}"
        notes.append(
            f"  {kind} of {where}: {loop.num_trips} trips ({loop.source}), {loop.cycles / cycles:.0%} of cycles"
        )
    for found in entry.cost.unpriced[:MAX_NOTES]:
        indices = f", {found.num_indices:,} indices" if found.num_indices else ""
        notes.append(f"  unpriced {found.kind}: {found.num_runs:,} runs{indices}, {found.num_bytes:,} bytes")
    return notes


def _record(entry: Entry, entries: Sequence[Entry]) -> dict[str, Any]:
    program, compiled, cost = entry
    ratio, memory = ratio_to_peer(entry, entries), compiled.memory
    record: dict[str, Any] = {
        "program": program.name,
        "size": program.size,
        "batch": program.batch,
        "boards": program.num_boards,
        "compile_s": compiled.seconds,
        "refusal": compiled.refusal,
        "fits": memory is not None and memory.fits,
    }
    if cost is None or memory is None:
        return record
    return record | {
        "cycles": cost.cycles,
        "cycles_a_board": entry.cycles_a_board,
        "cycles_of_indices": list(cost.priced_indices),
        "cycles_a_board_with_indices": entry.cycles_a_board_with_indices,
        "ratio_to_peer": ratio[0] if ratio else None,
        "ratio_to_peer_with_indices": ratio[1] if ratio else None,
        "flops": compiled.flops,
        "memory_bytes": memory._asdict() | {"total": memory.total},
        "loops": [loop._asdict() for loop in cost.loops],
        "functions": dict(cost.functions),
        "areas": cost.areas,
        "unpriced": [found._asdict() for found in cost.unpriced],
    }
