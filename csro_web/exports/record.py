"""The record of an audit: what was asked, answered, decided and approved about each policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from csro_web.accounts.models import User
from csro_web.approvals.models import Approval, Reevaluation, Transition
from csro_web.policies.models import Policy
from csro_web.reviews.models import Comment, Review
from csro_web.reviews.selectors import ThreadAt, threads_of


def record_rows(policies: Sequence[Policy]) -> list[dict[str, Any]]:
    """One row per policy. Drafts of reviews are their author's alone and are left out."""
    runs = {policy.run_id for policy in policies}
    places = dict(Policy.objects.filter(run__in=runs).values_list("pk", "index"))
    return [
        {
            "index": policy.index,
            "reviews": [_review(one) for one in _reviews(policy)],
            "threads": [_thread(one) for one in threads_of(policy)],
            "reevaluations": [_reevaluation(one, places) for one in _reevaluations(policy)],
            "approvals": [_approval(one) for one in _approvals(policy)],
            "transitions": [_transition(one) for one in _transitions(policy)],
        }
        for policy in policies
    ]


def _reviews(policy: Policy) -> list[Review]:
    found = Review.objects.filter(policy=policy, published_at__isnull=False)
    return list(found.select_related("author").order_by("published_at", "id"))


def _review(review: Review) -> dict[str, Any]:
    return {
        "author": _name(review.author),
        "at": _moment(review.published_at),
        "verdict": review.verdict,
        "text": review.body,
        "program_sha256": review.sha256,
    }


def _thread(at: ThreadAt) -> dict[str, Any]:
    thread = at.thread
    comments = Comment.objects.filter(thread=thread, review__published_at__isnull=False)
    return {
        "number": thread.pk,
        "program_sha256": thread.sha256,
        "carried": at.is_carried,
        "lines": [thread.first_line, thread.last_line],
        "quote": thread.quote,
        "state": str(at.standing),
        "opened_by": _name(thread.opened_by),
        "at": _moment(thread.created_at),
        "resolved_by": _name(at.decided.resolved_by),
        "confirmed_by": _name(at.decided.confirmed_by),
        "comments": [
            {"author": _name(one.author), "at": _moment(one.created_at), "text": one.body}
            for one in comments.select_related("author").order_by("created_at", "id")
        ],
    }


def _reevaluations(policy: Policy) -> list[Reevaluation]:
    return list(
        Reevaluation.objects.filter(policy=policy)
        .select_related("asked_by", "job")
        .order_by("created_at", "id")
    )


def _reevaluation(attempt: Reevaluation, places: Mapping[int, int]) -> dict[str, Any]:
    """Also attempts that failed or were called off: every one is kept and shown. Opponents get
    their ``index`` in the population."""
    found = attempt.found
    if found is not None:
        met = [{**one, "index": places[one["policy"]]} for one in found["opponents"]]
        found = {**found, "opponents": met}
    return {
        "number": attempt.pk,
        "asked_by": _name(attempt.asked_by),
        "at": _moment(attempt.created_at),
        "done_at": _moment(attempt.done_at),
        "job": attempt.job.state,
        "program_sha256": attempt.sha256,
        "fingerprint": attempt.program,
        "grammar": attempt.grammar,
        "seed": attempt.seed,
        "proof": {"signature": attempt.signature, "public_key": attempt.public_key},
        "episodes": attempt.episodes,
        "engine_version": attempt.engine_version,
        "sandbox_level": attempt.sandbox_level,
        "faults": attempt.faults,
        "found": found,
    }


def _approvals(policy: Policy) -> list[Approval]:
    found = Approval.objects.filter(policy=policy).select_related("approver", "launched_by")
    return list(found.order_by("created_at", "id"))


def _approval(approval: Approval) -> dict[str, Any]:
    return {
        "approver": _name(approval.approver),
        "launched_by": _name(approval.launched_by),
        "at": _moment(approval.created_at),
        "program_sha256": approval.sha256,
        "reevaluation": approval.reevaluation_id,
        "statement": approval.statement,
        "lapsed_at": _moment(approval.lapsed_at),
        "lapse_reason": approval.lapse_reason,
    }


def _transitions(policy: Policy) -> list[Transition]:
    return list(Transition.objects.filter(policy=policy).select_related("by").order_by("id"))


def _transition(move: Transition) -> dict[str, Any]:
    return {
        "before": move.before,
        "after": move.after,
        "event": move.event,
        "by": _name(move.by),
        "at": _moment(move.at),
        "reason": move.reason,
    }


def _name(person: User | None) -> str | None:
    return None if person is None else person.get_username()


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
