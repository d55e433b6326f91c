"""What every test runs under: four virtual CPU devices, and shapes and types checked on every call into the library.

Both must be arranged before jax and `research` are first imported, hence here. The import hook makes each jaxtyping
annotation a check (through beartype), in tests only: in a real run the annotations cost nothing. Four devices on one
CPU let the sharding tests run anywhere. An accelerator is left alone unless its tests are asked for with
`-m accelerator`, so that the suite gives the same results on every machine.

*Source:* jaxtyping documentation, "Runtime type checking"; JAX documentation, "Introduction to sharded computation".
"""

import os

import pytest
from jaxtyping import install_import_hook
from xla_flags import COMPILES_QUICKLY

NUM_VIRTUAL_DEVICES = 4

install_import_hook("research", "beartype.beartype")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the devices, before anything has imported jax."""
    flags = [f"--xla_force_host_platform_device_count={NUM_VIRTUAL_DEVICES}"]
    if not wants_accelerator(config.option.markexpr):
        os.environ["JAX_PLATFORMS"] = "cpu"
        # Most tests compile much and compute little. The slow ones compute, and by the way that real runs take.
        is_quick = "not slow" in config.option.markexpr
        flags += COMPILES_QUICKLY if is_quick else ["--xla_backend_optimization_level=1"]
    # The last word is the caller's.
    os.environ["XLA_FLAGS"] = " ".join([*flags, os.environ.get("XLA_FLAGS", "")]).strip()


def wants_accelerator(mark_expression: str) -> bool:
    """Whether the `-m` expression selects the tests marked `accelerator`."""
    return "accelerator" in mark_expression and "not accelerator" not in mark_expression
