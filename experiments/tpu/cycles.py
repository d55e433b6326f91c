"""What a compiled TPU program costs by the compiler's own estimate, in cycles of one device.

The compiler writes an estimate beside nearly every instruction of its schedule; they are added up. A loop's body and
condition count as often as the loop runs: by the compiler's annotation, else by its counter where both ends are
constants, else as often as the caller says for that depth of nesting. A loop that the compiler itself made of one
operation with an index of each board's own goes through the batch board by board: a *serial* loop.

What carries no estimate is listed, never passed over: gathers and scatters with their number of indices, custom calls,
sorts, exchanges between devices, copies between memories with their bytes. So the sum is a lower bound. Nor are cycles
times: a copy that the compute does not hide, the clock, and the launch of the program are not in it. It ranks designs.

*Source:* the estimates are those of XLA for TPU; the prices an index were counted in its instruction bundles for v5e.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import NamedTuple

from experiments.tpu.schedule import Instruction, Schedule, read_schedule

# Cycles an index (least, most). Counted on v5e; other devices are near enough for a rough price.
PRICES = {"gather": (9, 18), "scatter": (77, 115)}
# Whose work a function is, by where its file lies.
AREAS = {
    "network": ("flax/", "research/networks/"),
    "rules": ("research/go/", "research/toys/", "research/encoders/"),
    "search": ("research/search/", "mctx/"),
}
UNNAMED = "unnamed"  # the area of the rest: the compiler's own copies, and other files
# They do no work of their own, or their work is another instruction's.
FREE = frozenset(
    ("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id", "replica-id")
)
FREE_CUSTOM_CALLS = frozenset(("AllocateBuffer", "ConcatBitcast"))
MAX_FOLLOWED = 8  # copies between a loop's counter and the constant that it starts from


class Loop(NamedTuple):
    """One loop of the program."""

    operation: str  # where it came from, a path of JAX operations
    function: str  # the same, as file and Python function
    depth: int  # loops around it
    num_trips: int  # how often it is taken to run each time
    source: str  # of that number: "annotated", "counted", "serial" (the batch) or "assumed"
    is_serial: bool  # made by the compiler to go through the batch
    cycles: int  # of all its runs, the loops in it included


class Unpriced(NamedTuple):
    """Instructions of one kind without an estimate."""

    kind: str  # opcode, with its target for a custom call
    num_runs: int  # instructions, each as often as it runs
    num_indices: int  # of gathers and scatters, over all runs
    num_bytes: int  # of their results, over all runs


class Cost(NamedTuple):
    """Of one run of the program on one device."""

    cycles: int  # sum of the estimates
    loops: tuple[Loop, ...]  # outer before inner
    unpriced: tuple[Unpriced, ...]  # most runs first
    functions: tuple[tuple[str, int], ...]  # (file and Python function, cycles), dearest first; a kernel is its last's

    @property
    def areas(self) -> dict[str, int]:
        """Cycles by whose work they are: a key of `AREAS`, or `UNNAMED`."""
        spent = dict.fromkeys((*AREAS, UNNAMED), 0)
        for function, cycles in self.functions:
            spent[next((area for area, places in AREAS.items() if function.startswith(places)), UNNAMED)] += cycles
        return spent

    @property
    def priced_indices(self) -> tuple[int, int]:
        """(least, most) cycles that the gathers and scatters cost besides, at `PRICES` an index."""
        found = [(entry.num_indices, PRICES[entry.kind]) for entry in self.unpriced if entry.kind in PRICES]
        return sum(count * price[0] for count, price in found), sum(count * price[1] for count, price in found)


def cost_of(text: str, trips: Sequence[int], batch: int, trips_of: Mapping[str, int] = MappingProxyType({})) -> Cost:
    """The cost of the program that `compiled.as_text()` printed.

    Args:
        text: the program.
        trips: how often a loop runs that nobody has counted, by the number of loops around it; the last holds deeper.
        batch: trips of a serial loop whose counter cannot be read.
        trips_of: in place of `trips`, by file and Python function of the loop.

    """
    adder = _Adder(read_schedule(text), tuple(trips), batch, trips_of)
    cycles = adder.add(adder.schedule.entry, times=1, depth=0)
    kinds = sorted(adder.runs, key=lambda kind: (-adder.runs[kind], kind))
    unpriced = [Unpriced(kind, adder.runs[kind], adder.indices[kind], adder.bytes[kind]) for kind in kinds]
    return Cost(cycles, tuple(adder.loops), tuple(unpriced), tuple(adder.functions.most_common()))


class _Adder:
    """Goes through a schedule and notes loops and unpriced instructions on the way."""

    def __init__(self, schedule: Schedule, trips: tuple[int, ...], batch: int, trips_of: Mapping[str, int]) -> None:
        self.schedule, self.trips, self.batch, self.trips_of = schedule, trips, batch, trips_of
        self.loops: list[Loop] = []
        self.runs, self.indices, self.bytes = Counter[str](), Counter[str](), Counter[str]()
        self.functions = Counter[str]()
        self._counters = (self.runs, self.indices, self.bytes, self.functions)

    def add(self, computation: str, times: int, depth: int) -> int:
        """Cycles of a computation that runs `times` times inside `depth` loops."""
        return sum(
            self._add_instruction(computation, line, times, depth)
            for line in self.schedule.computations.get(computation, ())
        )

    def _add_instruction(self, computation: str, line: Instruction, times: int, depth: int) -> int:
        if line.opcode == "while":
            return self._add_loop(computation, line, times, depth)
        if line.opcode == "conditional":
            return self._add_conditional(line, times, depth)
        if line.opcode == "call":
            return self.add(line.called("to_apply"), times, depth)
        if line.estimated_cycles is not None:
            self.functions[self.schedule.function(line)] += times * line.estimated_cycles
            return times * line.estimated_cycles
        self._note_unpriced(computation, line, times)
        return 0

    def _add_loop(self, computation: str, line: Instruction, times: int, depth: int) -> int:
        # A loop of JAX's own is named after the loop; one that the compiler made, after what it was made of.
        is_serial = bool(line.operation) and line.operation.rsplit("/", 1)[-1] != "while"
        num_trips, source = self._trips(computation, line, depth, is_serial)
        place = len(self.loops)
        cycles = sum(self.add(line.called(role), times * num_trips, depth + 1) for role in ("body", "condition"))
        loop = Loop(line.operation, self.schedule.function(line), depth, num_trips, source, is_serial, cycles)
        self.loops.insert(place, loop)
        return cycles

    def _add_conditional(self, line: Instruction, times: int, depth: int) -> int:
        """The dearest branch; the others leave no note."""
        best: tuple[int, _Adder] | None = None
        for branch in line.branches:
            adder = _Adder(self.schedule, self.trips, self.batch, self.trips_of)
            cycles = adder.add(branch, times, depth)
            if best is None or cycles > best[0]:
                best = cycles, adder
        if best is None:
            return 0
        cycles, adder = best
        self.loops += adder.loops
        for mine, its in zip(self._counters, adder._counters, strict=True):
            mine.update(its)
        return cycles

    def _note_unpriced(self, computation: str, line: Instruction, times: int) -> None:
        is_scalar = all(prod(lengths) <= 1 for lengths in line.lengths)
        if line.opcode in FREE or line.opcode.endswith("-done") or (is_scalar and line.opcode != "custom-call"):
            return
        if line.opcode == "custom-call":
            target = re.search(r'custom_call_target="([^"]*)"', line.attributes)
            if target and target.group(1) in FREE_CUSTOM_CALLS:
                return
            self._note(f"custom-call {target.group(1) if target else ''}".strip(), line, times, 0)
            return
        for place, inner in ((computation, line), *self.schedule.inside(line)):
            if inner.opcode in PRICES:
                self._note(inner.opcode, line, times, self._num_indices(place, inner))
                return
        self._note(line.opcode, line, times, 0)

    def _note(self, kind: str, line: Instruction, times: int, num_indices: int) -> None:
        self.runs[kind] += times
        self.indices[kind] += times * num_indices
        self.bytes[kind] += times * line.num_bytes

    def _num_indices(self, computation: str, line: Instruction) -> int:
        """How many places a gather or scatter reads or writes, each a number or a slice."""
        indices = self.schedule.find(computation, line.operands[1])
        if indices is None:
            return 0
        lengths, axis = indices.lengths[0], line.number(r"index_vector_dim=(\d+)")
        return prod(lengths) // (lengths[axis] if axis is not None and axis < len(lengths) else 1)

    def _trips(self, computation: str, line: Instruction, depth: int, is_serial: bool) -> tuple[int, str]:
        annotated = line.number(r'"known_trip_count":\{"n":"(\d+)"')
        if annotated is not None:
            return annotated, "annotated"
        counted = self._counted_trips(computation, line)
        if counted is not None:
            return counted, "counted"
        if is_serial:
            return self.batch, "serial"
        by_depth = self.trips[min(depth, len(self.trips) - 1)]
        return self.trips_of.get(self.schedule.function(line), by_depth), "assumed"

    def _counted_trips(self, computation: str, line: Instruction) -> int | None:
        """Trips of a loop that counts by ones while its counter is below a constant, None for any other."""
        condition = line.called("condition")
        test = self.schedule.root(condition)
        if test is None or test.opcode != "compare" or "direction=LT" not in test.attributes:
            return None
        ends = [self._constant(condition, name, (computation, line)) for name in test.operands]
        return max(ends[1] - ends[0], 0) if len(ends) == 2 and None not in ends else None  # type: ignore[operator]

    def _constant(self, computation: str, name: str, loop: tuple[str, Instruction] | None) -> int | None:
        """The constant that `name` is, or that it starts as where it is carried by `loop`; None if it is none."""
        for _ in range(MAX_FOLLOWED):
            line = self.schedule.find(computation, name)
            if line is None:
                return None
            if line.opcode == "constant":
                return int(line.literal) if re.fullmatch(r"-?\d+", line.literal) else None
            if line.opcode == "get-tuple-element" and loop is not None:
                computation, carrier = loop
                carried = self.schedule.find(computation, carrier.operands[0])
                place = line.number(r"index=(\d+)")
                if carried is None or carried.opcode != "tuple" or place is None:
                    return None
                name, loop = carried.operands[place], None
            elif line.opcode in ("copy", "bitcast", "copy-done", "copy-start"):
                name = line.operands[0]
            else:
                return None
        return None
