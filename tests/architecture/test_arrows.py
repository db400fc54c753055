"""The rooms: csro_web may use oracles and games, oracles may use games, games stands alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORBIDDEN = {
    "games": {"oracles", "csro_web", "django", "celery", "tests"},
    "oracles": {"csro_web", "django", "celery", "tests"},
    "csro_web": {"tests"},
}
DESK = ("policies", "challenges", "changes", "reviews", "approvals", "search", "exports", "api")
"""Each may import those before it (docs/explanation/architecture.md)."""


def modules(path: Path) -> Iterator[str]:
    """Modules that a file imports anywhere, also inside functions, with the names taken of them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports(path: Path) -> Iterator[str]:
    """Top-level packages that a file imports."""
    return (name.split(".")[0] for name in modules(path))


def apps(path: Path) -> Iterator[str]:
    """Apps of the product that a file imports."""
    return (name.split(".")[1] for name in modules(path) if name.startswith("csro_web."))


@pytest.mark.parametrize("room", FORBIDDEN)
def test_arrows_between_the_rooms_run_one_way(room: str) -> None:
    files = list((ROOT / room).rglob("*.py"))
    assert files
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imports(path)
        if name in FORBIDDEN[room]
    }
    assert not wrong


@pytest.mark.parametrize("app", DESK)
def test_arrows_between_the_apps_of_the_desk_run_one_way(app: str) -> None:
    above = set(DESK[DESK.index(app) + 1 :])
    files = list((ROOT / "csro_web" / app).rglob("*.py"))
    assert files
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in apps(path)
        if name in above
    }
    assert not wrong


def test_the_rules_of_leases_know_nothing_of_what_is_leased() -> None:
    files = list((ROOT / "csro_web" / "leases").rglob("*.py"))
    assert files
    assert {name for path in files for name in apps(path)} <= {"leases"}


def test_games_and_oracles_load_without_django() -> None:
    import subprocess
    import sys

    code = (
        "import sys, pkgutil, importlib, games, oracles\n"
        "for package in (games, oracles):\n"
        "    for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        try:\n"
        "            importlib.import_module(module.name)\n"
        "        except ModuleNotFoundError as error:\n"
        "            if error.name != 'torch':\n"  # an optional extra
        "                raise\n"
        "sys.exit('django' in sys.modules or 'csro_web' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
