"""Which programs people wrote in a writer's place, and who."""

from __future__ import annotations

from csro_web.answers.models import Answer
from csro_web.pages.keys import row_number
from csro_web.policies.models import Candidate, Policy
from csro_web.runs.models import Run
from oracles.config import WriterName

BY_HAND = (WriterName.MANUAL, WriterName.REPLAY)
"""Writers whose answers people may have given: a replay may be one of theirs."""


def is_by_hand(policy: Policy) -> bool:
    """Whether the search that wrote it may have had its answers from people."""
    return policy.candidate is not None and policy.candidate.run.writer in BY_HAND


def answered(candidate: Candidate) -> list[int]:
    """Who wrote the answers that the candidate was refined from, in its run or the one replayed.
    At most a few queries; none where the run's writer is no person."""
    run = where_it_was_written(candidate.run)
    if run is None:
        return []
    sent = Answer.objects.filter(
        step__run=run,
        step__key__in=[f"{key}/write" for key in _grown_from(candidate)],
        sent_at__isnull=False,
    )
    return list(sent.order_by("sent_at").values_list("person_id", flat=True).distinct())


def where_it_was_written(run: Run) -> Run | None:
    """The run whose writer gave the answers: that of the recording where they were replayed."""
    met: set[int] = set()
    while run.writer == WriterName.REPLAY and run.pk not in met:
        met.add(run.pk)
        number = row_number(str(run.config.get("recording", "")))
        recorded = None if number is None else Run.objects.filter(pk=number).first()
        if recorded is None:
            return None
        run = recorded
    return run if run.writer == WriterName.MANUAL else None


def _grown_from(candidate: Candidate) -> list[str]:
    """Keys of the candidate, of what it refines, and of what was lent to its writer."""
    search = Candidate.objects.filter(run_id=candidate.run_id, iteration=candidate.iteration)
    rows = {key: (parent, evolved) for key, parent, evolved in search.values_list(
        "key", "parent__key", "evolved"
    )}  # fmt: skip
    keys, waiting = [], [candidate.key]
    while waiting:
        key = waiting.pop()
        if key in keys or key not in rows:
            continue
        keys.append(key)
        parent, evolved = rows[key]
        waiting += [parent] if parent else []
        waiting += evolved["inspirations"] if evolved else []
    return keys
