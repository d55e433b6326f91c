"""Compiling for a TPU that is not there: libtpu, topologies by name, and what a program takes of a device's memory.

libtpu compiles on any Linux x86-64 machine; it need only be told which machine to take itself for. That goes by
environment variables, which are read when it is loaded, so `devices_of` sets them first. Nothing runs: the devices that
it returns can be compiled for and no more.

A device is what JAX calls so: a chip of v5e, v6e and v5p, half a chip of v4 and tpu7x.

*Source:* JAX, `jax.experimental.topologies`; openxla.org on libtpu's variables.
"""

import importlib.util
import os
import re
import time
from typing import Any, NamedTuple

import jax
from jax.experimental import topologies

GIB = 2**30
# Family -> (what a topology of it looks like, GiB a program may use of a device's memory: the compiler's own limit).
FAMILIES: dict[str, tuple[str, float]] = {
    "v4": ("v4:2x2x1", 15.25),
    "v5e": ("v5e:2x2", 15.75),
    "v5p": ("v5p:2x2x1", 95.74),
    "v6e": ("v6e:2x2", 31.25),
    "tpu7x": ("tpu7x:2x2x1", 94.75),
}
ENVIRONMENT = {
    "TPU_SKIP_MDS_QUERY": "1",  # there is no metadata server to ask
    "TPU_ACCELERATOR_TYPE": "v5litepod-256",  # anything valid: the topology's name counts
    "TPU_WORKER_HOSTNAMES": "localhost",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",  # several reports at once
    "TPU_STDERR_LOG_LEVEL": "3",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}


class TopologyError(ValueError):
    """There is no libtpu here, or no such topology."""


class Memory(NamedTuple):
    """Bytes of one device that a program takes."""

    arguments: int
    outputs: int
    aliased: int  # of the outputs, those that are written over donated arguments
    temporaries: int
    code: int
    limit: int  # what a program may take

    @property
    def total(self) -> int:
        """All of it at once."""
        return self.arguments + self.outputs - self.aliased + self.temporaries + self.code

    @property
    def fits(self) -> bool:
        """Whether the device has as much."""
        return self.total <= self.limit


class Compiled(NamedTuple):
    """A program for one topology."""

    text: str  # its schedule; empty where the compiler refused
    memory: Memory | None
    flops: float | None  # of a device, the bodies of loops counted once
    seconds: float  # that compiling took
    refusal: str  # the compiler's reason, such as too little memory; empty if there is none


def devices_of(topology: str) -> list[Any]:
    """The devices of a topology such as "v5e:2x2", to compile for.

    *Raises:* TopologyError, a line that says what to do, if libtpu is missing or the name is none.
    """
    family = topology.partition(":")[0]
    if family not in FAMILIES or not re.fullmatch(r"\w+:\d+(x\d+)+", topology):
        known = ", ".join(example for example, _ in FAMILIES.values())
        raise TopologyError(f"there is no TPU topology {topology!r}; wanted a family and its chips, such as {known}")
    if importlib.util.find_spec("libtpu") is None:
        raise TopologyError("libtpu is not installed, and it is what compiles for a TPU: pip install 'jax[tpu]'")
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    jax.config.update("jax_platforms", "cpu")  # no look for a TPU that is not there
    try:
        return list(topologies.get_topology_desc(platform="tpu", topology_name=topology).devices)
    except jax.errors.JaxRuntimeError as error:
        raise TopologyError(f"the compiler knows no topology {topology!r}: {first_line(error)}") from error


def compile_program(function: Any, arguments: tuple[Any, ...], topology: str) -> Compiled:
    """A jitted function compiled for arguments that are shapes with shardings on devices of `topology`."""
    start = time.perf_counter()
    try:
        compiled = function.lower(*arguments).compile()
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        return Compiled("", None, None, time.perf_counter() - start, first_line(error))
    analysis = compiled.memory_analysis()
    memory = Memory(
        arguments=analysis.argument_size_in_bytes,
        outputs=analysis.output_size_in_bytes,
        aliased=analysis.alias_size_in_bytes,
        temporaries=analysis.temp_size_in_bytes,
        code=analysis.generated_code_size_in_bytes,
        limit=int(FAMILIES[topology.partition(":")[0]][1] * GIB),
    )
    flops = (compiled.cost_analysis() or {}).get("flops")
    return Compiled(compiled.as_text(), memory, flops, time.perf_counter() - start, "")


def first_line(error: Exception) -> str:
    """The first sentence of the compiler's message that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2])[:300]
