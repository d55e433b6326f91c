"""Writes each notebook of this folder from the Python file that it is written in: `make notebooks`.

The Python file, in the percent format, is the source: it can be read, linted, diffed and run as a script. The notebook
is generated, without outputs and with fixed cell ids, so that the same source gives the same bytes and a test can tell
whether it is current.
"""

from pathlib import Path

import jupytext
import nbformat

FOLDER = Path(__file__).parent
SOURCES = (
    FOLDER / "quickstart.py",
    FOLDER / "rules_and_planes.py",
    FOLDER / "katago.py",
    FOLDER / "search_inspector.py",
)


def notebook_text(source: Path) -> str:
    """The notebook of a percent-format file, as the text of its .ipynb file."""
    notebook = nbformat.NotebookNode(jupytext.read(source, fmt="py:percent"))
    for index, cell in enumerate(notebook["cells"]):
        cell["id"] = f"cell-{index}"
        cell["metadata"] = {}
    notebook["metadata"] = {
        "colab": {"provenance": []},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


if __name__ == "__main__":
    for path in SOURCES:
        path.with_suffix(".ipynb").write_text(notebook_text(path))
