"""People of every role, as the tests of pages have them, and a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from csro_web.accounts.models import Role, User
from csro_web.runs.worker import Worker
from tests.web.conftest import _fast_passwords

__all__ = ["_fast_passwords"]


@pytest.fixture
def anna(db: None) -> User:
    return User.objects.create_user("anna", role=Role.REVIEWER)


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=1, announce=False)
    yield made
    made.close()
