"""The house's import rules, read off the source: imports go one way, and Flax stays in one room.

`FLOORS` lists the rooms from the ground up. A room may import rooms below it and its own; `toys` are games like `go`
and need its symmetries; `interop` and `visualise` stand to the side on the encoders, and who is
above `evaluation` or in it may use them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = (
    "game",
    "go",
    "toys",
    "encoders",
    "networks",
    "search",
    "selfplay",
    "evaluation",
    "training",
    "configs",
    "experiments",
)
SIDE_ROOMS = ("interop", "visualise")
BELOW_SIDE_ROOMS = ("game", "go", "toys", "encoders")
MAY_USE_SIDE_ROOMS = ("evaluation", "training", "experiments")
TOP_ROOMS = ("research", "configs", "experiments")

FILES = sorted(path for folder in TOP_ROOMS for path in (ROOT / folder).rglob("*.py") if path.stat().st_size)


def room_of(module: str) -> str:
    """The room of a module: `go` of research.go.moves, `game` of research.game, `configs` of configs.go9."""
    parts = module.split(".")
    if parts[0] != "research":
        return parts[0]
    return parts[1] if len(parts) > 1 else ""


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports_of(source: str) -> Iterator[str]:
    """Every module that a source imports anywhere, with the imported names appended where they may be modules."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute in this house"
            module = node.module or ""
            yield from (f"{module}.{alias.name}" for alias in node.names)


def is_allowed(importer: str, imported: str) -> bool:
    """Whether a file of room `importer` may import from room `imported`."""
    if importer == imported:
        return True
    if imported in SIDE_ROOMS:
        return importer in MAY_USE_SIDE_ROOMS
    if importer in SIDE_ROOMS:
        return imported in BELOW_SIDE_ROOMS
    return FLOORS.index(imported) < FLOORS.index(importer)


def test_every_room_has_its_floor() -> None:
    rooms = {room_of(module_of(path)) for path in FILES} - {""}
    assert rooms <= set(FLOORS) | set(SIDE_ROOMS)
    assert {"go", "networks", "training", "experiments"} <= rooms


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_file_imports_only_rooms_below_its_own(path: Path) -> None:
    importer = room_of(module_of(path))
    for imported in imports_of(path.read_text()):
        if imported.split(".")[0] in TOP_ROOMS and room_of(imported):
            assert is_allowed(importer, room_of(imported)), f"{module_of(path)} imports {imported}"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_only_networks_imports_flax(path: Path) -> None:
    uses_flax = any(imported.split(".")[0] == "flax" for imported in imports_of(path.read_text()))
    assert not uses_flax or room_of(module_of(path)) == "networks"


def test_the_check_sees_imports_in_functions_and_of_names_and_upwards() -> None:
    source = "def late():\n    from research import search\n    import research.training.loop\nfrom flax import linen\n"
    assert set(imports_of(source)) == {"research.search", "research.training.loop", "flax.linen"}
    assert not is_allowed("go", "encoders")
    assert not is_allowed("search", "visualise")
    assert not is_allowed("visualise", "networks")
    assert is_allowed("evaluation", "visualise")
    assert is_allowed("toys", "go")
