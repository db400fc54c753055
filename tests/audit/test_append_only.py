"""Nothing but recording changes the trail: not the application, and not the database's users."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction

from csro_web.accounts.models import User
from csro_web.audit import guards
from csro_web.audit.actions import Action
from csro_web.audit.chain import START, row_hash
from csro_web.audit.models import AuditEvent, ChainHead, TrailIsAppendOnly
from csro_web.audit.trail import NotInTransaction, fields_of, record

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_events() -> list[AuditEvent]:
    someone = User.objects.create_user("someone")
    with transaction.atomic():
        return [
            record(Action.SIGNED_IN, actor=someone, subject=someone, detail={"n": number})
            for number in (1, 2)
        ]


def test_rows_are_numbered_without_gaps_and_bound_to_the_row_before(
    two_events: list[AuditEvent],
) -> None:
    first, second = AuditEvent.objects.order_by("sequence")
    assert (first.sequence, first.previous_hash) == (1, START)
    assert (second.sequence, second.previous_hash) == (2, first.hash)
    assert second.hash == row_hash(fields_of(second))
    head = ChainHead.objects.get()
    assert (head.sequence, head.hash) == (2, second.hash)


@pytest.mark.django_db(transaction=True)
def test_recording_outside_a_transaction_is_refused() -> None:
    someone = User.objects.create_user("someone")
    with pytest.raises(NotInTransaction, match=r"account\.signed_in"):
        record(Action.SIGNED_IN, actor=someone, subject=someone)


@pytest.mark.django_db(transaction=True)
def test_what_is_undone_leaves_no_row() -> None:
    someone = User.objects.create_user("someone")
    with transaction.atomic():
        record(Action.SIGNED_IN, actor=someone, subject=someone)
        transaction.set_rollback(True)
    assert not AuditEvent.objects.exists()
    assert ChainHead.objects.get().sequence == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("again", [1, 2])
def test_a_flush_between_tests_begins_a_new_trail(again: int) -> None:
    someone = User.objects.create_user("someone")
    with transaction.atomic():
        assert record(Action.SIGNED_IN, actor=someone, subject=someone).sequence == 1
    assert guards.missing(connection) == []


WRITES: dict[str, Callable[[AuditEvent], object]] = {
    "save": lambda event: event.save(),
    "delete": lambda event: event.delete(),
    "create": lambda event: AuditEvent.objects.create(sequence=3, hash="x"),
    "get_or_create": lambda event: AuditEvent.objects.get_or_create(sequence=3),
    "update_or_create": lambda event: AuditEvent.objects.update_or_create(sequence=1),
    "bulk_create": lambda event: AuditEvent.objects.bulk_create([event]),
    "bulk_update": lambda event: AuditEvent.objects.bulk_update([event], ["action"]),
    "update": lambda event: AuditEvent.objects.filter(sequence=1).update(action="x"),
    "delete all": lambda event: AuditEvent.objects.all().delete(),
    "of a person": lambda event: event.actor.auditevent_set.update(action="x"),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_the_application_refuses_every_way_to_write(
    write: Callable[[AuditEvent], object], two_events: list[AuditEvent]
) -> None:
    with pytest.raises(TrailIsAppendOnly):
        write(two_events[0])


STATEMENTS = {
    "update": "UPDATE audit_auditevent SET action = 'x' WHERE sequence = 1",
    "delete": "DELETE FROM audit_auditevent WHERE sequence = 2",
    "delete all": "DELETE FROM audit_auditevent",
    "head back": "UPDATE audit_chainhead SET sequence = 1",
    "head to no row": "UPDATE audit_chainhead SET sequence = 3",
    "head's hash": "UPDATE audit_chainhead SET hash = 'x'",
    "no head": "DELETE FROM audit_chainhead",
}
SQLITE_ONLY = {
    "replace": "INSERT OR REPLACE INTO audit_auditevent SELECT * FROM audit_auditevent",
    "replace head": "INSERT OR REPLACE INTO audit_chainhead VALUES (1, 0, 'x')",
}
POSTGRESQL_ONLY = {
    "truncate": "TRUNCATE audit_auditevent",
    "truncate head": "TRUNCATE audit_chainhead",
    "truncate people": "TRUNCATE accounts_user CASCADE",
}


def refuses(statement: str) -> None:
    with (
        pytest.raises(IntegrityError, match="audit trail"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert AuditEvent.objects.count() == 2


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_the_database_refuses_to_change_what_was_recorded(
    statement: str, two_events: list[AuditEvent]
) -> None:
    refuses(statement)


def test_the_database_refuses_its_own_ways_around_a_deletion(two_events: list[AuditEvent]) -> None:
    connection.check_constraints()  # PostgreSQL truncates no table with checks outstanding
    own = SQLITE_ONLY if connection.vendor == "sqlite" else POSTGRESQL_ONLY
    for statement in own.values():
        refuses(statement)


def test_all_guards_stand_after_the_migrations() -> None:
    assert guards.missing(connection) == []


def test_a_missing_guard_is_named() -> None:
    with connection.cursor() as cursor:
        table = "" if connection.vendor == "sqlite" else " ON audit_chainhead"
        cursor.execute(f"DROP TRIGGER audit_head_delete{table}")
    assert guards.missing(connection) == ["audit_head_delete"]
