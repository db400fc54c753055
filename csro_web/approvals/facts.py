"""Everything that the conditions of an approval are decided by, read in bulk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from csro_web.approvals import selectors
from csro_web.approvals.models import Reevaluation
from csro_web.approvals.states import State
from csro_web.changes.people import people_behind_each
from csro_web.jobs.models import OVER
from csro_web.policies.models import Policy
from csro_web.reviews.selectors import open_thread_counts
from games.players import source_sha256


@dataclass(frozen=True)
class Facts:
    """What is known of one policy. ``involved``: user id -> in which ways, in words."""

    policy: Policy
    state: State
    open_threads: int
    attempts: Sequence[Reevaluation]
    """Re-evaluations of exactly the stored content, newest first."""
    involved: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def has_its_hash(self) -> bool:
        return self.policy.sha256 == source_sha256(self.policy.source)

    @property
    def newest_result(self) -> Reevaluation | None:
        return next((one for one in self.attempts if one.found is not None), None)

    @property
    def in_work(self) -> Reevaluation | None:
        return next((one for one in self.attempts if one.job.state not in OVER), None)


def gather(policies: Sequence[Policy]) -> list[Facts]:
    """In the order of ``policies``, each with its run. About 10 queries, and a few for each that
    people committed and for each of its ancestors."""
    ids = [policy.pk for policy in policies]
    states = selectors.standings(policies)
    threads = open_thread_counts(ids)
    attempts: dict[int, list[Reevaluation]] = defaultdict(list)
    for attempt in Reevaluation.objects.filter(policy__in=ids).select_related("job"):
        attempts[attempt.policy_id].append(attempt)
    people = people_behind_each(policies)
    return [
        Facts(
            policy=policy,
            state=states[policy.pk],
            open_threads=threads[policy.pk],
            attempts=[one for one in attempts[policy.pk] if one.sha256 == policy.sha256],
            involved=people[policy.pk],
        )
        for policy in policies
    ]
