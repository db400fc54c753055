"""Where a policy stands, and where a reviewer goes from it, on its page."""

from __future__ import annotations

from typing import Any

from csro_web.approvals.desk import desk
from csro_web.approvals.page import panel_of
from csro_web.policies.page_parts import PolicyPage, on_policy_page


@on_policy_page
def approval(page: PolicyPage) -> dict[str, Any]:
    user = page.request.user
    return {
        "approval": panel_of(page.policy, user),
        "desk": desk(page.policy, page.members, user),
    }
