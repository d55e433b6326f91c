"""Notebooks run as they would in a notebook: cell by cell, in one scope, each showing what its last line gives."""

import ast
import re
from pathlib import Path


def run_cells(source: Path, replacements: dict[str, str]) -> tuple[dict, list]:
    """The variables that a percent-format script leaves, and what its cells would show in a notebook."""
    text = source.read_text()
    for old, new in replacements.items():
        assert text.count(old) == 1, f"{source.name} no longer has the line {old!r}"
        text = text.replace(old, new)
    variables: dict = {"__name__": "__main__"}
    shown = []
    for cell in re.split(r"^# %%.*\n", text, flags=re.MULTILINE):
        statements = ast.parse(cell).body
        # As in a notebook, a cell shows what its last line gives.
        last = statements.pop() if statements and isinstance(statements[-1], ast.Expr) else None
        exec(compile(ast.Module(statements, []), str(source), "exec"), variables)
        if isinstance(last, ast.Expr):
            shown.append(eval(compile(ast.Expression(last.value), str(source), "eval"), variables))
    return variables, shown
