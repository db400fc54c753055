"""What happens elsewhere and moves a policy, or must not happen while it is approved.

All of it inside the transaction of the sender.
"""

from __future__ import annotations

from typing import Any

from django.dispatch import receiver

from csro_web.accounts.models import User
from csro_web.approvals import services
from csro_web.approvals.selectors import standing_of
from csro_web.approvals.standings import hold
from csro_web.approvals.states import State
from csro_web.changes.services import ChangeError
from csro_web.changes.signals import withdrawing
from csro_web.policies.models import Policy
from csro_web.reviews.signals import review_published, thread_opened


@receiver(review_published)
def move_by_review(*, policy: Policy, person: User, verdict: str, reason: str, **_: Any) -> None:
    services.review_published(policy=policy, person=person, verdict=verdict, reason=reason)


@receiver(thread_opened)
def move_by_thread(*, policy: Policy, person: User, **_: Any) -> None:
    services.thread_opened(policy, person)


@receiver(withdrawing)
def refuse_approved(*, policy: Policy, **_: Any) -> None:
    """Nobody can approve it either until the transaction has ended."""
    hold(policy)
    if standing_of(policy).state is State.APPROVED:
        raise ChangeError(
            f"{policy.name} is approved: reject it first, then it can be withdrawn.",
            policy=policy,
        )
