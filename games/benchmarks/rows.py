"""A line of ``./csro bench``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

POLICIES = Path(__file__).parent / "policies"


@dataclass(frozen=True)
class Row:
    """One measurement against its peer, both taken in the same run.

    ``ratio`` is what ``target`` is about: at least the target, or at most where ``at_most``. None
    where there is no peer or no target.
    """

    name: str
    ours: float
    peer: float | None
    ratio: float | None
    target: float | None
    unit: str
    note: str
    at_most: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)
    """Further figures, as JSON data."""

    @property
    def reached(self) -> bool | None:
        """Whether the target was met; None without one."""
        if self.ratio is None or self.target is None:
            return None
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target


def policy_source(name: str) -> str:
    return (POLICIES / f"{name}.py").read_text(encoding="utf-8")
