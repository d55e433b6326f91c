"""Rows of figures, as benchmarks make them: printed as tables, and written as JSON for whoever checks them.

A row is a dict; the rows of one table have the same keys, which are its headings and say the units.
"""

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from research.training.files import write_atomically

Row = dict[str, Any]
WIDTH = 110  # columns of a table in a file or a pipe, which have no width of their own


def publish(tables: dict[str, list[Row]], output: Path | None) -> None:
    """Print every table that has rows; write all of them to `output` if it is given."""
    for title, rows in tables.items():
        if rows:
            print_rows(title, rows)
    if output is not None:
        write_atomically(output, json.dumps(tables, indent=2) + "\n")


def print_rows(title: str, rows: list[Row]) -> None:
    """One table."""
    table = Table(title=title)
    for heading in rows[0]:
        table.add_column(heading.replace("_", " "), justify="right")
    for row in rows:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)
