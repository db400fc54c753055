"""The challenges of a program, on the page of its policy."""

from __future__ import annotations

from typing import Any

from csro_web.challenges.selectors import of_policy
from csro_web.policies.page_parts import PolicyPage, on_policy_page


@on_policy_page
def challenges(page: PolicyPage) -> dict[str, Any]:
    return {"challenges": of_policy(page.policy, page.request.user)}
