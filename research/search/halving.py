"""Sequential halving: how a Gumbel root spends its simulations among its candidates.

The simulations come in phases. In the first all candidates take part; after each phase the better half goes on, never
fewer than two. A phase is one or more sweeps, and in a sweep each action still in takes one simulation. So at any time
the actions still in have one or two neighbouring numbers of visits, and "who is next" can be asked without keeping a
list: the best scored among those that have exactly the number of visits which the schedule names.

With 16 candidates and 32 simulations: a sweep of 16, one of 8, and two of 4.

*Source:* Karnin et al. 2013, "Almost optimal exploration in multi-armed bandits"; Danihelka et al. 2022, section 3.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np


def sweep_widths(num_candidates: int, num_simulations: int) -> Iterator[int]:
    """How many actions take part in each sweep, until the simulations are spent."""
    num_phases = max(1, math.ceil(math.log2(num_candidates)))
    width, num_left = num_candidates, num_simulations
    while num_left > 0:
        for _ in range(max(1, num_simulations // (num_phases * width))):
            yield min(width, num_left)
            num_left -= min(width, num_left)
            if num_left == 0:
                return
        width = max(2, width // 2) if num_candidates > 1 else 1


def considered_visits(num_candidates: int, num_simulations: int) -> list[int]:
    """For each simulation the visits that an action must have to be chosen; `num_candidates` is at least 1."""
    # The first `width` of each sweep stand for the actions still in; which these are, the scores decide.
    visits = [0] * num_candidates
    considered: list[int] = []
    for width in sweep_widths(num_candidates, num_simulations):
        considered += visits[:width]
        visits = [number + 1 for number in visits[:width]]
    return considered


def schedule(max_num_candidates: int, num_simulations: int) -> np.ndarray:
    """`considered_visits` of 0, 1, ... `max_num_candidates` candidates: int32 [candidates + 1, simulations]."""
    rows = [considered_visits(max(1, number), num_simulations) for number in range(max_num_candidates + 1)]
    return np.array(rows, np.int32).reshape(max_num_candidates + 1, num_simulations)


def equal_runs(widths: Iterator[int] | list[int]) -> Iterator[tuple[int, int]]:
    """(width, how many of it follow one another)."""
    for width, group in itertools.groupby(widths):
        yield width, len(list(group))
