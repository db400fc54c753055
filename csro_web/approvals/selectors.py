"""Where policies stand, as pages and exports read it.

An approval counts only while the stored program still has the approved hash: a row that was changed
behind the application's back is shown as lapsed and is never exported as approved.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from csro_web.approvals.models import Approval, Standing
from csro_web.approvals.states import Event, State
from csro_web.policies.models import Policy
from csro_web.runs.models import Run
from games.players import source_sha256


@dataclass(frozen=True)
class Shown:
    """A policy's standing as it is shown. ``approval`` is the current one; ``lapsed`` says why the
    approval that the database holds counts no more."""

    state: State
    approval: Approval | None = None
    lapsed: str = ""


def standing_of(policy: Policy) -> Shown:
    """Where one policy stands. 1 query."""
    found = Standing.objects.select_related("approval__approver", "approval__reevaluation")
    standing = found.filter(policy=policy).first()
    if standing is None:
        return Shown(State.UNREVIEWED)
    approval = standing.approval
    if approval is None:
        return Shown(State(standing.state))
    if not has_approved_content(policy, approval):
        return Shown(State.IN_REVIEW, None, str(Event.CONTENT_DIFFERS.label))
    return Shown(State.APPROVED, approval)


def standings(policies: Iterable[Policy]) -> dict[int, State]:
    """The states of several policies by id; also of those that have no row. 2 queries."""
    ids = [policy.pk for policy in policies]
    states = dict.fromkeys(ids, State.UNREVIEWED)
    rows = Standing.objects.filter(policy_id__in=ids).values_list("policy_id", "state")
    states.update({pk: State(state) for pk, state in rows})
    claimed = [pk for pk, state in states.items() if state is State.APPROVED]
    if claimed:
        genuine = {standing.policy_id for standing in _genuine(claimed)}
        states.update({pk: State.IN_REVIEW for pk in claimed if pk not in genuine})
    return states


def approved(run: Run) -> list[Policy]:
    """The run's policies that may leave it as approved, in the population's order, each with
    ``standing.approval``. 1 query."""
    claimed = Policy.objects.filter(
        run=run, standing__state=State.APPROVED, withdrawn_by__isnull=True
    ).select_related("standing__approval__approver", "standing__approval__reevaluation")
    return [
        policy
        for policy in claimed.order_by("index")
        if has_approved_content(policy, policy.standing.approval)
    ]


def has_approved_content(policy: Policy, approval: Approval) -> bool:
    """Whether the program that is stored now is the one that was approved, by its hash."""
    return approval.lapsed_at is None and policy.sha256 == approval.sha256 == source_sha256(
        policy.source
    )


def _genuine(policy_ids: list[int]) -> list[Standing]:
    rows = Standing.objects.filter(policy_id__in=policy_ids).select_related("policy", "approval")
    return [
        row
        for row in rows
        if row.approval is not None and has_approved_content(row.policy, row.approval)
    ]
