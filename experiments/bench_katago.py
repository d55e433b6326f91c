"""Speed of KataGo's networks: `python -m experiments.bench_katago --networks NET.bin.gz b6c96 --batches 1 16 64`.

A network is a file, or a design by its name (b6c96, b15c192, b18c384nbt) with random weights, which is as fast. Timed
is from planes to raw outputs on the CPU or whatever JAX finds, in float32 and bfloat16, in turns in one process, with
compilation apart. `--output` writes all figures as JSON.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.console import Console

from experiments.command_line import run_command
from experiments.rows import Row, publish
from experiments.timing import Timing, time_in_turns
from research.networks import katago

DTYPES = ("float32", "bfloat16")


def bench(
    networks: tuple[str, ...] = ("b6c96",),
    batches: tuple[int, ...] = (1, 16, 64),
    size: int = 19,
    num_rounds: int = 5,
    dtypes: tuple[str, ...] = DTYPES,
    output: Path | None = None,
) -> None:
    """Print a table of evaluations a second.

    Args:
        networks: files, or designs by name.
        batches: positions evaluated together.
        size: points a side of the boards.
        num_rounds: timed turns; the median counts.
        dtypes: types that features are computed in, float32 or bfloat16.
        output: JSON file for the figures.

    """
    if not 2 <= size <= 19 or min(batches, default=0) < 1 or num_rounds < 1:
        raise ValueError("allowed: a size from 2 to 19, batches and num_rounds of 1 or more")
    rows = []
    for name in networks:
        file = network_of(name)
        for batch in batches:
            Console(stderr=True).print(f"{name}, batch {batch}", highlight=False)
            runs = {dtype: make_run(file, dtype, batch, size) for dtype in dtypes}
            rows += [
                row_of(name, size, batch, dtype, timing) for dtype, timing in time_in_turns(runs, num_rounds).items()
            ]
    publish({"KataGo's networks": rows}, output)


def network_of(name: str) -> katago.KataGoFile:
    """The network of a file or, with random weights, of a design; *Raises:* ValueError if it is neither."""
    if name not in katago.DESIGNS:
        if not Path(name).is_file():
            raise ValueError(f"{name}: wanted a network's file or one of {', '.join(katago.DESIGNS)}")
        return katago.read_network(name)
    description = katago.describe(katago.DESIGNS[name], name)
    return katago.KataGoFile(description, katago.KataGoNetwork(description).init(jax.random.key(0)))


def make_run(file: katago.KataGoFile, dtype: str, batch: int, size: int) -> Callable[[], Any]:
    """A function that evaluates a batch of boards, full of chance."""
    network, chance = katago.KataGoNetwork(file.description, dtype), np.random.default_rng(0)  # type: ignore[arg-type]
    planes = chance.random((batch, size, size, katago.NUM_PLANES)) < 0.2
    planes[..., 0] = True
    variables = jax.device_put(file.variables)
    arguments = jax.device_put((planes, chance.random((batch, katago.NUM_GLOBALS), np.float32)))
    apply = jax.jit(network.apply)
    return lambda: apply(variables, *arguments)


def row_of(name: str, size: int, batch: int, dtype: str, timing: Timing) -> Row:
    """One line of the table."""
    return {
        "network": Path(name).name.removesuffix(".bin.gz"),
        "size": size,
        "batch": batch,
        "type": dtype,
        "evaluations_a_second": batch / timing.run_s,
        "ms_a_batch": timing.run_s * 1e3,
        "spread": timing.spread,
        "compile_s": timing.compile_s,
    }


def main(arguments: list[str] | None = None) -> int:
    """The exit code: 0 when all was timed, 2 for a wrong call."""
    return run_command(bench, "bench_katago", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
