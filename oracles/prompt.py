"""From a task to the chat messages that a language model reads; the texts are in ``prompts/``."""

from __future__ import annotations

import pprint
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Template

from games.base import Game
from oracles.checks import ALLOWED_IMPORTS
from oracles.prompt_parts import builtin_prompt, prompt_names, prompt_text
from oracles.task import Feedback
from oracles.text import fenced
from oracles.tokens import estimated_tokens

__all__ = ["Inspiration", "builtin_prompt", "fill", "prompt_names", "render_messages"]

HISTORY_SHOWN = 10
"""Earlier proposals that a prompt tells of, the latest ones."""
INSPIRATION_TOKENS = 16_000
"""Estimated size that the programs to borrow from may have together."""


@dataclass(frozen=True)
class Inspiration:
    """A program of an evolution to borrow from."""

    source: str
    score: float | None
    """Its mean payoff against the mixture; None while unknown."""


def render_messages(
    game: Game,
    *,
    opponents: str | None,
    incumbent: str | None,
    history: Sequence[Feedback],
    inspirations: Sequence[Inspiration] = (),
    failures: Sequence[str] = (),
    edited: Mapping[str, str] | None = None,
) -> tuple[Mapping[str, str], ...]:
    """``{"role", "content"}`` messages: a fresh task, a refinement, or a retry after failures.

    ``opponents`` describes them (:meth:`oracles.context.OpponentContext.describe`); None hides
    them. ``edited`` has the texts that stand in place of built-in ones, by name.
    """
    values = {
        "rules": game.rules().strip(),
        "api": game.policy_api().strip(),
        "observation": pprint.pformat(game.example_observation(), sort_dicts=False, width=90),
        "opponents": opponents or "",
        "imports": ", ".join(ALLOWED_IMPORTS),
        "incumbent": fenced(incumbent or "", "python"),
        "history": _told(history),
        "inspirations": _lent(inspirations),
        "failures": fenced("\n".join(failures)),
    }
    parts = ["rules", "interface"]
    parts.append("opponents_hidden" if opponents is None else "opponents")
    parts += ["best_response", "program"]
    parts += ["incumbent"] if incumbent is not None else []
    parts += ["inspirations"] if inspirations else []
    parts += ["history"] if history else []
    parts += ["failures"] if failures else []
    if incumbent is not None:
        parts += ["refine", "output_edits"]
    else:
        parts += ["retry", "output"] if history else ["output"]
    texts = edited or {}
    content = "\n\n".join(fill(name, texts, values) for name in parts)
    return (
        {"role": "system", "content": fill("system", texts, values)},
        {"role": "user", "content": content},
    )


def fill(name: str, edited: Mapping[str, str], values: Mapping[str, str]) -> str:
    """The text called ``name``, the edited one if there is one, with its placeholders filled."""
    return Template(prompt_text(name, edited)).substitute(values).strip()


def _told(history: Sequence[Feedback]) -> str:
    first = max(0, len(history) - HISTORY_SHOWN)
    return "\n\n".join(
        f"## Proposal {number}\n\n{item.text}"
        for number, item in enumerate(history[first:], start=first + 1)
    )


def _lent(inspirations: Sequence[Inspiration]) -> str:
    shown: list[str] = []
    room = INSPIRATION_TOKENS
    for number, item in enumerate(inspirations, start=1):
        score = "unknown" if item.score is None else f"{item.score:+.1f}"
        head = f"## Program {number}, mean payoff against the opponents' mixture: {score}"
        part = f"{head}\n\n{fenced(item.source, 'python')}"
        room -= estimated_tokens(part)
        if room < 0:
            left_out = len(inspirations) - len(shown)
            return "\n\n".join([*shown, f"{left_out} more are left out for want of room."])
        shown.append(part)
    return "\n\n".join(shown)
