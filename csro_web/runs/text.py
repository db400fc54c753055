"""Text that no database refuses, for what models and policies wrote."""

from __future__ import annotations

from oracles.text import storable

__all__ = ["storable"]
