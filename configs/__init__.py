"""Presets: one file each, whose docstring holds the command, the hardware, the time and the result to expect."""

from collections.abc import Callable

from configs import go9, go19_tpu, smoke5, tictactoe
from research.training.config import RunConfig

# Every preset by name.
PRESETS: dict[str, Callable[[], RunConfig]] = {
    "smoke5": smoke5.get_config,
    "tictactoe": tictactoe.get_config,
    "go9": go9.get_config,
    "go19_tpu": go19_tpu.get_config,
}
