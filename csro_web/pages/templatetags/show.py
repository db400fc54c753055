"""Template tags that every page has: numbers, times, and text that cannot act."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from csro_web.pages import inert, navigation, numbers

register = template.Library()


@register.simple_tag
def figure(
    value: Any,
    low: float | None = None,
    high: float | None = None,
    *,
    kind: str = "payoff",
    unit: str = "",
    episodes: int | None = None,
) -> SafeString:
    """A number with its interval.

    ``kind``: payoff, unsigned, weight, count, usd, plain or duration.
    """
    value, low, high = (None if part == "" else part for part in (value, low, high))
    if kind in ("payoff", "unsigned"):
        written = numbers.payoff(
            value, low, high, unit=unit, episodes=episodes or None, signed=kind == "payoff"
        )
    elif kind == "weight":
        written = numbers.weight(value, low, high)
    elif kind == "count":
        written = numbers.count(value, unit=unit)
    elif kind == "usd":
        written = numbers.usd(value)
    elif kind == "plain":
        written = numbers.plain(value, unit=unit)
    elif kind == "duration":
        written = numbers.Written(numbers.duration(value))
    else:
        raise template.TemplateSyntaxError(f"figure: no kind {kind!r}")
    return as_html(written)


def as_html(written: numbers.Written) -> SafeString:
    if not written.known:
        return format_html('<span class="fig unknown">{}</span>', written.value)
    if not written.interval:
        return format_html('<span class="fig" title="{}">{}</span>', written.hover, written.value)
    return format_html(
        '<span class="fig" title="{}">{} <span class="fig-range">{}</span></span>',
        written.hover,
        written.value,
        written.interval,
    )


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """A relative time, with the exact one on hover; site.js keeps it current."""
    if not moment:
        return format_html('<span class="unknown">{}</span>', "not yet")
    return format_html(
        '<time datetime="{}" title="{}" data-relative>{}</time>',
        moment.isoformat(timespec="seconds"),
        moment.astimezone(timezone.get_current_timezone()).strftime("%Y-%m-%d %H:%M:%S %Z"),
        relative(timezone.now() - moment),
    )


def relative(passed: Any) -> str:
    seconds = passed.total_seconds()
    if seconds < 5:
        return "just now"
    for length, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{int(seconds // length)} {name} ago"
    return f"{int(seconds)} s ago"


@register.filter
def inert_text(text: str | None) -> SafeString:
    """Untrusted text for inside a ``<pre>`` or a paragraph."""
    return inert.visible_text(text or "")


@register.filter
def inert_line(text: str | None) -> SafeString:
    """Untrusted text on one line: names, labels, reasons."""
    head, cut = inert.shortened(" ".join(str("" if text is None else text).split("\n")), 300)
    return inert.visible(head) + inert.cut_mark(cut)


@register.filter
def inert_plain(text: str | None) -> str:
    """Untrusted text for a title or an attribute."""
    head, cut = inert.shortened(" ".join(str(text or "").split("\n")), 300)
    return inert.plain(head) + ("…" if cut else "")


@register.filter
def short_hash(value: str) -> str:
    return value[:10]


@register.inclusion_tag("pages/navigation.html", takes_context=True)
def main_navigation(context: template.Context) -> dict[str, Any]:
    """The links at the top of the page (:mod:`csro_web.pages.navigation`)."""
    match = context["request"].resolver_match
    here = (match.url_name or "") if match else ""
    more = navigation.links(navigation.MORE, context["user"], here)
    return {
        "main": navigation.links(navigation.MAIN, context["user"], here),
        "more": more,
        "here_in_more": next((link.label for link in more if link.current), ""),
    }


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: Any) -> str:
    """The current query string with some parameters changed (None removes one)."""
    kept = context["request"].GET.copy()
    for key, value in changes.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = str(value)
    return f"?{kept.urlencode()}"


_PROPER_NAMES = {
    "zero_shot": "Zero-shot",
    "best_of_n": "Best of N",
    "alpha_evolve": "AlphaEvolve",
    "cfr": "CFR+",
    "impala": "PSRO-IMPALA",
    "llm_agent": "LLM agent",
    "llm": "Language model",
}


@register.filter
def words(value: Any) -> str:
    """``linear_refinement`` as people write it: ``Linear refinement``; ``cfr``: ``CFR+``."""
    text = str(value or "")
    if text in _PROPER_NAMES:
        return _PROPER_NAMES[text]
    text = text.replace("_", " ")
    return text[:1].upper() + text[1:]
