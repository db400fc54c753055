"""One line of what ``./csro doctor`` found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """``ok`` is None for what is only reported; ``remedy`` says what would mend it."""

    name: str
    ok: bool | None
    value: str
    remedy: str = ""
