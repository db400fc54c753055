"""Where each exported policy comes from: prompts, models, answers, edits, and all its ancestors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from csro_web.changes.models import Change
from csro_web.policies.models import Candidate, Policy
from csro_web.runs.models import Run
from games.players import source_sha256

LONGEST_CHAIN = 200


def provenance_rows(run: Run, policies: Sequence[Policy]) -> list[dict[str, Any]]:
    """One row per policy: its candidate's chain of proposals, its changes, its parents.

    Prompts are given whole, answers by their hash. At most 3 queries and one per policy.
    """
    candidates = _candidates(run, policies)
    changes = Change.objects.filter(run=run).select_related("author", "parent").order_by("number")
    by_number = {change.number: change for change in changes}
    return [
        {
            "index": policy.index,
            "origin": policy.origin,
            "iteration": policy.iteration,
            "parents": sorted(policy.parents.values_list("index", flat=True)),
            "proposals": [_proposal(one) for one in _chain(policy.candidate_id, candidates)],
            "changes": [_change(one) for one in _changes(policy, by_number)],
            "summary": _summary(policy),
        }
        for policy in policies
    ]


def _candidates(run: Run, policies: Sequence[Policy]) -> dict[int, Candidate]:
    iterations = {policy.iteration for policy in policies if policy.candidate_id is not None}
    found = Candidate.objects.filter(run=run, iteration__in=iterations)
    return {one.pk: one for one in found.defer("per_opponent", "tracebacks", "feedback")}


def _chain(last: int | None, candidates: Mapping[int, Candidate]) -> list[Candidate]:
    """From the first proposal to the one that joined, each the parent of the next."""
    chain: list[Candidate] = []
    while last in candidates and len(chain) < LONGEST_CHAIN:
        candidate = candidates[last]
        if candidate in chain:
            break
        chain.append(candidate)
        last = candidate.parent_id
    return chain[::-1]


def _proposal(candidate: Candidate) -> dict[str, Any]:
    return {
        "key": candidate.key,
        "model": candidate.model,
        "messages": candidate.messages,
        "prompt_version": candidate.prompt_version,
        "completion_sha256": source_sha256(candidate.completion) if candidate.completion else None,
        "program_sha256": candidate.sha256 or None,
        "repairs": candidate.repairs,
        "accepted": candidate.accepted,
        "trained": candidate.training is not None,
    }


def _changes(policy: Policy, by_number: Mapping[int, Change]) -> list[Change]:
    """The change that added the policy, and those of this run that it goes back to, oldest first.

    Also those that took it out of the population or brought it back.
    """
    found = [one for one in by_number.values() if one.policy_id == policy.pk]
    by_policy = {one.policy_id: one for one in by_number.values() if one.is_commit}
    step = by_policy.get(policy.pk)
    while step is not None and step.parent_id in by_policy and len(found) < LONGEST_CHAIN:
        step = by_policy[step.parent_id]
        if step in found:
            break
        found.append(step)
    return sorted(found, key=lambda one: one.number)


def _change(change: Change) -> dict[str, Any]:
    parent = change.parent
    return {
        "number": change.number,
        "kind": change.kind,
        "author": change.author.get_username(),
        "at": change.created_at.isoformat(),
        "reason": change.reason,
        "origin": change.origin,
        "program_sha256": change.sha256 or None,
        "edited_from": None
        if parent is None
        else {"run": parent.run_id, "index": parent.index, "sha256": parent.sha256 or None},
        "imported_from": change.provenance,
    }


def _summary(policy: Policy) -> dict[str, str] | None:
    if not policy.summary:
        return None
    return {"text": policy.summary, "model": policy.summary_model}
