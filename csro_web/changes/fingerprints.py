"""Which program a text is: texts that differ in comments, docstrings and layout alone are the same.

Kept by the text's hash for everything that a search wrote or a person committed, tried or brought,
so that a changed comment in somebody else's hand hides no author.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import partial

from django.db.models import Model, QuerySet

from csro_web.changes.models import BroughtProgram, Change, Fingerprint, Trial
from csro_web.policies.models import Candidate, Policy
from oracles.fingerprint import GRAMMAR, fingerprint

ROWS_AT_ONCE = 200


def remember(sources: Mapping[str, str]) -> None:
    """Keep which programs these are (hash -> source), inside the transaction that saves them.

    At most 2 queries for :data:`ROWS_AT_ONCE` of them.
    """
    known = set(_known().filter(sha256__in=list(sources)).values_list("sha256", flat=True))
    rows = [
        Fingerprint(sha256=sha256, program=program_of(source), grammar=GRAMMAR)
        for sha256, source in sorted(sources.items())  # one order: nobody waits in a circle
        if sha256 and source and sha256 not in known
    ]
    Fingerprint.objects.bulk_create(
        rows,
        batch_size=ROWS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["sha256"],
        update_fields=["program", "grammar"],
    )


def program_of(source: str) -> str:
    """Empty for what is no program here: it is like its own text alone."""
    try:
        return fingerprint(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def texts_like(sha256: str) -> set[str]:
    """Hashes of all texts that are the same program as the one with this hash. 1 query."""
    return texts_like_each([sha256])[sha256]


def texts_like_each(hashes: Collection[str]) -> dict[str, set[str]]:
    """:func:`texts_like` of several; each is like itself. 1 query."""
    own = _known().filter(sha256__in=hashes).exclude(program="")
    alike: dict[str, set[str]] = defaultdict(set)
    programs: dict[str, str] = {}
    like = _known().filter(program__in=own.values("program"))
    for sha256, program in like.values_list("sha256", "program"):
        alike[program].add(sha256)
        programs[sha256] = program
    return {one: {one} | alike.get(programs.get(one, ""), set()) for one in hashes}


def catch_up() -> int:
    """Fingerprint what is stored and has none that this Python would find; how many texts.

    Runs after every migration: for rows that are older than the table, and after an upgrade of
    Python, whose grammar the fingerprints follow.
    """
    count = 0
    for lacking in (*(partial(_stored, model) for model in _KEEP_SOURCES), _brought):
        while batch := lacking():
            remember(batch)
            count += len(batch)
    return count


_KEEP_SOURCES: tuple[type[Model], ...] = (Policy, Candidate, Change, Trial)


def _stored(model: type[Model]) -> dict[str, str]:
    rows = model._default_manager.exclude(sha256="").exclude(source="")
    lacking = rows.exclude(sha256__in=_known().values("sha256")).order_by("pk")
    return dict(lacking.values_list("sha256", "source")[:ROWS_AT_ONCE])


def _brought() -> dict[str, str]:
    kept = BroughtProgram.objects.filter(pending__isnull=False)
    lacking = kept.exclude(sha256__in=_known().values("sha256"))
    return {
        one.sha256: item["text"]
        for one in lacking.select_related("pending").order_by("pk")[:ROWS_AT_ONCE]
        for item in one.pending.items
        if item["sha256"] == one.sha256
    }


def _known() -> QuerySet[Fingerprint]:
    return Fingerprint.objects.filter(grammar=GRAMMAR)
