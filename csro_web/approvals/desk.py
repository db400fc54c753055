"""Where a reviewer goes from a policy: what to compare it with, and the queue around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.approvals import queue
from csro_web.changes.models import Change, ChangeKind
from csro_web.policies.models import Origin, Policy

_FOUND_BY_A_SEARCH = (Origin.GENERATED, Origin.REFINED, Origin.EVOLVED)


@dataclass(frozen=True)
class Desk:
    """``parent``: what it was edited from. ``best_response``: the newest one that the search found
    before it. Each is None where there is none that the person may see."""

    parent: Policy | None
    best_response: Policy | None
    before: Policy | None
    after: Policy | None


def desk(policy: Policy, members: Sequence[Policy], user: User) -> Desk:
    """At most 3 queries."""
    found = [
        one for one in members if one.index < policy.index and one.origin in _FOUND_BY_A_SEARCH
    ]
    waits = policy.approvable and policy.withdrawn_by is None and user.has_perm("reviews.view")
    before, after = queue.neighbours(policy, user) if waits else (None, None)
    parent = _edited_from(policy, user) if policy.change_number is not None else None
    return Desk(parent, found[-1] if found else None, before, after)


def _edited_from(policy: Policy, user: User) -> Policy | None:
    commits = Change.objects.filter(policy=policy, kind=ChangeKind.COMMIT)
    parents = Policy.objects.filter(edits__in=commits).only("pk", "name", "run_id")
    return visible(parents, user).first()
