"""What people did to a policy, on its page."""

from __future__ import annotations

from typing import Any

from csro_web.changes.selectors import changes_of
from csro_web.changes.services import why_unchangeable
from csro_web.policies.page_parts import PolicyPage, on_policy_page


@on_policy_page
def changes(page: PolicyPage) -> dict[str, Any]:
    return {
        "changes": changes_of(page.policy),
        "changeable": why_unchangeable(page.policy.run) is None,
    }
