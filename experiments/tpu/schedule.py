"""A compiled program's text as instructions: what XLA for TPU prints of the schedule that it will run.

The text is a list of computations, each a list of instructions in the order in which they run. One computation is the
entry; a loop names its body and its condition, a conditional its branches, a fusion the computation that one kernel
does. Before them stand tables that say of which Python function an instruction comes. Only what is needed to add up
costs is read: names, opcodes, operands, shapes, who calls whom, and the function.

*Source:* openxla.org, "HLO textual syntax"; the rest was read off the compiler's output.
"""

import re
from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

_HEADER = re.compile(r"^(?P<entry>ENTRY )?%?(?P<name>[\w.\-]+) .*\{\s*$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?(?P<name>[\w.\-]+) = (?P<rest>.*)$")
_ARRAY = re.compile(r"\b(?P<dtype>[a-z]+\d*)\w*\[(?P<lengths>[\d,]*)\]")
_BITS = re.compile(r"\d+")
_CALLED = re.compile(r"\b(?:body|condition|calls|to_apply|true_computation|false_computation)=%?([\w.\-]+)")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
_PATH_PARTS = 3  # of a file's name, enough to know it by
_BRANCHES = re.compile(r"\bbranch_computations=\{([^}]*)\}")


class Instruction(NamedTuple):
    """One line of a computation."""

    name: str
    opcode: str  # such as fusion, while, copy-start
    shape: str  # as written: one array, or a tuple in parentheses
    operands: tuple[str, ...]  # names of other instructions of the computation
    literal: str  # what stands in the parentheses, for a constant or a parameter its value or number
    attributes: str  # the rest of the line
    is_root: bool  # the computation's result

    @property
    def estimated_cycles(self) -> int | None:
        """The compiler's own estimate of one run of this instruction; None where it makes none."""
        return self.number(r'"estimated_cycles":"(\d+)"')

    @property
    def operation(self) -> str:
        """The path of the JAX operation that this came from, such as `jit(step)/vmap()/while`; may be empty."""
        found = re.search(r'op_name="([^"]*)"', self.attributes)
        return found.group(1) if found else ""

    @property
    def lengths(self) -> tuple[tuple[int, ...], ...]:
        """The shape of each array of the result, of a tuple several."""
        return tuple(_lengths(found["lengths"]) for found in _ARRAY.finditer(self.shape))

    @property
    def num_bytes(self) -> int:
        """Bytes of the first array of the result, without padding."""
        found = _ARRAY.search(self.shape)
        if found is None:
            return 0
        bits = _BITS.search(found["dtype"])
        return prod(_lengths(found["lengths"])) * max(int(bits.group()) if bits else 8, 8) // 8

    @property
    def branches(self) -> tuple[str, ...]:
        """A conditional's computations."""
        found = _BRANCHES.search(self.attributes)
        if found:
            return tuple(name.strip().lstrip("%") for name in found.group(1).split(","))
        return tuple(name for kind in ("true", "false") if (name := self.called(f"{kind}_computation")))

    def called(self, role: str) -> str:
        """The computation named as `role` (body, condition, calls, to_apply, ...), empty for none."""
        found = re.search(rf"\b{role}=%?([\w.\-]+)", self.attributes)
        return found.group(1) if found else ""

    def number(self, pattern: str) -> int | None:
        """The number that `pattern` catches in the attributes, or None."""
        found = re.search(pattern, self.attributes)
        return int(found.group(1)) if found else None


class Schedule(NamedTuple):
    """A whole program."""

    entry: str  # name of the computation that runs first
    computations: Mapping[str, tuple[Instruction, ...]]  # by name, each in the order in which it runs
    functions: Mapping[int, str]  # by number of a stack frame: file and Python function, innermost

    def function(self, line: Instruction) -> str:
        """File and Python function that an instruction, or a fusion's result, comes of; empty if it is not said."""
        return self.functions.get(line.number(r"stack_frame_id=(\d+)") or 0, "")

    def root(self, computation: str) -> Instruction | None:
        """The result of a computation."""
        return next((line for line in self.computations.get(computation, ()) if line.is_root), None)

    def find(self, computation: str, name: str) -> Instruction | None:
        """The instruction of that name in a computation."""
        return next((line for line in self.computations.get(computation, ()) if line.name == name), None)

    def inside(self, line: Instruction) -> Iterator[tuple[str, Instruction]]:
        """(computation, instruction) of all that the computations called by `line` hold, and of what they call."""
        for name in _CALLED.findall(line.attributes):
            for inner in self.computations.get(name, ()):
                yield name, inner
                yield from self.inside(inner)


def read_schedule(text: str) -> Schedule:
    """The program that `compiled.as_text()` printed.

    *Raises:* ValueError if there is no entry computation in it.
    """
    computations: dict[str, list[Instruction]] = {}
    entry, current = "", None
    lines = text.splitlines()
    for line in lines:
        header = _HEADER.match(line)
        if header:
            current = computations.setdefault(header["name"], [])
            entry = header["name"] if header["entry"] else entry
        elif current is not None and (found := _INSTRUCTION.match(line)):
            current.append(_read_instruction(found["name"], found["rest"], line.lstrip().startswith("ROOT ")))
    if not entry:
        raise ValueError("wanted the text of a compiled program, found no ENTRY computation in it")
    return Schedule(entry, {name: tuple(found) for name, found in computations.items()}, _read_functions(lines))


def _read_functions(lines: list[str]) -> dict[int, str]:
    """File and function of each stack frame, from the tables before the computations; empty without them."""
    tables: dict[str, dict[int, str]] = {name: {} for name in _TABLES}
    current = None
    for line in lines:
        if line in tables:
            current = tables[line]
        elif current is not None and (found := re.match(r"(\d+) (.*)", line)):
            current[int(found.group(1))] = found.group(2)
        elif line:
            current = None
    files, names, locations, frames = tables.values()
    functions = {}
    for frame, text in frames.items():
        place = locations.get(_number("file_location_id", text), "")
        file, name = (
            table.get(_number(f"{kind}_name_id", place), "").strip('"')
            for table, kind in ((files, "file"), (names, "function"))
        )
        functions[frame] = f"{'/'.join(file.split('/')[-_PATH_PARTS:])} {name.rsplit('.', 1)[-1]}".strip()
    return functions


def _number(name: str, text: str) -> int:
    found = re.search(rf"\b{name}=(\d+)", text)
    return int(found.group(1)) if found else 0


def _read_instruction(name: str, rest: str, is_root: bool) -> Instruction:
    """`SHAPE opcode(operands), attributes` taken apart."""
    shape_end = _end_of_parentheses(rest, 0) if rest.startswith("(") else rest.find(" ")
    opening = rest.find("(", shape_end)
    closing = _end_of_parentheses(rest, opening)
    literal = rest[opening + 1 : closing - 1]
    return Instruction(
        name=name,
        opcode=rest[shape_end:opening].strip(),
        shape=rest[:shape_end],
        operands=tuple(re.findall(r"%([\w.\-]+)", literal)),
        literal=literal,
        attributes=rest[closing:],
        is_root=is_root,
    )


def _end_of_parentheses(text: str, start: int) -> int:
    """The place after the parenthesis that closes the one at `start`; the end of the text if none does."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def _lengths(text: str) -> tuple[int, ...]:
    return tuple(int(length) for length in text.split(",") if length)
