"""What docs/ says is what the product does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from csro_web.cli.main import COMMANDS
from games.registry import game_names, get_game

ROOT = Path(__file__).resolve().parents[2]
CLI = (ROOT / "docs/reference/cli.md").read_text()
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FLAG = re.compile(r"--[a-z][a-z-]+")
PASSED_ON = {"test", "manage"}
"""Commands whose arguments are pytest's or Django's own."""
TAKES_FLAGS_OF = {"challenge": "solve"}
"""Commands whose section says that they take the flags of another one."""
INTERNAL = {"CSRO_TEST_ALL", "CSRO_STARTED_IN"}
"""Variables by which CSRO's own processes talk to each other."""


def section(command: str) -> str:
    found = re.search(rf"^## ./csro {command}$(.*?)(?=^## |\Z)", CLI, re.M | re.S)
    assert found, f"docs/reference/cli.md has no section on {command}"
    return found[1]


def test_every_command_has_a_section() -> None:
    documented = re.findall(r"^## ./csro (\w+)$", CLI, re.M)
    assert sorted(documented) == sorted(COMMANDS)


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - PASSED_ON))
def test_documented_flags_are_the_flags_of_the_command(command: str) -> None:
    shown = subprocess.run(
        [sys.executable, str(ROOT / "csro"), command, "--help"], capture_output=True, text=True
    )
    assert shown.returncode == 0, shown.stderr
    offered = set(FLAG.findall(shown.stdout)) - {"--help"}
    documented = set(FLAG.findall(section(command)))
    if command in TAKES_FLAGS_OF:
        documented |= set(FLAG.findall(section(TAKES_FLAGS_OF[command]))) & offered
    assert documented == offered


@pytest.mark.parametrize("name", game_names())
def test_the_reference_holds_each_games_own_texts(name: str) -> None:
    game = get_game(name)
    for page, text in (("policy-api.md", game.policy_api().rstrip()), ("games.md", game.rules())):
        held = text in (ROOT / "docs/reference" / page).read_text()
        assert held, f"docs/reference/{page} no longer holds what writers are told: copy it there"


def test_every_direct_dependency_has_its_reason() -> None:
    reasons = (ROOT / "docs/explanation/dependencies.md").read_text()
    names = [
        re.split(r"[\[<>=~! ]", line)[0]
        for file in ("requirements.in", "requirements-dev.in")
        for line in (ROOT / file).read_text().splitlines()
        if line and not line.startswith(("#", "-r"))
    ]
    assert len(names) > 15
    assert [name for name in names if name not in reasons] == []


def test_every_variable_that_the_product_reads_is_documented() -> None:
    read: set[str] = set()
    for room in ("csro", "csro_web", "games", "oracles"):
        path = ROOT / room
        for file in [path] if path.is_file() else path.rglob("*.py"):
            read |= set(
                re.findall(r"[\"'](CSRO_[A-Z_]+|DATABASE_URL|BROKER_URL)[\"']", file.read_text())
            )
    page = (ROOT / "docs/reference/settings.md").read_text()
    documented = set(re.findall(r"^\| `(\w+)` ", page, re.M))
    assert documented - read == set()
    assert read - documented - INTERNAL == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing
