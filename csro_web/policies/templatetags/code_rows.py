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
from django.utils.safestring import SafeString

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
