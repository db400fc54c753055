"""What pages and approvals read of threads, in a bounded number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from csro_web.policies.models import Policy
from csro_web.reviews.lineage import Line, earlier_versions, follow, line_of
from csro_web.reviews.models import Decided, Decision, Thread, ThreadQuerySet
from csro_web.reviews.standing import Standing, decided_at, standing


@dataclass(frozen=True)
class ThreadAt:
    """A published thread as it stands at one version: its own, or a later one."""

    thread: Thread
    line: Line
    """The version it is seen at, and the earlier ones; ``thread.policy`` is among them."""
    decided: Decided

    @property
    def standing(self) -> Standing:
        return standing(self.thread, self.decided)

    @property
    def is_carried(self) -> bool:
        """Whether it was opened on an earlier version than the one it is seen at."""
        return self.thread.policy_id != self.line[0]


def threads_of(policy: Policy) -> list[ThreadAt]:
    """Every published thread on the policy or an earlier version of it. 5 queries."""
    return _threads(policy, Thread.objects.published())


def thread_at(thread: Thread, policy: Policy) -> ThreadAt | None:
    """The thread as it stands at ``policy``; None when it does not belong there. 5 queries."""
    found = _threads(policy, Thread.objects.published().filter(pk=thread.pk))
    return found[0] if found else None


def _threads(policy: Policy, among: ThreadQuerySet) -> list[ThreadAt]:
    line = line_of(policy)
    found = list(
        among.filter(policy__in=line, policy__run=policy.run_id)
        .select_related("opened_by", "resolved_by", "confirmed_by", "policy", "other", "review")
        .defer("other__source")
    )
    decisions = list(
        Decision.objects.filter(thread__in=found, policy__in=line).select_related(
            "resolved_by", "confirmed_by"
        )
    )
    return [_at(thread, line, decisions) for thread in found]


def open_threads(policy: Policy) -> list[ThreadAt]:
    """Those that stand in the way of an approval: open, or resolved and not yet confirmed."""
    return [one for one in threads_of(policy) if one.standing.is_open]


def open_thread_counts(policy_ids: Iterable[int]) -> dict[int, int]:
    """How many threads are open at each of these policies (0 included). At most 7 queries."""
    runs = dict(Policy.objects.filter(pk__in=list(policy_ids)).values_list("pk", "run_id"))
    counts = dict.fromkeys(runs, 0)
    threads = Thread.objects.published().filter(policy__run__in=set(runs.values()))
    by_policy: dict[int, list[Thread]] = defaultdict(list)
    for thread in threads.defer("quote"):
        by_policy[thread.policy_id].append(thread)
    if not by_policy:
        return counts
    decisions: dict[int, list[Decision]] = defaultdict(list)
    for decision in Decision.objects.filter(thread__in=threads):
        decisions[decision.thread_id].append(decision)
    earlier = earlier_versions(set(runs.values()))
    for policy_id in counts:
        line = follow(policy_id, earlier)
        counts[policy_id] = sum(
            standing(thread, decided_at(thread, line, decisions[thread.pk])).is_open
            for version in line
            for thread in by_policy.get(version, ())
        )
    return counts


def _at(thread: Thread, line: Line, decisions: Iterable[Decision]) -> ThreadAt:
    return ThreadAt(thread, line, decided_at(thread, line, decisions))
