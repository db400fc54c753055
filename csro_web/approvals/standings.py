"""The one place that moves a policy from state to state (inside a transaction)."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.approvals.models import Approval, Standing, Transition
from csro_web.approvals.states import Event, State, move_from
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.policies.models import Policy
from oracles.text import storable

_ACTIONS = {Event.APPROVED: Action.POLICY_APPROVED, Event.REJECTED: Action.POLICY_REJECTED}


class StandingMoved(RuntimeError):
    """Somebody moved the policy although its row was held: it was not held."""


def hold(policy: Policy) -> Standing:
    """The policy's standing, which nobody else changes until this transaction ends.

    An UPDATE rather than ``select_for_update``, which SQLite ignores.
    """
    Standing.objects.get_or_create(policy=policy)
    Standing.objects.filter(policy=policy).update(version=F("version") + 1)
    return Standing.objects.select_related("approval").get(policy=policy)


def move(
    standing: Standing,
    event: Event,
    *,
    policy: Policy,
    by: User | None,
    reason: str = "",
    approval: Approval | None = None,
) -> Transition | None:
    """Move along the table, let a current approval lapse, keep and audit it; None: no such move.

    ``approval`` is the one that is given with :attr:`Event.APPROVED`.
    """
    before = State(standing.state)
    step = move_from(before, event)
    if step is None:
        return None
    lapsing = standing.approval if before is State.APPROVED else None
    expected = Standing.objects.filter(pk=standing.pk, state=before, version=standing.version)
    if not expected.update(state=step.after, approval=approval, changed_at=timezone.now()):
        raise StandingMoved(f"{policy} is not {before.label.lower()} any more")
    standing.state, standing.approval = step.after, approval
    if lapsing is not None:
        _lapse(lapsing, event, reason)
    kept = keep(standing, event, before=before, by=by, reason=reason, approval=approval or lapsing)
    _audit(kept, policy, lapsing)
    return kept


def keep(
    standing: Standing,
    event: Event,
    *,
    before: State,
    by: User | None,
    reason: str,
    approval: Approval | None = None,
) -> Transition:
    """A row of the history; also for what changed no state."""
    return Transition.objects.create(
        policy_id=standing.policy_id,
        before=before,
        after=standing.state,
        event=event,
        by=by,
        reason=storable(reason),
        approval=approval,
    )


def _lapse(approval: Approval, event: Event, reason: str) -> None:
    words = event.label if not reason else f"{event.label}: {reason}"
    current = Approval.objects.filter(pk=approval.pk, lapsed_at=None)
    current.update(lapsed_at=timezone.now(), lapse_reason=storable(words))


def _audit(kept: Transition, policy: Policy, lapsed: Approval | None) -> None:
    detail = {
        "from": kept.before,
        "to": kept.after,
        "event": kept.event,
        "reason": kept.reason,
        "sha256": policy.sha256,
        "approval": kept.approval_id,
    }
    if lapsed is not None:
        record(
            Action.APPROVAL_LAPSED,
            actor=kept.by,
            subject=policy,
            run_id=policy.run_id,
            detail={**detail, "approval": lapsed.pk},
        )
    action = _ACTIONS.get(Event(kept.event), Action.POLICY_STATE_MOVED)
    record(action, actor=kept.by, subject=policy, run_id=policy.run_id, detail=detail)
