"""Every recorded kind of answer ends as tests/cases/completions/expected.json says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from games.players import source_sha256
from oracles.candidate import extract

CASES = Path(__file__).parent.parent / "cases" / "completions"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CASES / "expected.json").read_text("utf-8"))
REPAIRED = {"15_smart_quotes"}
"""May be refused or repaired; here they are repaired."""


def read(name: str) -> str:
    with (CASES / name).open(encoding="utf-8", newline="") as file:
        return file.read()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_answer_is_accepted_or_refused_as_expected(name: str) -> None:
    expected = EXPECTED[name]
    base = read("edit_base.py") if expected["mode"] == "edit" else None
    found = extract(read(f"{name}.txt"), base=base)
    verdict, _, words = expected["expect"].partition(":")
    if verdict.startswith("accepted") or name in REPAIRED:
        assert found.accepted, found.reason
        assert found.source is not None
        assert found.sha256 == source_sha256(found.source)
        assert (found.reason, found.line) == ("", None)
        assert expected.get("has", "class ") in found.source
    else:
        assert not found.accepted
        assert words.strip() in found.reason
        assert (found.source, found.sha256) == (None, None)


def test_every_case_has_an_expectation() -> None:
    assert {path.stem for path in CASES.glob("*.txt")} == set(EXPECTED)


@pytest.mark.parametrize(
    "name", ["08_diff_whitespace_differs", "15_smart_quotes", "06_json_wrapped"]
)
def test_what_was_changed_to_accept_an_answer_is_told(name: str) -> None:
    base = read("edit_base.py") if EXPECTED[name]["mode"] == "edit" else None
    assert extract(read(f"{name}.txt"), base=base).repairs


def test_syntax_error_shows_line_and_caret() -> None:
    found = extract(read("14_syntax_error.txt"))
    assert found.line == 7
    shown, caret = found.reason.split("\n")[1:]
    assert shown.strip() == "def act(self, obs)"
    assert caret.index("^") == len(shown)


def test_refused_constructor_names_the_parameter() -> None:
    assert "memory_length" in extract(read("19_unknown_constructor.txt")).reason


def test_refused_import_names_the_allowed_ones() -> None:
    reason = extract(read("13_forbidden_import.txt")).reason
    assert "numpy" in reason
    assert "itertools" in reason


def test_a_whole_program_that_the_token_limit_cut_off_is_incomplete() -> None:
    cut = "```python\nclass Policy:\n    def act(self, obs):\n        x = 1\n        retu"
    assert extract(cut, finish_reason="length").reason.startswith("incomplete")


def test_an_accepted_program_is_accepted_again_unchanged() -> None:
    for name in ("12_other_class_name", "01_fenced_with_prose", "15_smart_quotes"):
        once = extract(read(f"{name}.txt"))
        assert once.source is not None
        again = extract(f"```python\n{once.source}```")
        assert (again.source, again.repairs) == (once.source, ())
