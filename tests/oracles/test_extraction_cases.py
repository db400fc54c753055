"""Every recorded kind of answer ends as its expected.json says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oracles.candidate import extract

CASES = Path(__file__).parent.parent / "cases" / "completions"
EXPECTED: dict[str, dict[str, Any]] = json.loads((CASES / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_answer_is_accepted_or_refused_as_expected(name: str) -> None:
    expected = EXPECTED[name]
    base = (CASES / "edit_base.py").read_text("utf-8") if expected["mode"] == "edit" else None
    with (CASES / f"{name}.txt").open(encoding="utf-8", newline="") as file:
        found = extract(file.read(), base=base)
    verdict, _, words = expected["expect"].partition(":")
    if verdict.startswith("accepted") or (found.accepted and found.repairs):
        assert found.accepted, found.reason
        assert found.source is not None
        assert "class " in found.source
    else:
        assert not found.accepted
        assert words.strip() in found.reason
