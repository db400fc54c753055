"""Who stands behind a policy: whoever launched, wrote, edited or brought it, or what it grew from.

An approval is worth something only when it comes from somebody else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from csro_web.answers.models import Answer
from csro_web.changes.models import Change, ChangeKind, PendingImport, Trial
from csro_web.pages.keys import row_number
from csro_web.policies.models import Candidate, Origin, Policy
from csro_web.runs.models import Run
from oracles.config import WriterName

LONGEST_LINEAGE = 1_000
"""Ancestors that are followed; edits of edits are few, so nobody comes near it."""


def people_behind(policy: Policy) -> dict[int, list[str]]:
    """User id -> in which ways the person had a hand in ``policy``, in words.

    Followed are the chain of edits, across runs, with the programs that a writer refined on the
    way. Opponents that a writer was shown are no ancestors. Who committed the very same program
    anywhere counts too, and so does whoever brought or first tried what somebody else committed:
    neither an import nor another's hand hides an author.
    """
    found: dict[int, list[str]] = defaultdict(list)
    told: set[str] = set()
    for ancestor in lineage_of(policy):
        what = "it" if ancestor.pk == policy.pk else "an ancestor of it"
        behind = list(_behind_its_run(ancestor, what))
        if ancestor.sha256 not in told:  # the commits of one program are the same wherever it is
            behind = [*_behind_its_commits(ancestor, what), *behind]
        told.add(ancestor.sha256)
        for person, words in behind:
            if words not in found[person]:
                found[person].append(words)
    return dict(found)


def people_behind_each(policies: Sequence[Policy]) -> dict[int, dict[int, list[str]]]:
    """:func:`people_behind` of several, by policy id. 1 query for all that were never committed
    and that no people answered for, and those of :func:`people_behind` for each of the others."""
    committed = set(
        Change.objects.filter(
            kind=ChangeKind.COMMIT, sha256__in={one.sha256 for one in policies} - {""}
        ).values_list("sha256", flat=True)
    )
    return {
        one.pk: people_behind(one) if one.sha256 in committed else _behind_the_search(one)
        for one in policies
    }


def _behind_the_search(policy: Policy) -> dict[int, list[str]]:
    """Of a program that nobody committed: it has no ancestors but those of its search."""
    found: dict[int, list[str]] = defaultdict(list)
    for person, words in _behind_its_run(policy, "it"):
        if words not in found[person]:
            found[person].append(words)
    return dict(found)


def lineage_of(policy: Policy) -> list[Policy]:
    """The policy and what it was edited from, nearest first, across runs.

    What was committed as nobody's edit comes from the search that first wrote the very same
    program, if one did: pasting it is no way around saying where it is from.
    """
    chain, waiting, met = [], [policy], {policy.pk}
    while waiting and len(chain) < LONGEST_LINEAGE:
        one = waiting.pop(0)
        chain.append(one)
        for change in _commits_of(one):
            before = change.parent or _first_written(one)
            if before is not None and before.pk not in met:
                met.add(before.pk)
                waiting.append(before)
    return chain


def _first_written(policy: Policy) -> Policy | None:
    """Where a search first wrote this program. 1 query."""
    same = Policy.objects.filter(sha256=policy.sha256, candidate__isnull=False)
    found: Policy | None = (
        same.exclude(pk=policy.pk).select_related("run", "candidate__run").order_by("pk").first()
    )
    return found


def _commits_of(policy: Policy) -> list[Change]:
    """The changes that brought this program into this or any other population."""
    if not policy.sha256:
        return []
    same = Change.objects.filter(kind=ChangeKind.COMMIT, sha256=policy.sha256)
    return list(same.select_related("parent__run", "parent__candidate__run"))


def _behind_its_commits(policy: Policy, what: str) -> Iterable[tuple[int, str]]:
    for change in _commits_of(policy):
        verb = "imported" if change.origin == Origin.IMPORTED else "edited"
        where = "" if change.run_id == policy.run_id else f" into run {change.run_id}"
        yield change.author_id, f"{verb} {what}{where}"
        for person, did in _wrote_first(change):
            if person != change.author_id:
                yield person, f"{did} {what}"


def _wrote_first(change: Change) -> Iterable[tuple[int, str]]:
    """Whoever brought the program along, or first tried it, before it was committed. Who repeats
    another's trial wrote nothing. 2 queries at most."""
    brought = PendingImport.objects.filter(pk=change.provenance.get("import"))
    yield from ((person, "brought") for person in brought.values_list("person_id", flat=True))
    tried = Trial.objects.filter(
        run=change.run_id, sha256=change.sha256, created_at__lte=change.created_at
    ).exclude(policy__sha256=change.sha256)
    first = tried.order_by("pk").values_list("person_id", flat=True)[:1]
    yield from ((person, "first tried") for person in first)


def _behind_its_run(policy: Policy, what: str) -> Iterable[tuple[int, str]]:
    if policy.run.launched_by_id is not None:
        run = "its run" if what == "it" else "the run of an ancestor of it"
        yield policy.run.launched_by_id, f"launched {run}"
    if policy.candidate is not None:
        for person in _answered(policy.candidate):
            yield person, f"answered in the writer's place for {what}"


def _answered(candidate: Candidate) -> list[int]:
    """Who wrote the answers that the candidate was refined from, in its run or the one replayed."""
    run = _where_it_was_written(candidate.run)
    if run is None:
        return []
    sent = Answer.objects.filter(
        step__run=run,
        step__key__in=[f"{key}/write" for key in _grown_from(candidate)],
        sent_at__isnull=False,
    )
    return list(sent.order_by("sent_at").values_list("person_id", flat=True).distinct())


def _where_it_was_written(run: Run) -> Run | None:
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
