"""Tampering as the owner of the database could do it: random, repeatable, past every guard."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from django.db import models
from django.utils import timezone

from csro_web.audit.chain import START, row_hash
from csro_web.audit.models import AuditEvent, ChainHead
from csro_web.audit.trail import fields_of

COLUMNS = [field.name for field in AuditEvent._meta.concrete_fields]
Tamper = Callable[[random.Random, int], None]


def raw() -> models.QuerySet[Any]:
    """Rows past the manager that refuses."""
    return models.QuerySet(AuditEvent)


def column_of(column: str) -> Tamper:
    def change(rng: random.Random, size: int) -> None:
        event = raw().get(sequence=rng.randint(1, size))
        raw().filter(pk=event.pk).update(**{_attribute(column): _other(event, column, rng)})

    return change


def _attribute(column: str) -> str:
    return AuditEvent._meta.get_field(column).attname


def _other(event: AuditEvent, column: str, rng: random.Random) -> Any:
    """Another value that the column takes, subtle or gross."""
    value = getattr(event, _attribute(column))
    if column == "sequence":
        return 10_000 + rng.randrange(1000)
    if column == "at":
        return value + rng.choice([1, -1]) * timedelta(microseconds=rng.choice([1, 1_000_000]))
    if column == "actor":
        return None if value is not None else event_actor()
    if column == "run_id":
        return (value or 0) + 1
    if column == "detail":
        return {**value, rng.choice(["n", "new"]): rng.random()}
    flipped = list(value or "x")
    place = rng.randrange(len(flipped))
    flipped[place] = "b" if flipped[place] == "a" else "a"
    return "".join(flipped)


def event_actor() -> int:
    return raw().exclude(actor=None).values_list("actor_id", flat=True).first()


def delete(rng: random.Random, size: int) -> None:
    first = rng.randint(1, size)
    last = min(size, first + rng.choice([0, 0, 1, 5]))
    raw().filter(sequence__gte=first, sequence__lte=last)._raw_delete("default")


def swap(rng: random.Random, size: int) -> None:
    """Two rows change places, hashes and all."""
    a, b = rng.sample(range(1, size + 1), 2)
    raw().filter(pk=a).update(sequence=99_999)
    raw().filter(pk=b).update(sequence=a)
    raw().filter(pk=99_999).update(sequence=b)


def swap_what_was_done(rng: random.Random, size: int) -> None:
    """Two rows keep their places and hashes, and exchange everything else."""
    a, b = raw().filter(pk__in=rng.sample(range(1, size + 1), 2))
    names = [_attribute(name) for name in COLUMNS if name not in ("sequence", "hash")]
    for one, other in ((a, b), (b, a)):
        raw().filter(pk=one.pk).update(**{name: getattr(other, name) for name in names})


def duplicate(rng: random.Random, size: int) -> None:
    """A row once more at the end, linked and hashed as a row there should be."""
    event = raw().get(pk=rng.randint(1, size))
    _append(event, raw().get(pk=size))


def insert(rng: random.Random, size: int) -> None:
    """A row in the middle with a right hash; the ones behind move up, with their old hashes."""
    place = rng.randint(1, size)
    event = raw().get(pk=place)
    for later in raw().filter(pk__gte=place).order_by("-sequence"):
        raw().filter(pk=later.pk).update(sequence=later.pk + 1)
    before = raw().filter(pk=place - 1).first()
    event.sequence, event.action = place, "person.added"
    event.previous_hash = before.hash if before else START
    event.hash = row_hash(fields_of(event))
    event.save_base(force_insert=True)
    last = raw().order_by("-sequence").first()
    _set_head(last.sequence, last.hash)


def change_and_hash_anew(rng: random.Random, size: int) -> None:
    """One row and its hash, but not the rows behind it."""
    event = raw().get(pk=rng.randint(1, size))
    event.action = "run.cancelled" if event.action != "run.cancelled" else "run.paused"
    raw().filter(pk=event.pk).update(action=event.action, hash=row_hash(fields_of(event)))


def set_head(rng: random.Random, size: int) -> None:
    _set_head(size + rng.choice([-1, 1, 40]), "0" * 64)


def remove_head(rng: random.Random, size: int) -> None:
    ChainHead.objects.all()._raw_delete("default")


def _append(event: AuditEvent, last: AuditEvent) -> None:
    event.sequence, event.previous_hash = last.sequence + 1, last.hash
    event.hash = row_hash(fields_of(event))
    event.save_base(force_insert=True)


def _set_head(sequence: int, said: str) -> None:
    ChainHead.objects.filter(pk=1).update(sequence=sequence, hash=said)


def cut(rng: random.Random, size: int) -> None:
    """The last rows are gone, and the head says so too: perfect but for a signed head."""
    keep = rng.randrange(size)
    raw().filter(sequence__gt=keep)._raw_delete("default")
    last = raw().filter(pk=keep).first()
    _set_head(keep, last.hash if last else START)


def write_anew(rng: random.Random, size: int) -> None:
    """A row is changed and everything from there hashed again: perfect but for a signed head."""
    first = rng.randint(1, size)
    previous = raw().filter(pk=first - 1).values_list("hash", flat=True).first() or START
    for event in list(raw().filter(sequence__gte=first).order_by("sequence")):
        if event.sequence == first:
            event.detail = {**event.detail, "n": -1}
        event.previous_hash = previous
        previous = event.hash = row_hash(fields_of(event))
        raw().filter(pk=event.pk).update(
            detail=event.detail, previous_hash=event.previous_hash, hash=event.hash
        )
    _set_head(size, previous)


def cut_and_go_on(rng: random.Random, size: int) -> None:
    """The end is replaced by other rows, as many as there were."""
    cut(rng, size)
    last = raw().order_by("-sequence").first()
    sequence, previous = (last.sequence, last.hash) if last else (0, START)
    while sequence < size:
        event = AuditEvent(
            sequence=sequence + 1,
            at=last.at if last else timezone.now(),
            actor=None,
            action="run.paused",
            detail={"n": rng.random()},
            previous_hash=previous,
        )
        event.hash = previous = row_hash(fields_of(event))
        sequence += 1
        event.save_base(force_insert=True)
    _set_head(size, previous)


SHOWN_BY_THE_CHAIN: Mapping[str, Tamper] = {
    **{f"column {name}": column_of(name) for name in COLUMNS},
    "deleted": delete,
    "swapped": swap,
    "contents swapped": swap_what_was_done,
    "duplicated": duplicate,
    "inserted": insert,
    "changed and hashed": change_and_hash_anew,
    "head set": set_head,
    "head removed": remove_head,
}
SHOWN_BY_A_HEAD_ALONE: Mapping[str, Tamper] = {
    "end cut": cut,
    "written anew": write_anew,
    "end replaced": cut_and_go_on,
}
