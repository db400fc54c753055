"""Which database, and how its connections behave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from csro_web.environment import make_directory

BUSY_SECONDS = 20
IDLE_IN_TRANSACTION_SECONDS = 30


def database(url: str, data_dir: Path) -> dict[str, Any]:
    """Django's settings of one database: PostgreSQL by address, else a file in ``data_dir``."""
    if not url:
        return sqlite(make_directory(data_dir) / "csro.sqlite3")
    try:
        found: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, KeyError) as error:
        raise ImproperlyConfigured(
            "DATABASE_URL is not an address such as postgresql://USER:PASSWORD@HOST:5432/NAME"
        ) from error
    if found["ENGINE"] == "django.db.backends.sqlite3":
        return sqlite(Path(found["NAME"]))
    if found["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must name PostgreSQL or SQLite")
    found["CONN_MAX_AGE"] = 60
    found["CONN_HEALTH_CHECKS"] = True
    # A worker that is frozen within a transaction must not hold a run's row for ever.
    server = f"-c idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_SECONDS}s"
    found["OPTIONS"] = {"connect_timeout": 5, "options": server, **found.get("OPTIONS", {})}
    return found


def sqlite(path: Path) -> dict[str, Any]:
    """WAL lets pages read while a worker writes; IMMEDIATE takes the write lock at BEGIN.

    With the default (deferred) a transaction that reads first and writes then fails at once with
    "database is locked" when another one wrote in between: the busy timeout does not apply there.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "timeout": BUSY_SECONDS,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
        # A file, as in use: threads of an in-memory database lock each other's tables.
        "TEST": {"NAME": str(path.with_name("test-" + path.name))},
    }
