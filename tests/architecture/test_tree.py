"""The repository speaks of itself alone, and leaves nothing half-finished."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).relative_to(ROOT).as_posix()
TEXT = ["py", "md", "txt", "in", "toml", "yml", "yaml", "html", "css", "js", "json"]
SUFFIXES = {"", *(f".{suffix}" for suffix in TEXT)}
ROOMS = ("games", "oracles", "csro_web", "templates", "static", "tests", "docs", ".ci")
MADE = (".git", ".coverage")
MACHINE = re.compile(r"(?<![\w.:/])/(?:work|root|home|opt/pypi|Users)/[\w.-]+")
LEFT_OPEN = re.compile(
    r"\b(?:TODO|FIXME|XXX)\b|mark\.(?:xfail|skip)\b(?!if)|\bNotImplementedError\b"
)
HOSTS = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|registry\.")


def files() -> list[str]:
    """The repository's text files, without what is made at run time."""
    rooms = [ROOT / name for name in ROOMS]
    found = [path for room in rooms for path in room.rglob("*") if "__pycache__" not in path.parts]
    found += [path for path in ROOT.iterdir() if path.name not in MADE]
    names = [path.relative_to(ROOT).as_posix() for path in found if path.is_file()]
    return sorted(name for name in names if Path(name).suffix in SUFFIXES and name != HERE)


def lines_with(pattern: re.Pattern[str], names: list[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name in names
        for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize("pattern", [MACHINE, HOSTS], ids=["machine paths", "registry hosts"])
def test_no_file_names_a_machine_or_a_registry(pattern: re.Pattern[str]) -> None:
    names = [name for name in files() if not name.startswith("tests/cases/")]
    assert names
    assert not lines_with(pattern, names)


def test_nothing_is_left_open() -> None:
    names = [name for name in files() if name.endswith(".py") and name != "tests/conftest.py"]
    assert not lines_with(LEFT_OPEN, names)


def test_no_python_file_is_too_long_to_hold_in_the_head() -> None:
    names = [name for name in files() if name.endswith(".py") and "/migrations/" not in name]
    long = {name: len((ROOT / name).read_text().splitlines()) for name in names}
    assert {name: count for name, count in long.items() if count > 400} == {}


def test_locks_agree_on_every_shared_package() -> None:
    def pins(name: str) -> dict[str, str]:
        text = (ROOT / name).read_text()
        return {
            f"{m[1]}{m[3] or ''}": m[2]
            for m in re.finditer(r"^([a-z0-9_.-]+)==(\S+?)( ; [^\\]+?)? \\$", text, re.M)
        }

    runtime, development = pins("requirements.txt"), pins("requirements-dev.txt")
    assert len(runtime) > 20
    assert {name: development.get(name) for name in runtime} == runtime
