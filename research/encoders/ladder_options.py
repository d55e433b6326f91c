"""The options that every encoder with ladder planes takes, said once.

An encoder's options are the keyword arguments of the function that makes it. Those functions take a LadderConfig, or
None for no ladders; `takes_ladder_options` makes the keyword arguments of `ladder_config` theirs.

*Source:* own design.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from research.encoders.encoder import Encoder
from research.go.ladders import LadderConfig, LadderKo


def ladder_config(
    ladders: bool = True,
    ladder_ko: LadderKo = LadderConfig.ko,
    ladder_max_plies: int | None = LadderConfig.max_plies,
    ladder_max_nodes: int = LadderConfig.max_nodes,
) -> LadderConfig | None:
    """How ladders are read, for the planes about them; `ladders=False` leaves those empty.

    The other ladder options are those of LadderConfig; `ladder_max_nodes=400` is enough for training. *Raises:*
    ValueError for what LadderConfig refuses.
    """
    if not isinstance(ladders, bool):
        raise ValueError(f"ladders={ladders!r}: allowed is True or False")
    config = LadderConfig(ko=ladder_ko, max_plies=ladder_max_plies, max_nodes=ladder_max_nodes)
    return config if ladders else None


def takes_ladder_options(make: Callable[..., Encoder], has_ko: bool = True) -> Callable[..., Encoder]:
    """`make` with the options of `ladder_config` in place of its parameter `ladders`; with `ladder_ko` if `has_ko`."""
    own = [parameter for name, parameter in inspect.signature(make).parameters.items() if name != "ladders"]
    added = dict(inspect.signature(ladder_config).parameters)
    if not has_ko:
        del added["ladder_ko"]

    @wraps(make)
    def make_with_options(**options: Any) -> Encoder:
        ladder_options = {name: options.pop(name) for name in added if name in options}
        return make(**options, ladders=ladder_config(**ladder_options))

    make_with_options.__doc__ = f"{inspect.getdoc(make)}\n\n{inspect.getdoc(ladder_config)}"
    make_with_options.__signature__ = inspect.Signature([*own, *added.values()])  # type: ignore[attr-defined]
    return make_with_options
