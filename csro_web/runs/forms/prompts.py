"""The texts that prompts are made of, where a run may have its own.

A field opens with the built-in text; only a text that differs from it becomes part of the run.
"""

from __future__ import annotations

from typing import Any

from django import forms

from csro_web.runs.forms.conditions import PROMPTED
from csro_web.runs.forms.group import FieldGroup, Values
from oracles.prompt_parts import PARTS, builtin_prompt, placeholders

PREFIX = "prompt_"


class PromptField(forms.CharField):
    """Cleaned data is the text with the line ends of files; empty means the built-in one."""

    def __init__(self, name: str) -> None:
        self.builtin = builtin_prompt(name)
        kept = ", ".join(f"${one}" for one in placeholders(name))
        rows = min(max(self.builtin.count("\n") + 2, 3), 16)
        super().__init__(
            label=PARTS[name].title,
            help_text=f"Must keep {kept}." if kept else "",
            initial=self.builtin,
            required=False,
            strip=False,
            widget=forms.Textarea(attrs={"rows": rows, "class": "mono small"}),
        )

    def clean(self, value: Any) -> str:
        return _with_file_ends(str(super().clean(value)))

    def differs(self, text: str) -> bool:
        return bool(text.strip()) and text.rstrip() != self.builtin.rstrip()


def _with_file_ends(text: str) -> str:
    """Browsers end lines with CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _make() -> dict[str, forms.Field]:
    return {PREFIX + name: PromptField(name) for name in PARTS}


def _more_config(cleaned: Values) -> dict[str, Any]:
    texts = {name: cleaned.get(PREFIX + name) or "" for name in PARTS}
    return {
        "prompts": {name: text for name, text in texts.items() if PromptField(name).differs(text)}
    }


def _more_values(config: Values) -> dict[str, Any]:
    return {PREFIX + name: text for name, text in (config.get("prompts") or {}).items()}


GROUP = FieldGroup(
    name="prompts",
    title="Prompts",
    words="For writers that read a prompt: a language model, or people. What stands after a $ is "
    "filled in. An emptied field takes the built-in text.",
    make=_make,
    when=PROMPTED,
    more_config=_more_config,
    more_values=_more_values,
)
