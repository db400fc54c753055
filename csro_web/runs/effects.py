"""What became of people's changes, as their rows tell it: an outcome, a policy, consequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from csro_web.policies.models import Policy
from csro_web.runs.models import Run
from oracles.changes import ChangeOutcome, ChangeRecord
from oracles.revisions import consequence_of
from oracles.state import RunState
from oracles.text import storable


@dataclass(frozen=True)
class Changed:
    """A change of which more is known than before."""

    record: ChangeRecord
    effect: dict[str, Any] | None
    """oracles.revisions.Consequence as JSON; None while one of its mixtures is not solved."""


def between(before: RunState | None, after: RunState) -> list[Changed]:
    """The changes that ``after`` tells more about. Consequences take up to seconds to find."""
    known = before.changes if before else ()
    news = [
        record
        for index, record in enumerate(after.changes)
        if index >= len(known) or known[index] != record
    ]
    return [Changed(record, _effect(after, record)) for record in news]


def _effect(state: RunState, record: ChangeRecord) -> dict[str, Any] | None:
    found = consequence_of(state, record)
    return None if found is None else found.to_json()


def save(run: Run, news: Sequence[Changed]) -> None:
    """Write what is new (inside a transaction), after the policies have been written."""
    from csro_web.approvals.services import policy_withdrawn  # late: they need this app's models
    from csro_web.changes.models import Change

    if not news:
        return
    wanted = [one.record.policy for one in news if one.record.policy is not None]
    policies = {one.index: one for one in Policy.objects.filter(run=run, index__in=wanted)}
    for one in news:
        record = one.record
        row = Change.objects.filter(run=run, number=record.number)
        policy = None if record.policy is None else policies.get(record.policy)
        settled = record.outcome is ChangeOutcome.REFUSED or one.effect is not None
        row.update(
            before=record.before,
            outcome=str(record.outcome),
            note=storable(record.note),
            policy=policy,
            effect=one.effect,
            settled_at=timezone.now() if settled else None,
        )
        if policy is not None and record.withdraws:
            # Whoever approved it while the withdrawal waited for its place did so in vain.
            change = row.select_related("author").get()
            policy_withdrawn(policy, change.author, f"change {record.number}: {change.reason}")
        if policy is not None and record.outcome is ChangeOutcome.JOINED:
            parents = row.filter(parent__isnull=False).values_list("parent", flat=True)
            policy.parents.add(*parents)  # also one of another run, which the fold does not know
