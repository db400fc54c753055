"""Everything that the conditions of an approval are decided by, read in bulk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from csro_web.approvals import selectors
from csro_web.approvals.models import Reevaluation
from csro_web.approvals.reevaluations import is_proved
from csro_web.approvals.states import State
from csro_web.changes.people import people_behind_each, programs_of
from csro_web.jobs.models import OVER
from csro_web.policies.models import Policy
from csro_web.reviews.selectors import open_thread_counts
from games.players import source_sha256


@dataclass(frozen=True)
class Twins:
    """What became of the same program as another policy, in any run: a copy is no way around it."""

    faults: Mapping[str, int] = field(default_factory=dict)
    """Of one re-evaluation that had some; empty: none had."""
    rejected: Policy | None = None


@dataclass(frozen=True)
class Facts:
    """What is known of one policy. ``involved``: user id -> in which ways, in words."""

    policy: Policy
    state: State
    open_threads: int
    attempts: Sequence[Reevaluation]
    """Re-evaluations of exactly the stored content, newest first."""
    involved: Mapping[int, Sequence[str]] = field(default_factory=dict)
    twins: Twins = Twins()
    proved: bool = False
    """Whether a key of this installation drew the seed of the newest result for this program."""

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
    alike = programs_of(policies)
    people = people_behind_each(policies, alike)
    twins = _twins(policies, alike)
    found = [
        Facts(
            policy=policy,
            state=states[policy.pk],
            open_threads=threads[policy.pk],
            attempts=[one for one in attempts[policy.pk] if one.sha256 == policy.sha256],
            involved=people[policy.pk],
            twins=twins[policy.pk],
        )
        for policy in policies
    ]
    return [replace(one, proved=_proved(one)) for one in found]


def _twins(policies: Sequence[Policy], alike: Mapping[str, set[str]]) -> dict[int, Twins]:
    """2 queries."""
    every = set().union(*alike.values())
    results = Reevaluation.objects.filter(sha256__in=every, found__isnull=False).exclude(faults={})
    faults = dict(results.values_list("sha256", "faults"))
    refused = Policy.objects.filter(sha256__in=every, standing__state=State.REJECTED)
    rejected = list(refused.select_related("run").only("pk", "sha256", "run__team_id"))
    found = {}
    for policy in policies:
        texts = alike.get(policy.sha256, set())
        told = next((faults[text] for text in sorted(texts) if text in faults), {})
        others = (one for one in rejected if one.sha256 in texts and one.pk != policy.pk)
        found[policy.pk] = Twins(faults=told, rejected=next(others, None))
    return found


def _proved(facts: Facts) -> bool:
    result = facts.newest_result
    return result is not None and facts.has_its_hash and is_proved(result, facts.policy)
