"""What this package holds. Each bundle has its own; this one stands for none."""

from __future__ import annotations

from typing import Any

GAME: dict[str, Any] = {}
"""What the policies' constructors get as ``game``."""

COMPONENTS: list[tuple[str, str, float]] = []
"""Module, name and weight of each policy of the mixture."""
