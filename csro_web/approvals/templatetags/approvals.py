"""How a policy's standing is shown wherever a policy is named."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from csro_web.approvals.states import State

register = template.Library()

_LOOKS = {
    State.UNREVIEWED: "badge-plain",
    State.IN_REVIEW: "badge-running",
    State.CHANGES_REQUESTED: "badge-paused",
    State.APPROVED: "badge-finished",
    State.REJECTED: "badge-failed",
}


@register.filter
def standing_badge(state: str) -> SafeString:
    known = State(state)
    return format_html('<span class="badge still {}">{}</span>', _LOOKS[known], known.label)


@register.simple_tag
def reviewed_badge(states: Mapping[int, State] | None, policy_id: int) -> SafeString:
    """A policy's badge out of those of a table; nothing while it is unreviewed."""
    state = (states or {}).get(policy_id, State.UNREVIEWED)
    return SafeString() if state is State.UNREVIEWED else standing_badge(state)


@register.filter
def state_label(state: str) -> str:
    return str(State(state).label)
