"""Which policies a person had a part in: :func:`people_behind` asked from the other side.

A few queries name everything that the person could have a part in; people_behind then decides, so
that lists and conditions never differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from csro_web.accounts.models import User
from csro_web.answers.models import Answer
from csro_web.changes.fingerprints import texts_like_each
from csro_web.changes.handwriting import BY_HAND
from csro_web.changes.models import (
    BroughtProgram,
    Change,
    ChangeKind,
    Fingerprint,
    PendingImport,
    Trial,
)
from csro_web.changes.people import people_behind_each
from csro_web.policies.models import Candidate, Policy
from csro_web.runs.models import Run
from oracles.config import WriterName

MOST_DECIDED = 300
"""Policies that are looked at one by one; beyond it, all that the person could have a part in count
as theirs."""


def without_part(policies: QuerySet[Policy], person: User) -> QuerySet[Policy]:
    """Those of ``policies`` that ``person`` may judge as somebody else's."""
    others = policies.exclude(run__launched_by=person)
    related = others.filter(sha256__in=_may_have_touched(person))
    close = list(related.select_related("run", "candidate__run")[: MOST_DECIDED + 1])
    if len(close) > MOST_DECIDED:
        return others.exclude(sha256__in=_may_have_touched(person))
    found = people_behind_each(close)
    return others.exclude(pk__in=[pk for pk, people in found.items() if person.pk in people])


def _may_have_touched(person: User) -> set[str]:
    """Hashes of all that the person wrote, brought, tried or answered with, or that came out of a
    run of theirs and was committed, and of everything that was edited from it."""
    touched: set[str] = set()
    newest = _alike(_first_hand(person))
    while newest := newest - touched:
        touched |= newest
        edits = Change.objects.filter(kind=ChangeKind.COMMIT, parent__sha256__in=newest)
        newest = _alike(edits.values_list("sha256", flat=True))
    return touched - {""}


def _alike(hashes: Iterable[str]) -> set[str]:
    return set().union(*texts_like_each(set(hashes) - {""}).values())


def _first_hand(person: User) -> set[str]:
    commits = Change.objects.filter(kind=ChangeKind.COMMIT)
    imports = PendingImport.objects.filter(person=person)
    runs = Run.objects.filter(launched_by=person)
    answered = _runs_answered(person)
    written = Policy.objects.filter(run__writer__in=BY_HAND, candidate__isnull=False)
    rows: list[QuerySet[Any]] = [
        commits.filter(author=person),
        commits.filter(parent__run__in=runs),
        commits.filter(provenance__import__in=list(imports.values_list("pk", flat=True))),
        BroughtProgram.objects.filter(person=person),
        Trial.objects.filter(person=person),
        Candidate.objects.filter(run__in=answered),
        commits.filter(_came_out_of(runs)),
        written.filter(_came_out_of(runs)),
    ]
    return {sha256 for found in rows for sha256 in found.values_list("sha256", flat=True)}


def _came_out_of(runs: QuerySet[Run]) -> Q:
    """Programs that are those of policies or candidates of these runs."""
    programs = Fingerprint.objects.exclude(program="")
    told = Q()
    for model in (Policy, Candidate):
        same = programs.filter(sha256__in=model.objects.filter(run__in=runs).values("sha256"))
        alike = Fingerprint.objects.filter(program__in=same.values("program"))
        told |= Q(sha256__in=alike.values("sha256"))
    return told


def _runs_answered(person: User) -> list[int]:
    """Runs in which the person answered for a writer, and all that replay some recording."""
    sent = Answer.objects.filter(person=person, sent_at__isnull=False)
    own = list(sent.values_list("step__run_id", flat=True).distinct())
    replays = (
        Run.objects.filter(writer=WriterName.REPLAY).values_list("pk", flat=True) if own else ()
    )
    return [*own, *replays]
