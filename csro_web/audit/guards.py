"""Triggers with which the database itself refuses to change the trail, whoever asks.

They stop mistakes, injected SQL and the application; not the owner of the database, who can drop
them. What the owner does shows in the chain and in heads that were kept elsewhere.

SQLite drops the triggers of a table that a migration rebuilds, and refuses to rebuild one that a
trigger names: such a migration drops them first (:func:`drop`) and adds them again (:func:`add`).
"""

from __future__ import annotations

from django.db.backends.base.base import BaseDatabaseWrapper

EVENTS = "audit_auditevent"
HEAD = "audit_chainhead"

_SQLITE = {
    "audit_event_update": """BEFORE UPDATE ON audit_auditevent
        BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: UPDATE is refused'); END""",
    "audit_event_delete": """BEFORE DELETE ON audit_auditevent
        BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: DELETE is refused'); END""",
    # INSERT OR REPLACE removes what is in its way without asking the trigger above.
    "audit_event_replace": """BEFORE INSERT ON audit_auditevent
        WHEN EXISTS
            (SELECT 1 FROM audit_auditevent WHERE sequence = NEW.sequence OR hash = NEW.hash)
        BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: REPLACE is refused'); END""",
    "audit_head_delete": """BEFORE DELETE ON audit_chainhead
        BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: DELETE is refused'); END""",
    "audit_head_replace": """BEFORE INSERT ON audit_chainhead
        WHEN EXISTS (SELECT 1 FROM audit_chainhead)
        BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only: REPLACE is refused'); END""",
    "audit_head_update": """BEFORE UPDATE ON audit_chainhead
        WHEN NEW.sequence <= OLD.sequence OR NEW.id <> OLD.id OR NOT EXISTS
            (SELECT 1 FROM audit_auditevent WHERE sequence = NEW.sequence AND hash = NEW.hash)
        BEGIN SELECT RAISE(ABORT, 'the head of the audit trail moves forward to a row'); END""",
}
"""Trigger -> what follows CREATE TRIGGER and its name."""

_POSTGRESQL_FUNCTIONS = {
    "audit_refuse": """
        RAISE EXCEPTION 'the audit trail is append-only: % is refused', TG_OP
            USING ERRCODE = 'restrict_violation';""",
    "audit_forward": """
        IF NEW.sequence <= OLD.sequence OR NEW.id <> OLD.id OR NOT EXISTS
            (SELECT 1 FROM audit_auditevent WHERE sequence = NEW.sequence AND hash = NEW.hash)
        THEN RAISE EXCEPTION 'the head of the audit trail moves forward to a row'
            USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;""",
}
_POSTGRESQL = {
    "audit_event_change": (EVENTS, "BEFORE UPDATE OR DELETE ON {} FOR EACH ROW", "audit_refuse"),
    "audit_event_truncate": (EVENTS, "BEFORE TRUNCATE ON {} FOR EACH STATEMENT", "audit_refuse"),
    "audit_head_delete": (HEAD, "BEFORE DELETE ON {} FOR EACH ROW", "audit_refuse"),
    "audit_head_truncate": (HEAD, "BEFORE TRUNCATE ON {} FOR EACH STATEMENT", "audit_refuse"),
    "audit_head_update": (HEAD, "BEFORE UPDATE ON {} FOR EACH ROW", "audit_forward"),
}


def add(connection: BaseDatabaseWrapper) -> None:
    """From here on the database refuses: UPDATE, DELETE and TRUNCATE of rows, and a head that
    goes back or names no row. A refusal is an ``IntegrityError``."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name, rule in _SQLITE.items():
                cursor.execute(f"CREATE TRIGGER {name} {rule}")
            return
        for name, body in _POSTGRESQL_FUNCTIONS.items():
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql "
                f"AS $$ BEGIN {body} END $$"
            )
        for name, (table, when, function) in _POSTGRESQL.items():
            cursor.execute(
                f"CREATE TRIGGER {name} {when.format(table)} EXECUTE FUNCTION {function}()"
            )
            # Also on connections that replay changes, where ordinary triggers are silent.
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")


def drop(connection: BaseDatabaseWrapper) -> None:
    """For migrations that rebuild the tables; nothing else in the application calls this."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name in _SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            return
        for name, (table, _, _) in _POSTGRESQL.items():
            cursor.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}")


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """The triggers that should be there and are not, or are switched off."""
    if connection.vendor == "sqlite":
        wanted, query = set(_SQLITE), "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    else:
        wanted, query = set(_POSTGRESQL), "SELECT tgname FROM pg_trigger WHERE tgenabled = 'A'"
    with connection.cursor() as cursor:
        cursor.execute(query)
        found = {name for (name,) in cursor.fetchall()}
    return sorted(wanted - found)
