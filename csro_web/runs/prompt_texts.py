"""Which texts a run's prompts are made of, and with which ones its candidates were written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from csro_web.policies import code
from csro_web.policies.diff_views import shown_diff
from csro_web.runs.models import Run
from oracles.config import BASELINES, ContextMode, OracleName, WriterName
from oracles.prompt_parts import (
    AGENT_PARTS,
    PARTS,
    SUMMARY_PARTS,
    WRITE_PARTS,
    PromptPart,
    builtin_prompt,
    placeholders,
    prompt_text,
    prompt_version,
)


@dataclass(frozen=True)
class RunPrompts:
    """``others`` are versions that candidates were written with and that are not ``version``."""

    version: str
    """Of the texts as they are now: the edited ones of the run, else the product's."""
    edited: int
    others: tuple[tuple[str, int], ...]
    """Version and number of candidates."""


@dataclass(frozen=True)
class ShownText:
    name: str
    title: str
    text: str
    placeholders: tuple[str, ...]
    diff: Mapping[str, Any] | None
    """Against the built-in text, as :func:`shown_diff` gives it; None where it is used."""


@dataclass(frozen=True)
class TextGroup:
    name: str
    title: str
    note: str
    used: bool
    texts: tuple[ShownText, ...]


def prompts_of(run: Run) -> RunPrompts | None:
    """None for a run that has no prompts."""
    parts = _main_parts(run)
    if not parts:
        return None
    edited = _edited(run)
    version = prompt_version(parts, edited)
    written = run.candidates.exclude(prompt_version="").order_by("prompt_version")
    counts = written.values_list("prompt_version").annotate(Count("pk"))
    others = tuple((found, count) for found, count in counts if found != version)
    return RunPrompts(version, len(edited), others)


def shown_texts(run: Run) -> list[TextGroup]:
    """All texts, those that the run uses first."""
    edited = _edited(run)
    main = _main_parts(run)
    summarises = (
        main is WRITE_PARTS
        and run.writer == WriterName.LLM
        and run.config.get("context") == ContextMode.SUMMARY
    )
    groups = [
        ("proposals", "what a prompt needs is chosen from them", main is WRITE_PARTS, WRITE_PARTS),
        (
            "summaries",
            "they need the writer llm and the context summary",
            summarises,
            SUMMARY_PARTS,
        ),
        ("turns", "they are for the baseline llm_agent", main is AGENT_PARTS, AGENT_PARTS),
    ]
    shown = [
        TextGroup(name, f"Texts for {name}", note, used, tuple(_shown(p, edited) for p in parts))
        for name, note, used, parts in groups
    ]
    return sorted(shown, key=lambda group: not group.used)


def _main_parts(run: Run) -> Sequence[PromptPart]:
    if run.oracle == OracleName.LLM_AGENT:
        return AGENT_PARTS
    return () if run.oracle in BASELINES else WRITE_PARTS


def _edited(run: Run) -> dict[str, str]:
    texts = run.config.get("prompts") or {}
    return {name: text for name, text in texts.items() if name in PARTS}


def _shown(part: PromptPart, edited: Mapping[str, str]) -> ShownText:
    builtin, text = builtin_prompt(part.name), prompt_text(part.name, edited)
    return ShownText(
        part.name,
        part.title,
        text,
        placeholders(part.name),
        shown_diff(builtin, text, highlight=code.plain_lines) if part.name in edited else None,
    )
