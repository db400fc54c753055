"""The threads on the pages of policies."""

from __future__ import annotations

from typing import Any

from csro_web.policies.page_parts import DiffPage, PolicyPage, on_diff_page, on_policy_page
from csro_web.reviews import shown


@on_policy_page
def threads(page: PolicyPage) -> dict[str, Any]:
    return shown.on_policy_page(page.request, page.policy)


@on_diff_page
def threads_of_both(page: DiffPage) -> dict[str, Any]:
    return shown.on_diff_page(page.request, page.left, page.right)
