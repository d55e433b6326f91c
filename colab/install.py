"""Installs in Colab what Miai needs and Colab lacks, and nothing else: `python colab/install.py`.

Colab comes with a JAX made for its GPU or TPU runtime, and with most packages; anything that replaces them breaks the
runtime or forces a restart. So packages that are present stay as they are, whatever their version; only missing ones
are installed, in the versions of constraints.txt, and without their dependencies, which are themselves in the list.
JAX itself is never installed: without one this is not a runtime to work in.

This file runs before anything is installed, so it uses the standard library alone.
"""

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"

# The paragraph of constraints.txt that a training run needs.
PARAGRAPH = "# What Miai runs on."

# They belong to the runtime.
NEVER_INSTALLED = ("jax", "jaxlib")


def missing_requirements(constraints: str, installed: Iterable[str]) -> list[str]:
    """The lines `name==version` of the packages that a run needs and that are not among the `installed` names.

    *Raises:* ValueError if JAX is missing.
    """
    present = {canonical(name) for name in installed}
    absent = [name for name in NEVER_INSTALLED if name not in present]
    if absent:
        raise ValueError(
            f"this runtime has no {' and no '.join(absent)}: use one of Colab's own, or install them first"
        )
    paragraph = constraints.split(PARAGRAPH)[1].split("\n\n")[0]
    lines = [line.strip() for line in paragraph.splitlines() if line.strip()]
    return [line for line in lines if canonical(line.split("==")[0]) not in present]


def canonical(name: str) -> str:
    """A package's name in the one spelling that constraints.txt uses."""
    return name.lower().replace("_", "-").replace(".", "-")


def main() -> None:
    """Install what is missing into the Python that runs this file."""
    names = [distribution.metadata["Name"] for distribution in importlib.metadata.distributions()]
    missing = missing_requirements(CONSTRAINTS.read_text(), names)
    print(f"jax {importlib.metadata.version('jax')} stays; installing {', '.join(missing) or 'nothing'}")
    if missing:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *missing], check=True)


if __name__ == "__main__":
    main()
