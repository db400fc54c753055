"""What pages and approvals read of threads, in a bounded number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from csro_web.policies.models import Policy
from csro_web.policies.programs import HEAVY, Program
from csro_web.reviews.lineage import Line, at, earlier_versions, follow, line_of
from csro_web.reviews.models import Decided, Decision, Thread, ThreadQuerySet
from csro_web.reviews.standing import Standing, decided_at, standing


@dataclass(frozen=True)
class ThreadAt:
    """A published thread as it stands at one version: its own, or a later one."""

    thread: Thread
    line: Line
    """The version it is seen at, and the earlier ones; the thread's own is among them."""
    decided: Decided

    @property
    def standing(self) -> Standing:
        return standing(self.thread, self.decided)

    @property
    def is_carried(self) -> bool:
        """Whether it was opened on an earlier version than the one it is seen at."""
        return self.thread.reference != self.line[0]


def threads_of(program: Program) -> list[ThreadAt]:
    """Every published thread on the program or an earlier version of it. 1 query where nobody has
    asked anything in the run, else 6."""
    return _threads(program, Thread.objects.published())


def thread_at(thread: Thread, program: Program) -> ThreadAt | None:
    """The thread as it stands at ``program``; None when it does not belong there. 6 queries."""
    found = _threads(program, Thread.objects.published().filter(pk=thread.pk))
    return found[0] if found else None


def _threads(program: Program, among: ThreadQuerySet) -> list[ThreadAt]:
    among = among.filter(run=program.run_id)
    if not among.exists():
        return []
    line = line_of(program)
    found = list(
        among.filter(at(line))
        .select_related("opened_by", "resolved_by", "confirmed_by", "policy", "candidate", "review")
        .defer("policy__source", "policy__summary", *(f"candidate__{name}" for name in HEAVY))
    )
    decisions = list(
        Decision.objects.filter(at(line), thread__in=found).select_related(
            "resolved_by", "confirmed_by"
        )
    )
    return [_at(thread, line, decisions) for thread in found]


def open_threads(program: Program) -> list[ThreadAt]:
    """Those that stand in the way of an approval: open, or resolved and not yet confirmed."""
    return [one for one in threads_of(program) if one.standing.is_open]


def open_thread_counts(policy_ids: Iterable[int]) -> dict[int, int]:
    """How many threads are open at each of these policies (0 included). At most 6 queries, and no
    row of a thread that belongs to none of them."""
    runs = dict(Policy.objects.filter(pk__in=list(policy_ids)).values_list("pk", "run_id"))
    counts = dict.fromkeys(runs, 0)
    asked = Thread.objects.published().filter(run__in=set(runs.values())).order_by()
    questioned = set(asked.values_list("run", flat=True).distinct())
    if not questioned:
        return counts
    earlier = earlier_versions(questioned)
    lines = {pk: follow(str(pk), earlier) for pk, run in runs.items() if run in questioned}
    versions = {one for line in lines.values() for one in line}
    threads = list(asked.filter(at(versions)).only(*_STATE))
    decisions: dict[int, list[Decision]] = defaultdict(list)
    for decision in Decision.objects.filter(at(versions), thread__run__in=questioned):
        decisions[decision.thread_id].append(decision)
    by_version: dict[str, list[Thread]] = defaultdict(list)
    for thread in threads:
        by_version[thread.reference].append(thread)
    for policy_id, line in lines.items():
        counts[policy_id] = sum(
            standing(thread, decided_at(thread, line, decisions[thread.pk])).is_open
            for version in line
            for thread in by_version.get(version, ())
        )
    return counts


_STATE = ("policy", "candidate", "state", "wants_confirmation", "confirmed_at")
"""What tells of a thread where it stands and whether it is open there."""


def _at(thread: Thread, line: Line, decisions: Iterable[Decision]) -> ThreadAt:
    return ThreadAt(thread, line, decided_at(thread, line, decisions))
