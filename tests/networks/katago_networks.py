"""KataGo networks for tests: those of tests/data/katago/networks, made-up ones, and large ones where they are kept.

The large networks are not in the repository. The tests that want them are marked `slow` and look for their files,
named as KataGo names them, in the folder that the environment variable MIAI_KATAGO_NETWORKS names; without it they are
skipped.
"""

import os
from functools import cache
from pathlib import Path

import jax
import numpy as np
import pytest

from research.networks.katago import KataGoConfig, KataGoFile, KataGoNetwork, describe, read_network

FOLDER = Path(__file__).parents[1] / "data" / "katago" / "networks"
B6 = "g170-b6c96-s175395328-d26788732.bin.gz"
NAMES = tuple(sorted(path.name for path in FOLDER.glob("*.gz")))
VARIABLE = "MIAI_KATAGO_NETWORKS"
TINY = {"num_blocks": 2, "num_channels": 6, "num_regular_channels": 4, "num_pooled_channels": 3, "num_head_channels": 4}


def path_of(name: str) -> Path:
    """Where a network's file is; a test that wants a large one, and finds none, is skipped."""
    if (FOLDER / name).exists():
        return FOLDER / name
    path = Path(os.environ.get(VARIABLE, "")) / name
    if not path.is_file():
        pytest.skip(f"{name} is not in the folder that {VARIABLE} names")
    return path


@cache
def loaded(name: str) -> KataGoFile:
    """A network's file, read once."""
    return read_network(path_of(name))


@cache
def made_up(version: int = 8, seed: int = 0, **settings: object) -> KataGoFile:
    """A tiny network with random weights everywhere."""
    sizes = TINY | {"pooling_blocks": (1,), "num_value_units": 5, "version": version} | settings
    description = describe(KataGoConfig(**sizes), "made-up")  # type: ignore[arg-type]
    chance = np.random.default_rng(seed)
    shapes = jax.eval_shape(KataGoNetwork(description).init, jax.random.key(0))

    def draw(path: tuple, leaf: jax.ShapeDtypeStruct) -> np.ndarray:
        numbers = chance.normal(0, 0.5, leaf.shape).astype(np.float32)
        return np.abs(numbers) + np.float32(0.5) if path[-1].key in ("variance", "scale") else numbers

    return KataGoFile(description, jax.tree_util.tree_map_with_path(draw, shapes))
