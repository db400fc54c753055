"""The reference of actions is what the table says."""

from __future__ import annotations

from pathlib import Path

from csro_web.audit.reference import page

FILE = Path(__file__).parents[2] / "docs/reference/audit-actions.md"


def test_the_page_of_actions_is_current() -> None:
    assert FILE.read_text() == page(), "run python -m csro_web.audit.reference > that file"
