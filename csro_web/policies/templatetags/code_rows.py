"""What stands beside lines of code: comment threads, for instance, without this app knowing them.

A view puts ``beside`` into its context: the HTML of what belongs under a line, by the line's id
(``L12`` on pages of one program; ``A12`` and ``B12`` for the old and the new side of a
difference). ``policies/code.html`` and ``policies/diff_body.html`` place it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from csro_web.pages import inert

register = template.Library()


@register.simple_tag(takes_context=True)
def beside(context: template.Context, side: str, number: int | None) -> SafeString:
    """What the context's ``beside`` holds for a line; nothing for the many without."""
    found: Mapping[str, SafeString] = context.get("beside") or {}
    key = f"{side}{number}"
    if key not in found:
        return SafeString()
    return format_html(
        '<div class="beside beside-{}" data-beside="{}">{}</div>', side, key, found[key]
    )


@register.simple_tag(takes_context=True)
def anything_beside(context: template.Context, block: Any) -> bool:
    """Whether a line of a folded block has something beside it: such a block starts open."""
    found: Mapping[str, SafeString] = context.get("beside") or {}
    return bool(found) and any(
        (row.left and f"A{row.left.number}" in found)
        or (row.right and f"B{row.right.number}" in found)
        for row in block.rows
    )


@register.simple_tag(takes_context=True)
def unchanged_row(context: template.Context, row: Any) -> SafeString:
    """A row whose sides are the same, with what is beside it.

    In Python, not in a template: a page can have thousands of them, and all are alike.
    """
    old, new = row.left.number, row.right.number
    left = f'<a class="ln" id="A{old}" href="#A{old}" aria-label="Old line {old}">{old}</a>'
    right = f'<a class="ln" id="B{new}" href="#B{new}" aria-label="New line {new}">{new}</a>'
    spacing = "~" if row.spacing_only else ""
    if context["view"] == "unified":
        shown = (
            f'<div class="urow same">{left}{right}<span class="mark">{spacing}</span>'
            f'<code class="src">{row.right.html}</code></div>'
        )
    else:
        spacing = spacing and f'<span class="chip">{spacing}</span>'
        shown = (
            f'<div class="drow same">{left}<code class="src old">{row.left.html}</code>'
            f'{right}<code class="src new">{row.right.html}{spacing}</code></div>'
        )
    around = beside(context, "A", old) + beside(context, "B", new)
    return mark_safe(shown) + around  # noqa: S308 - numbers, and lines that are inert already


@register.simple_tag
def chip(side: Any) -> SafeString:
    """What is said of a line of a difference (``diff_shown.Chip``); nothing for most lines."""
    found = side.chip
    if found is None:
        return SafeString()
    words = inert.visible(found.words)
    if not found.href:
        return format_html('<span class="chip">{}</span>', words)
    return format_html('<a class="chip" href="{}">{}</a>', found.href, words)
