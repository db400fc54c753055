"""Evaluation opponents that the grammar's constants were chosen on (docs/explanation/grammar.md).

Scores of what the grammar wrote are given over the others too: only those are wholly unseen.
"""

from __future__ import annotations

from collections.abc import Mapping

TUNED_ON: Mapping[str, frozenset[str]] = {
    "rrps": frozenset(
        {
            "addshiftbot3",
            "foxtrotbot",
            "granite",
            "greenberg",
            "halbot",
            "inocencio",
            "iocainebot",
            "mod1bot",
            "russrocker4",
            "switchalot",
        }
    ),
}
