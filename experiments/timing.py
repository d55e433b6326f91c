"""Times of jitted functions that can be compared: interleaved in one process, compilation apart, medians.

An absolute time says more about the machine and its other work than about the code. The functions are therefore run in
turns, A B A B, so that a slow minute meets all of them, and what is published is the ratio of their medians.

A function that has given its results may not be done: one that took much memory is still giving it back, and whichever
is timed next would pay for that. So before each timed call the process must have come to rest, and the function has
been called once without being timed, which also brings its own data back into the caches.
"""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax

PAUSE_S = 0.01  # seconds between two looks at the processor time
REST_SHARE = 0.2  # of a pause in processor time: less than that is rest
MAX_PAUSES = 200  # after these it is timed anyway


class Timing(NamedTuple):
    """How long one function takes."""

    compile_s: float  # first call, seconds: compilation and one run
    run_s: float  # median of the later calls, seconds
    spread: float  # interquartile range of the later calls as a share of their median: how noisy the machine was


def time_in_turns(functions: Mapping[str, Callable[[], Any]], num_rounds: int) -> dict[str, Timing]:
    """Each function's times; a function starts work on the device and returns its results.

    *Raises:* ValueError for less than one round.
    """
    if num_rounds < 1:
        raise ValueError(f"num_rounds is {num_rounds}; allowed: 1 or more")
    first = {name: _seconds(function) for name, function in functions.items()}
    rounds = [{name: _rested_seconds(function) for name, function in functions.items()} for _ in range(num_rounds)]
    return {name: _timing(first[name], [turn[name] for turn in rounds]) for name in functions}


def _timing(first: float, later: list[float]) -> Timing:
    median = statistics.median(later)
    if len(later) == 1:
        return Timing(first, median, 0.0)
    low, _, high = statistics.quantiles(later, n=4, method="inclusive")
    return Timing(first, median, (high - low) / median)


def _rested_seconds(function: Callable[[], Any]) -> float:
    """Seconds of a call that nothing before it slows down."""
    for _ in range(MAX_PAUSES):
        used = time.process_time()
        time.sleep(PAUSE_S)
        if time.process_time() - used < REST_SHARE * PAUSE_S:
            break
    jax.block_until_ready(function())
    return _seconds(function)


def _seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(function())
    return time.perf_counter() - start
