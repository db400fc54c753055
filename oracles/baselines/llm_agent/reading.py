"""Which action an answer names, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracles.answer import read_answer

_AROUND = " \t\r\n\"'`*_.!"
"""What may stand around the name or number: quotes, emphasis, a full stop."""


def read_action(text: str, seen: Mapping[str, Any]) -> int | None:
    """The legal action that the answer names or numbers, alone; None when it is anything else.

    Reasoning between tags is no part of an answer. Nothing is searched for in prose: a sentence
    that mentions an action may as well refuse it.
    """
    read = read_answer(text)
    if read.ends_in_reasoning:
        return None
    word = "\n".join(read.visible).strip(_AROUND).casefold()
    for action, name in zip(seen["legal_actions"], seen["action_names"], strict=True):
        if word in (str(action), name.casefold()):
            return int(action)
    return None
