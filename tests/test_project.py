"""The repository keeps its own rules: what the README promises exists, versions are pinned, files follow the house."""

import ast
import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from docs.pictures import PICTURE, readme_picture

ROOT = Path(__file__).parent.parent
MAX_LINES = 400

# Folders that a checkout does not have, or that hold what a run or an install left.
NOT_OURS = {".git", ".venv", ".pytest_cache", ".ruff_cache", ".pyrefly_cache", "__pycache__", "build", "runs"}
TEXT_SUFFIXES = {"", ".py", ".md", ".toml", ".txt", ".ipynb", ".svg", ".json", ".yml"}


def is_ours(path: Path) -> bool:
    """Whether a file belongs to the repository's text."""
    parts = path.relative_to(ROOT).parts
    is_left_over = any(part in NOT_OURS or part.endswith(".egg-info") for part in parts)
    return path.is_file() and not is_left_over and path.suffix in TEXT_SUFFIXES


OUR_FILES = sorted(path for path in ROOT.rglob("*") if is_ours(path))
LIBRARY_FILES = sorted(path for path in OUR_FILES if path.suffix == ".py" and path.is_relative_to(ROOT / "research"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pinned_versions() -> dict[str, str]:
    """Package -> the version in constraints.txt."""
    lines = [line.split("#")[0].strip() for line in (ROOT / "constraints.txt").read_text().splitlines()]
    pins = [Requirement(line) for line in lines if line]
    assert all(re.fullmatch(r"==[^*,]+", str(pin.specifier)) for pin in pins), "every line must be name==version"
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


def declared_requirements() -> list[Requirement]:
    """What pyproject.toml asks for, extras included."""
    extras = PROJECT["project"]["optional-dependencies"].values()
    texts = [*PROJECT["project"]["dependencies"], *(text for extra in extras for text in extra)]
    return [Requirement(text) for text in texts]


def installed_closure(requirements: list[Requirement]) -> set[str]:
    """Every installed package that these need, directly or through others."""
    found: set[str] = set()
    waiting = [(requirement.name, extra) for requirement in requirements for extra in {"", *requirement.extras}]
    seen: set[tuple[str, str]] = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that is not installed here, or a marker for another platform
        found.add(canonicalize_name(name))
        for requirement in map(Requirement, needed):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                waiting += [(requirement.name, inner) for inner in {"", *requirement.extras}]
    return found


def test_each_make_command_of_the_documents_is_a_target_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        commands = set(re.findall(r"\bmake ((?:[A-Z]+=\S+ )*)([a-z]+)\b", "\n".join(code_of(document.read_text()))))
        assert {target for _, target in commands} <= targets, document.name
    assert {"train", "test", "check", "notebooks", "clean"} <= targets


def test_the_readmes_first_screen_gives_the_two_commands() -> None:
    first_screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:30])
    assert "make train" in first_screen
    assert "make test" in first_screen


def test_each_module_that_the_documents_run_exists() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for module in re.findall(r"python -m ((?:experiments|colab|docs|research)[.\w]*)", document.read_text()):
            assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists(), f"{document.name}: {module}"


def test_each_file_that_the_documents_name_exists() -> None:
    for document in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
            if "://" not in link:
                assert (document.parent / link).exists(), f"{document.name}: {link}"
        for path in re.findall(r"`((?:research|configs|experiments|colab|docs|tests)/[\w./]*)`", document.read_text()):
            assert (ROOT / path).exists(), f"{document.name}: {path}"


def code_of(text: str) -> list[str]:
    """What stands between backticks in a document, blocks and words alike."""
    return re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL)


def test_constraints_pin_each_declared_package_to_a_version_that_is_allowed() -> None:
    pins = pinned_versions()
    for requirement in declared_requirements():
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), str(requirement)


def test_constraints_pin_everything_that_gets_installed() -> None:
    installed = installed_closure(declared_requirements())
    assert len(installed) > len(PROJECT["project"]["dependencies"])
    assert installed <= set(pinned_versions())


def test_the_build_uses_the_pinned_setuptools() -> None:
    assert PROJECT["build-system"]["requires"] == [f"setuptools=={pinned_versions()['setuptools']}"]


@pytest.mark.parametrize("path", LIBRARY_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_library_file_opens_with_a_docstring_and_can_be_read_in_one_go(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MAX_LINES
    # An empty __init__.py only makes its folder a package.
    assert ast.get_docstring(ast.parse(text)) or (path.name == "__init__.py" and not text.strip())


def test_no_file_has_a_name_that_says_nothing() -> None:
    nothing = {"util", "utils", "helper", "helpers", "common", "misc"}
    assert not [path for path in OUR_FILES if nothing & set(path.relative_to(ROOT).with_suffix("").parts)]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?<![\w.])/(home|root|tmp|work|Users)/",  # a path of one machine
        "pypi" r"\.org|python" "hosted|npm" r"js\.|deb\.deb" "ian",  # a package registry's host
        r"\b(TO" "DO|FIX" r"ME)\b",  # unfinished
    ],
)
def test_no_file_names_the_machine_it_was_written_on_or_says_it_is_unfinished(pattern: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in OUR_FILES
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if re.search(pattern, line)
    ]
    assert not found


def test_the_picture_of_the_readme_is_what_the_code_draws() -> None:
    assert PICTURE.read_text() == readme_picture(), "run `make pictures`"
