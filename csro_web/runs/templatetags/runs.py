"""Template tags of the run pages: bars, labels and fault counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from csro_web.pages import inert, numbers
from csro_web.pages.charts import Scale, clipped_label
from csro_web.pages.templatetags.show import as_html
from csro_web.runs.catalogue import game_facts

register = template.Library()

_BAR = Scale(0.0, 1.0, 1.0, 119.0)


@register.filter
def game_title(name: str) -> str:
    """``rrps`` as people call it: ``Repeated Rock-Paper-Scissors``."""
    return game_facts(name).title


@register.filter
def game_unit(name: str) -> str:
    """What its payoffs count: ``wins minus losses over 1000 throws``; empty: unknown here."""
    return game_facts(name).unit


@register.simple_tag
def weight_bar(weight: Any) -> SafeString:
    """A weight between 0 and 1 as a bar, with its range as a line over it unless it is unknown."""
    return format_html(
        '<svg class="weight" viewBox="0 0 120 14" aria-hidden="true">'
        '<rect class="track" x="1" y="3" width="118" height="8"/>'
        '<rect class="{}" x="1" y="3" width="{}" height="8"/>{}</svg>',
        weight.css,
        round(_BAR(weight.value) - 1, 2),
        _range(weight.low, weight.high),
    )


def _range(low: float | None, high: float | None) -> SafeString:
    if low is None or high is None:
        return SafeString()
    left, right = _BAR(low), _BAR(high)
    return format_html_join(
        "",
        '<line class="range" x1="{}" x2="{}" y1="{}" y2="{}"/>',
        ((left, right, 7, 7), (left, left, 3.5, 10.5), (right, right, 3.5, 10.5)),
    )


@register.simple_tag
def fault_counts(faults: Mapping[str, int]) -> SafeString:
    """``12 timeout, 1 crash``, marked as faults."""
    told = ", ".join(f"{count:,} {kind}" for kind, count in faults.items() if count)
    return format_html('<span class="faults">{}</span>', inert.plain(told or "none"))


@register.simple_tag
def published_figure(value: float, *, signed: bool = True) -> SafeString:
    """A figure as a paper prints it; its interval is not part of our numbers."""
    text = numbers.payoff(value, signed=signed).value
    return as_html(numbers.Written(text, hover="as published; interval not shown"))


@register.simple_tag
def exact_figure(value: float, *, unit: str = "", signed: bool = True) -> SafeString:
    """A value that comes from the game itself and so has no interval."""
    text = numbers.payoff(value, signed=signed).value
    return as_html(numbers.Written(text, hover=f"{unit}; exact, not sampled"))


_BASELINES = {"cfr": "CFR+", "llm_agent": "LLM agent, asked at every turn"}


@register.filter
def baseline_name(oracle: str) -> str:
    return _BASELINES.get(oracle, oracle)


@register.filter
def middle(start: float, length: float) -> float:
    return round(start + (length - 1) / 2, 2)


@register.filter
def label(text: str, length: int) -> str:
    """A name for an axis: inert, and cut to ``length``."""
    return clipped_label(inert.plain(text), length)
