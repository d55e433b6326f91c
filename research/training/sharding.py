"""How a run is laid over its devices: one mesh axis, "data".

Games, replay lanes and samples are split over the axis; parameters, counters and keys are replicated. The same
program runs on one CPU, one GPU or a TPU slice; the compiler adds the gradient's sum over devices.
"""

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

AXIS = "data"


def make_mesh(num_devices: int | None = None) -> Mesh:
    """A mesh over the first `num_devices` devices, or over all of them."""
    return Mesh(np.array(jax.devices()[:num_devices]), (AXIS,))


def replicated(mesh: Mesh) -> NamedSharding:
    """Every device holds the whole array."""
    return NamedSharding(mesh, PartitionSpec())


def split_rows(mesh: Mesh) -> NamedSharding:
    """The leading axis is split over the devices."""
    return NamedSharding(mesh, PartitionSpec(AXIS))
