"""Settings of the search: which rule chooses, how much is simulated, what chance adds, and which loop runs it.

Two rules. `gumbel` learns from few simulations: noise and prior choose candidates at the root, sequential halving
spends the simulations on them. `puct` is AlphaZero's: every choice weighs value against prior and visits. A field that
only one rule reads says so; the other ignores it.

Two loops grow the same trees. `lanes` is ours, laid out for vector units; `mctx` is DeepMind's, the reference that
ours is tested against.

*Source:* Danihelka et al. 2022, "Policy improvement by planning with Gumbel"; Silver et al. 2018 (AlphaZero).
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

Rule = Literal["gumbel", "puct"]
Backend = Literal["lanes", "mctx"]
Formula = Literal["alphazero", "constant", "simple"]
ValueRange = Literal["stretched", "plain"]
Urgency = Literal["lowest", "parent"]
Symmetry = Literal["none", "random", "average"]

_CHOICES = {"rule": Rule, "backend": Backend, "formula": Formula, "value_range": ValueRange, "symmetry": Symmetry}
_NOT_NEGATIVE = ("gumbel_scale", "maxvisit_init", "exploration", "virtual_loss")
_POSITIVE = ("value_scale", "dirichlet_total", "exploration_base")
_AT_LEAST_ONE = ("max_num_considered_actions", "num_leaves")


@dataclass(frozen=True)
class SearchConfig:
    """Settings of the search.

    *Raises:* ValueError if a field is out of its range, or two do not go together.
    """

    num_simulations: int = 32  # simulations a move; 0 plays by the network's policy alone
    max_depth: int | None = None  # plies below the root; None: num_simulations, as deep as a tree can get
    max_num_considered_actions: int = 16  # gumbel: root candidates; more than there are legal actions is no harm
    gumbel_scale: float = 1.0  # gumbel: factor on the root's noise; 0 plays the best move found, without variety
    value_scale: float = 0.1  # gumbel: logits a visit: how strongly values bend the policy (c_scale of the paper)
    maxvisit_init: float = 50.0  # gumbel: visits added to the most visited child's in that factor (c_visit)
    rule: Rule = "gumbel"  # what chooses among actions
    backend: Backend = "lanes"  # the loop that grows the tree; the trees are the same
    formula: Formula = "alphazero"  # puct: how the prior's bonus falls with visits; puct.py writes them out
    exploration: float = 1.25  # puct: c, and c(s) of a node hardly visited
    exploration_base: float = 19652.0  # puct: visits at which c(s) has grown by log 2
    value_range: ValueRange = "plain"  # puct: values as they are, or stretched to 0..1 between a node's extremes
    first_play_urgency: Urgency | float = "parent"  # puct: value of the unvisited: the node's, its lowest, or a number
    dirichlet_fraction: float = 0.25  # puct: share of noise in the root's prior; 0: none
    dirichlet_total: float = 10.83  # puct: the noise's alpha, times legal actions; 10.83 is 0.03 each on 19x19
    temperatures: tuple[float, ...] = (1.0,)  # puct: of the choice by visits; gumbel: factors on gumbel_scale
    temperature_plies: tuple[int, ...] = ()  # plies of the game from which the second temperature holds, the third, ...
    symmetry: Symmetry = "none"  # how a network is asked: as the board lies, under a random symmetry, under all
    num_leaves: int = 1  # positions of one game that are evaluated together; more than 1 needs lanes
    virtual_loss: float = 1.0  # puct: losses that a simulation under way counts as, with num_leaves above 1

    def __post_init__(self) -> None:
        """Checks each field."""
        for name, kind in _CHOICES.items():
            if getattr(self, name) not in get_args(kind):
                raise ValueError(f"{name} is {getattr(self, name)!r}; allowed: {', '.join(get_args(kind))}")
        if self.num_simulations < 0:
            raise ValueError(f"num_simulations is {self.num_simulations}; allowed: 0 or more")
        if self.max_depth is not None and self.max_depth < 1:
            raise ValueError(f"max_depth is {self.max_depth}; allowed: None, or 1 or more")
        for name in _AT_LEAST_ONE:
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: 1 or more")
        for name in _NOT_NEGATIVE:
            if not 0.0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: 0 or more, finite")
        for name in _POSITIVE:
            if not 0.0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; allowed: more than 0, finite")
        if not 0.0 <= self.dirichlet_fraction <= 1.0:
            raise ValueError(f"dirichlet_fraction is {self.dirichlet_fraction}; allowed: 0 to 1")
        self._check_urgency()
        self._check_temperatures()
        if self.num_leaves > 1 and self.backend == "mctx":
            raise ValueError(f"num_leaves is {self.num_leaves} with backend mctx; allowed: 1, or backend lanes")

    def _check_urgency(self) -> None:
        urgency = self.first_play_urgency
        is_value = not isinstance(urgency, str) and -1.0 <= urgency <= 1.0
        if urgency not in get_args(Urgency) and not is_value:
            raise ValueError(f"first_play_urgency is {urgency!r}; allowed: {', '.join(get_args(Urgency))}, or -1 to 1")

    def _check_temperatures(self) -> None:
        if not self.temperatures or not all(0.0 <= temperature < math.inf for temperature in self.temperatures):
            raise ValueError(f"temperatures is {self.temperatures}; allowed: one or more, each 0 or more, finite")
        plies = self.temperature_plies
        if len(plies) != len(self.temperatures) - 1 or list(plies) != sorted({ply for ply in plies if ply > 0}):
            raise ValueError(
                f"temperature_plies is {plies}; allowed: rising plies from 1, one fewer than temperatures, which are "
                f"{len(self.temperatures)}"
            )

    @property
    def depth_bound(self) -> int:
        """Plies below the root that the deepest node may lie."""
        return self.max_depth or max(self.num_simulations, 1)


def for_matches(config: SearchConfig, gumbel_scale: float) -> SearchConfig:
    """`config` for playing to win rather than to learn.

    Gumbel gets another root noise, at every ply; PUCT no noise, and plays the most visited action.
    """
    if config.rule == "gumbel":
        return replace(config, gumbel_scale=gumbel_scale, temperatures=(1.0,), temperature_plies=())
    return replace(config, dirichlet_fraction=0.0, temperatures=(0.0,), temperature_plies=())
