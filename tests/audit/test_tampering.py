"""Two hundred tamperings by somebody who owns the database: every one is found."""

from __future__ import annotations

import json
import random
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction

from csro_web.accounts.models import User
from csro_web.audit import files, reading
from csro_web.audit.actions import Action
from csro_web.audit.chain import COLUMNS, row_hash
from csro_web.audit.heads import Head, HeadError, checked_head, signed_head
from csro_web.audit.models import AuditEvent
from csro_web.audit.selectors import TrailFilter
from csro_web.audit.services import export
from csro_web.audit.trail import record
from tests.audit import tampering
from tests.trail import without_guards

pytestmark = pytest.mark.django_db

SIZE = 12
BY_THE_CHAIN = 140
BY_A_HEAD = 60


@pytest.fixture
def signed(settings: Any, tmp_path: Path) -> Head:
    """A trail of some rows, of people and of the application, and its head, kept elsewhere."""
    settings.SIGNING_KEY_FILE = tmp_path / "key.pem"
    people = [User.objects.create_user(name) for name in ("first", "second")]
    for number in range(SIZE):
        with transaction.atomic():
            record(
                list(Action)[number],
                actor=people[number % 2] if number % 3 else None,
                subject=people[0],
                run_id=number or None,
                detail={"n": number, "words": "zero\u200bwidth"},
            )
    return checked_head(signed_head())


def tampered(kind: tampering.Tamper, seed: int, *heads: Head) -> tuple[bool, list[str]]:
    """Whether the trail still holds after a tampering, which is undone, and what is said."""
    with transaction.atomic():
        with without_guards():
            kind(random.Random(seed), SIZE)
        report = reading.verify(heads=heads)
        transaction.set_rollback(True)
    return report.holds, [finding.words for finding in report.findings]


def some(kinds: Any, count: int) -> list[tuple[str, int]]:
    """Each kind about equally often, with seeds of its own."""
    names = sorted(kinds)
    return [(names[number % len(names)], number) for number in range(count)]


def test_an_honest_trail_holds(signed: Head) -> None:
    report = reading.verify(heads=[signed])
    assert report.holds
    assert (report.rows, report.last.sequence, report.notes) == (SIZE, SIZE, ())


def test_what_the_chain_shows_is_found_without_a_head(signed: Head) -> None:
    missed = []
    for name, seed in some(tampering.SHOWN_BY_THE_CHAIN, BY_THE_CHAIN):
        holds, words = tampered(tampering.SHOWN_BY_THE_CHAIN[name], seed)
        if holds or not words:
            missed.append((name, seed))
    assert missed == []
    assert reading.verify(heads=[signed]).holds


def test_a_cut_or_rewritten_trail_is_found_with_a_signed_head_and_only_with_one(
    signed: Head,
) -> None:
    found: Counter[tuple[bool, bool]] = Counter()
    for name, seed in some(tampering.SHOWN_BY_A_HEAD_ALONE, BY_A_HEAD):
        kind = tampering.SHOWN_BY_A_HEAD_ALONE[name]
        found[tampered(kind, seed)[0], tampered(kind, seed, signed)[0]] += 1
    assert found == {(True, False): BY_A_HEAD}


def test_the_row_that_was_changed_is_named_and_no_other(signed: Head) -> None:
    for column in tampering.COLUMNS:
        if column in ("sequence", "hash", "previous_hash"):
            continue
        _, words = tampered(tampering.column_of(column), 5)
        place = random.Random(5).randint(1, SIZE)
        assert words == [f"row {place} was changed: its hash does not fit what it says"]


def test_missing_rows_are_named_by_their_numbers(signed: Head) -> None:
    def remove(rng: random.Random, size: int) -> None:
        tampering.raw().filter(sequence__in=[3, 4, 8])._raw_delete("default")

    assert tampered(remove, 0)[1] == ["rows 3 to 4 are missing", "row 8 is missing"]


def test_what_cannot_be_read_is_named_and_the_rest_is_checked(signed: Head) -> None:
    def spoil(rng: random.Random, size: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE audit_auditevent SET detail = '{no' WHERE sequence = 4")
            cursor.execute("UPDATE audit_auditevent SET action = 'x' WHERE sequence = 9")

    _, words = tampered(spoil, 0)
    assert words[0].startswith("row 4 cannot be read")
    assert words[1:] == ["row 9 was changed: its hash does not fit what it says"]


def test_a_clock_that_was_set_back_is_a_note_and_no_finding(signed: Head) -> None:
    past = AuditEvent.objects.first().at - timedelta(hours=1)
    with transaction.atomic(), patch("csro_web.audit.trail.timezone.now", return_value=past):
        record(Action.SIGNED_IN, actor=None, subject=None)
    report = reading.verify()
    assert report.holds
    assert [note.split(" (")[0] for note in report.notes] == [
        f"row {SIZE + 1} is dated before the row before it"
    ]


def test_findings_are_counted_beyond_those_that_are_named(signed: Head) -> None:
    for _ in range(30):
        with transaction.atomic():
            record(Action.SIGNED_IN, actor=None, subject=None)
    with without_guards():
        tampering.raw().update(action="x")
    report = reading.verify()
    assert (len(report.findings), report.found) == (20, SIZE + 30)


@pytest.mark.parametrize("seed", range(20))
def test_any_changed_byte_of_an_exported_file_is_found(
    seed: int, signed: Head, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    whole = "".join(export(TrailFilter(), actor=None)).encode()
    file = tmp_path / "trail.jsonl"
    file.write_bytes(whole)
    assert files.verify_file(file, heads=[signed], key=signed.public_key).holds
    place = rng.randrange(len(whole))
    changed = bytearray(whole)
    changed[place] = changed[place] ^ 1 or 1
    file.write_bytes(changed)
    assert said_of(file, heads=[signed], key=signed.public_key) != []


def said_of(file: Path, **known: Any) -> list[str]:
    """What is wrong with a file; empty when nothing is."""
    try:
        return [finding.words for finding in files.verify_file(file, **known).findings]
    except (files.FileError, HeadError) as error:
        return [str(error)]


@pytest.mark.parametrize("left_out", [0, 1, 5, -1, -2])
def test_a_line_that_is_missing_from_an_exported_file_is_found(
    left_out: int, signed: Head, tmp_path: Path
) -> None:
    lines = list(export(TrailFilter(), actor=None))
    del lines[left_out]
    file = tmp_path / "trail.jsonl"
    file.write_text("".join(lines))
    assert said_of(file) != []


def test_a_filtered_export_is_checked_row_by_row(signed: Head, tmp_path: Path) -> None:
    narrow = TrailFilter(person="first")
    lines = list(export(narrow, actor=None))
    file = tmp_path / "trail.jsonl"
    file.write_text("".join(lines))
    assert len(lines) > 3
    assert said_of(file, key=signed.public_key) == []
    rewritten = [json.loads(line) for line in lines]
    rewritten[2]["subject_name"] = "somebody else"
    rewritten[2]["hash"] = row_hash({name: rewritten[2][name] for name in COLUMNS})
    file.write_text("".join(json.dumps(line) + "\n" for line in rewritten))
    assert said_of(file) == [
        "its lines are not those that were signed: some were changed or removed"
    ]
