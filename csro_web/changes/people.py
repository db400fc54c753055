"""Who stands behind a policy: whoever launched, wrote, edited or brought it, or what it grew from.

An approval is worth something only when it comes from somebody else. A program is known again by
its fingerprint (:mod:`csro_web.changes.fingerprints`): another comment or layout changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Min

from csro_web.changes.fingerprints import texts_like, texts_like_each
from csro_web.changes.handwriting import BY_HAND, answered, is_by_hand
from csro_web.changes.models import BroughtProgram, Change, ChangeKind, PendingImport, Trial
from csro_web.policies.models import Candidate, Origin, Policy

LONGEST_LINEAGE = 1_000
"""Ancestors that are followed; edits of edits are few, so nobody comes near it."""


@dataclass(frozen=True)
class Ancestor:
    """A policy of a lineage: the ``texts`` (hashes) that are its program, and their commits."""

    policy: Policy
    texts: frozenset[str]
    commits: tuple[Change, ...]

    @property
    def is_by_people(self) -> bool:
        """Whether people committed its program, or it was answered in a writer's place."""
        return bool(self.commits) or is_by_hand(self.policy)


def people_behind(policy: Policy) -> dict[int, list[str]]:
    """User id -> in which ways the person had a hand in ``policy``, in words.

    Followed are the chain of edits, across runs, with the programs that a writer refined on the
    way. Opponents that a writer was shown are no ancestors. Who committed the same program
    anywhere counts too, and so does whoever answered with it, brought it or tried it before it was
    known: neither an import, nor another's hand, nor a changed comment hides an author.
    """
    found: dict[int, list[str]] = defaultdict(list)
    told: set[str] = set()
    for ancestor in _ancestors(policy):
        what = "it" if ancestor.policy.pk == policy.pk else "an ancestor of it"
        behind = list(_behind_its_run(ancestor.policy, what))
        if not told & ancestor.texts:  # who wrote a program is the same wherever it is
            behind = [*_behind_its_text(ancestor, what), *behind]
        told |= ancestor.texts
        for person, words in behind:
            if words not in found[person]:
                found[person].append(words)
    return dict(found)


def people_behind_each(
    policies: Sequence[Policy], alike: Mapping[str, set[str]] | None = None
) -> dict[int, dict[int, list[str]]]:
    """:func:`people_behind` of several, by policy id. 2 queries for all that no people wrote, and
    those of :func:`people_behind` for each of the others. ``alike``: what :func:`programs_of` gives
    for them, where it is known already."""
    alike = programs_of(policies) if alike is None else alike
    every = set().union(*alike.values())
    commits = Change.objects.filter(kind=ChangeKind.COMMIT, sha256__in=every)
    committed = set(commits.values_list("sha256", flat=True))
    return {
        one.pk: people_behind(one)
        if is_by_hand(one) or alike.get(one.sha256, set()) & committed
        else _behind_the_search(one)
        for one in policies
    }


def programs_of(policies: Sequence[Policy]) -> dict[str, set[str]]:
    """By hash of a policy's text: all texts that are the same program. 1 query."""
    return texts_like_each({one.sha256 for one in policies} - {""})


def _behind_the_search(policy: Policy) -> dict[int, list[str]]:
    """Of a program that no people wrote: it has no ancestors but those of its search."""
    found: dict[int, list[str]] = defaultdict(list)
    for person, words in _behind_its_run(policy, "it"):
        found[person].append(words)
    return dict(found)


def lineage_of(policy: Policy) -> list[Policy]:
    """The policy and what it was edited from, nearest first, across runs.

    What people committed or answered with comes also from the search that first wrote the same
    program, if one did: pasting it, or saying that it is an edit of something else, is no way
    around saying where it is from.
    """
    return [ancestor.policy for ancestor in _ancestors(policy)]


def _ancestors(policy: Policy) -> list[Ancestor]:
    chain, waiting, met = [], [policy], {policy.pk}
    while waiting and len(chain) < LONGEST_LINEAGE:
        one = _ancestor(waiting.pop(0))
        chain.append(one)
        before = [change.parent for change in one.commits]
        if one.is_by_people:
            before.append(_first_written(one))
        for policy_before in before:
            if policy_before is not None and policy_before.pk not in met:
                met.add(policy_before.pk)
                waiting.append(policy_before)
    return chain


def _ancestor(policy: Policy) -> Ancestor:
    """2 queries; the commits are those into this and any other population."""
    if not policy.sha256:
        return Ancestor(policy, frozenset(), ())
    texts = texts_like(policy.sha256)
    commits = Change.objects.filter(kind=ChangeKind.COMMIT, sha256__in=texts)
    related = commits.select_related("parent__run", "parent__candidate__run")
    return Ancestor(policy, frozenset(texts), tuple(related))


def _first_written(one: Ancestor) -> Policy | None:
    """Where a search first wrote this program. 1 query."""
    same = Policy.objects.filter(sha256__in=one.texts, candidate__isnull=False)
    found: Policy | None = (
        same.exclude(pk=one.policy.pk)
        .select_related("run", "candidate__run")
        .order_by("pk")
        .first()
    )
    return found


def _behind_its_text(one: Ancestor, what: str) -> Iterable[tuple[int, str]]:
    if not one.is_by_people:
        return
    for change in one.commits:
        verb = "imported" if change.origin == Origin.IMPORTED else "edited"
        where = "" if change.run_id == one.policy.run_id else f" into run {change.run_id}"
        yield change.author_id, f"{verb} {what}{where}"
    authors = {change.author_id for change in one.commits}
    for person, did in _wrote_first(one):
        if person not in authors:
            yield person, f"{did} {what}"
    yield from _proposed(one, what)


def _wrote_first(one: Ancestor) -> Iterable[tuple[int, str]]:
    """Whoever brought the program along, or first brought or tried it before any population had
    it. Who repeats another's trial wrote nothing. 4 queries at most."""
    named = [key for change in one.commits if (key := change.provenance.get("import"))]
    brought = set(PendingImport.objects.filter(pk__in=named).values_list("person_id", flat=True))
    known_since = _known_since(one)
    pasted = BroughtProgram.objects.filter(sha256__in=one.texts, created_at__lte=known_since)
    brought.update(pasted.order_by("created_at", "pk").values_list("person_id", flat=True)[:1])
    yield from ((person, "brought") for person in sorted(brought))
    tried = Trial.objects.filter(sha256__in=one.texts, created_at__lte=known_since)
    edits = tried.exclude(policy__sha256__in=one.texts)
    first = edits.order_by("pk").values_list("person_id", flat=True)[:1]
    yield from ((person, "first tried") for person in first)


def _known_since(one: Ancestor) -> datetime:
    """When the program was first committed, or joined a population by a search."""
    joined = Policy.objects.filter(sha256__in=one.texts).aggregate(at=Min("created_at"))["at"]
    return min([joined or one.policy.created_at, *(change.created_at for change in one.commits)])


def _proposed(one: Ancestor, what: str) -> Iterable[tuple[int, str]]:
    """Who launched the search that wrote the program, or answered with it, where it never joined a
    population: those that joined are ancestors. 1 query, and a few for each answered by hand."""
    tried = Candidate.objects.filter(sha256__in=one.texts, policies__isnull=True)
    candidates = list(tried.select_related("run").order_by("pk"))
    if candidates and candidates[0].run.launched_by_id is not None:
        yield candidates[0].run.launched_by_id, f"launched the run that first wrote {what}"
    for candidate in candidates:
        if candidate.run.writer in BY_HAND:
            for person in answered(candidate):
                yield person, f"answered in the writer's place for {what}"


def _behind_its_run(policy: Policy, what: str) -> Iterable[tuple[int, str]]:
    if policy.run.launched_by_id is not None:
        run = "its run" if what == "it" else "the run of an ancestor of it"
        yield policy.run.launched_by_id, f"launched {run}"
    if policy.candidate is not None:
        for person in answered(policy.candidate):
            yield person, f"answered in the writer's place for {what}"
