"""What a request may cost at most, and what it did cost. Unknown is None, never zero."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from oracles.models.access import Message
from oracles.models.endpoints import Price

TEMPLATE_TOKENS = 256
"""What a chat template may add of its own: a system prompt, a date, special tokens."""
MESSAGE_TOKENS = 16
"""What it may add to each message: the role and the marks around it."""
LONG_PROMPT = 128_000
"""Tokens; up to here every provider charges its lowest price."""
LOCAL_PROVIDERS = frozenset(
    {"docker_model_runner", "hosted_vllm", "llamafile", "lm_studio", "ollama", "ollama_chat"}
)
"""Whose price of zero is one. Elsewhere the list says zero where it does not know better."""
_NOT_CHARGED = ("batch", "flex", "priority", "cache", "audio", "image", "video", "character")


@dataclass(frozen=True, kw_only=True)
class Tariff:
    """Prices of one model in US dollars per token."""

    usual: Price
    highest: Price
    """For long prompts, where that is dearer."""
    cached: float | None = None
    """Prompt tokens that the server still had; None where it makes no difference."""

    def most(self, *, prompt_tokens: int, completion_tokens: int) -> float:
        """US dollars at most for so many tokens."""
        return self.highest.of(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

    def cost(self, *, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """US dollars for so many tokens, ``cached_tokens`` of the prompt's among them."""
        price = self.usual if prompt_tokens <= LONG_PROMPT else self.highest
        full = price.of(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        if self.cached is None or self.cached > price.prompt:
            return full
        return full - min(cached_tokens, prompt_tokens) * (price.prompt - self.cached)


def most_prompt_tokens(messages: Sequence[Message]) -> int:
    """No tokeniser in use makes more tokens than this: each token stands for a byte at least."""
    written = sum(
        len(value.encode("utf-8", "replace")) for message in messages for value in message.values()
    )
    return written + MESSAGE_TOKENS * len(messages) + TEMPLATE_TOKENS


def flat(price: Price) -> Tariff:
    """The tariff of an endpoint that states one price."""
    return Tariff(usual=price, highest=price)


def listed_tariff(
    listed: Mapping[str, Mapping[str, Any]], provider: str, model: str
) -> Tariff | None:
    """The tariff out of litellm's list of models, None when it does not state one."""
    entry = listed.get(f"{provider}/{model}")
    if entry is None:
        entry = listed.get(model, {})
        if entry.get("litellm_provider") != provider:
            return None
    prompt, completion = _rates(entry, "input"), _rates(entry, "output")
    if prompt is None or completion is None:
        return None
    if not any((*prompt, *completion)) and provider not in LOCAL_PROVIDERS:
        return None
    cached = entry.get("cache_read_input_token_cost")
    return Tariff(
        usual=Price(prompt=prompt[0], completion=completion[0]),
        highest=Price(prompt=prompt[1], completion=completion[1]),
        cached=float(cached) if _is_rate(cached) else None,
    )


def _rates(entry: Mapping[str, Any], side: str) -> tuple[float, float] | None:
    """The usual and the highest price of a token; None without a usual one."""
    usual = entry.get(f"{side}_cost_per_token")
    if not _is_rate(usual):
        return None
    stem = (f"{side}_cost_per_token", f"{side}_cost_per_reasoning_token")
    rates = [
        float(value)
        for name, value in entry.items()
        if name.startswith(stem) and _is_rate(value) and not any(w in name for w in _NOT_CHARGED)
    ]
    return float(usual), max(rates)


def _is_rate(value: object) -> TypeGuard[float]:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )
