"""Emptying the audit trail between tests, which the database refuses in use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.backends.base.operations import BaseDatabaseOperations

from csro_web.audit import guards
from csro_web.audit.chain import START
from csro_web.audit.models import ChainHead


@contextmanager
def without_guards() -> Iterator[None]:
    """What only the owner of the database can do: the triggers are gone meanwhile."""
    connection.check_constraints()  # PostgreSQL alters no table with checks outstanding
    guards.drop(connection)
    try:
        yield
    finally:
        connection.check_constraints()
        guards.add(connection)


@contextmanager
def flush_empties_the_trail() -> Iterator[None]:
    """Tests with real transactions end with a flush; it begins a new trail, as a migration does."""
    flush = BaseDatabaseOperations.execute_sql_flush

    def flush_all(operations: BaseDatabaseOperations, sql_list: list[Any]) -> None:
        with transaction.atomic(), without_guards():
            flush(operations, sql_list)
            ChainHead.objects.create(sequence=0, hash=START)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseDatabaseOperations, "execute_sql_flush", flush_all)
        yield
