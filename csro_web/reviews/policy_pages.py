"""The threads on the pages of policies and candidates."""

from __future__ import annotations

from typing import Any

from csro_web.policies.page_parts import (
    CandidatePage,
    DiffPage,
    PolicyPage,
    on_candidate_page,
    on_diff_page,
    on_policy_page,
)
from csro_web.reviews import shown


@on_policy_page
def threads(page: PolicyPage) -> dict[str, Any]:
    return shown.on_page(page.request, page.policy)


@on_candidate_page
def threads_of_candidate(page: CandidatePage) -> dict[str, Any]:
    return shown.on_page(page.request, page.candidate)


@on_diff_page
def threads_of_both(page: DiffPage) -> dict[str, Any]:
    return shown.on_diff_page(page.request, page.left, page.right)
