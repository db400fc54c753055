"""The texts that prompts are made of: one file of ``prompts/`` each, which a run may replace."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from string import Template

from oracles.options import ConfigError

_FOLDER = Path(__file__).parent / "prompts"
MAX_PROMPT = 100_000
"""Characters that an edited text may have."""


@dataclass(frozen=True)
class PromptPart:
    """A text with its place in the prompt. Its placeholders are those of the built-in text."""

    name: str
    """Of its file, without ``.md``."""
    title: str
    """What it is, as a person reads it."""


WRITE_PARTS = (
    PromptPart("system", "System message of a writer"),
    PromptPart("rules", "The game's rules"),
    PromptPart("interface", "The policy's interface, with an observation"),
    PromptPart("opponents", "The opponents"),
    PromptPart("opponents_hidden", "The opponents, when they are not shown"),
    PromptPart("best_response", "What a best response is"),
    PromptPart("program", "Rules for the program and allowed imports"),
    PromptPart("incumbent", "The program to refine"),
    PromptPart("inspirations", "Programs to borrow from (AlphaEvolve)"),
    PromptPart("history", "What became of the earlier proposals"),
    PromptPart("failures", "What failed in earlier iterations"),
    PromptPart("refine", "What to do: refine"),
    PromptPart("retry", "What to do: try again after failures alone"),
    PromptPart("output", "How to answer with a whole program"),
    PromptPart("output_edits", "How to answer with a program or edits"),
)
"""Those of a request for a program, in the order in which they stand in it."""
SUMMARY_PARTS = (
    PromptPart("summary_system", "System message for summaries"),
    PromptPart("summary", "Summary of an opponent"),
)
AGENT_PARTS = (
    PromptPart("agent_system", "System message of the agent that is asked at every turn"),
    PromptPart("agent", "A turn of the agent"),
)
PARTS: Mapping[str, PromptPart] = {
    part.name: part for part in WRITE_PARTS + SUMMARY_PARTS + AGENT_PARTS
}


def prompt_names() -> tuple[str, ...]:
    """The names under which texts may be edited, in the order of a prompt."""
    return tuple(PARTS)


@lru_cache(maxsize=64)
def builtin_prompt(name: str) -> str:
    """The text that a run uses unless it has its own.

    Raises:
        KeyError: on an unknown name.
    """
    return (_FOLDER / f"{PARTS[name].name}.md").read_text(encoding="utf-8")


def placeholders(name: str) -> tuple[str, ...]:
    """What the text called ``name`` must contain, each at least once, without the ``$``."""
    return tuple(Template(builtin_prompt(name)).get_identifiers())


def prompt_text(name: str, edited: Mapping[str, str]) -> str:
    """The edited text of that name, else the built-in one."""
    return edited.get(name) or builtin_prompt(name)


def prompt_version(parts: Sequence[PromptPart], edited: Mapping[str, str]) -> str:
    """SHA-256 over names and texts of ``parts`` as a run uses them, as 64 hex digits."""
    digest = hashlib.sha256()
    for part in parts:
        for text in (part.name, prompt_text(part.name, edited)):
            data = text.encode("utf-8", "backslashreplace")
            digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


def checked_prompts(edited: object) -> dict[str, str]:
    """``edited`` (name -> text) if a prompt can be made with each text.

    Raises:
        ConfigError: names the text, and the placeholder that is missing or unknown.
    """
    if not isinstance(edited, Mapping):
        raise ConfigError(f"prompts is {edited!r}; it must map names to texts")
    for name, text in edited.items():
        if name not in PARTS:
            raise ConfigError(f"prompts: there is no text {name!r}; known: {', '.join(PARTS)}")
        if not isinstance(text, str) or not 0 < len(text) <= MAX_PROMPT or not text.strip():
            raise ConfigError(
                f"prompts: the text of {name!r} must have 1 to {MAX_PROMPT} characters"
            )
        _check_placeholders(name, text)
    return dict(edited)


def _check_placeholders(name: str, text: str) -> None:
    template = Template(text)
    wanted = placeholders(name)
    may_have = ", ".join(f"${item}" for item in wanted) or "none"
    if not template.is_valid():
        raise ConfigError(
            f"prompts: {name!r} has a '$' that begins no placeholder; write '$$' for a dollar sign"
            f" (placeholders here: {may_have})"
        )
    found = template.get_identifiers()
    for item in found:
        if item not in wanted:
            raise ConfigError(
                f"prompts: {name!r} has the unknown placeholder ${item}; it may have {may_have}"
            )
    for item in wanted:
        if item not in found:
            raise ConfigError(f"prompts: {name!r} lacks the placeholder ${item}; put it back")
