"""In Colab only what is missing is installed, and never JAX."""

import pytest

from colab.install import CONSTRAINTS, NEVER_INSTALLED, missing_requirements

PINS = """\
# Builds the package.
setuptools==80.0

# What Miai runs on.
jax==0.10.2
jaxlib==0.10.2
ml-dtypes==0.6.0
mctx==0.0.71

# [dev]: tests.
pytest==9.0
"""


def test_what_is_there_stays_in_whatever_version_and_spelling() -> None:
    assert missing_requirements(PINS, ["jax", "JaxLib", "ml_dtypes"]) == ["mctx==0.0.71"]
    assert missing_requirements(PINS, ["jax", "jaxlib", "ml.dtypes", "mctx"]) == []


def test_tools_for_tests_and_for_building_are_left_out() -> None:
    assert missing_requirements(PINS, ["jax", "jaxlib"]) == ["ml-dtypes==0.6.0", "mctx==0.0.71"]


def test_a_runtime_without_jax_is_refused() -> None:
    with pytest.raises(ValueError, match="no jaxlib"):
        missing_requirements(PINS, ["jax", "mctx"])


def test_the_real_constraints_hold_what_the_notebook_imports() -> None:
    missing = missing_requirements(CONSTRAINTS.read_text(), NEVER_INSTALLED)
    names = {line.split("==")[0] for line in missing}
    assert {"mctx", "chex", "jaxtyping", "wadler-lindig", "flax", "optax", "orbax-checkpoint", "tyro", "rich"} <= names
    assert not {"jax", "jaxlib", "libtpu", "pytest"} & names
