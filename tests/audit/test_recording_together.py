"""Twenty threads that record at once: none waits for ever, no row is lost, the chain holds."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from csro_web.accounts.models import User
from csro_web.audit import leaving, reading
from csro_web.audit.actions import Action
from csro_web.audit.files import read_heads
from csro_web.audit.models import AuditEvent, ChainHead
from csro_web.audit.trail import record
from csro_web.runs import services
from csro_web.runs.models import Run, Step
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 20
EACH = 15


@pytest.fixture(autouse=True)
def _own_place(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "key.pem"
    settings.AUDIT_HEADS = tmp_path / "heads"


def in_threads(work: Any) -> list[Any]:
    """What each of the threads found; each ends its connection."""

    def one(number: int) -> Any:
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(THREADS)))


def test_no_row_is_lost_and_nobody_waits_for_ever() -> None:
    """Workers change steps and runs, people steer runs and lock themselves, all of them record."""
    run = builders.make_run()
    person = User.objects.create_user("person")
    steps = [
        Step.objects.create(run=run, key=f"s{n}", kind="play", label="", order=n).pk
        for n in range(THREADS)
    ]

    def work(number: int) -> int:
        rng = random.Random(number)
        for _ in range(EACH):
            with transaction.atomic():
                if rng.random() < 0.5:
                    Step.objects.filter(pk=steps[number]).update(attempts=F("attempts") + 1)
                    Run.objects.filter(pk=run.pk).update(change=F("change") + 1)
                else:
                    User.objects.select_for_update(no_key=True).get(pk=person.pk)
                record(Action.RUN_PAUSED, actor=person, subject=run, run_id=run.pk)
        return EACH

    began = time.monotonic()
    assert sum(in_threads(work)) == THREADS * EACH
    assert AuditEvent.objects.count() == THREADS * EACH
    assert ChainHead.objects.get().sequence == THREADS * EACH
    assert reading.verify().holds
    assert time.monotonic() - began < 60


def test_of_twenty_who_pause_a_run_at_once_one_did_and_one_is_recorded() -> None:
    run = builders.make_run()
    person = User.objects.create_user("person")

    def work(number: int) -> bool:
        try:
            services.pause_run(Run.objects.get(pk=run.pk), actor=person)
        except services.RunStateError:
            return False
        return True

    assert in_threads(work).count(True) == 1
    assert AuditEvent.objects.count() == 1


def test_reading_while_others_record_finds_nothing_wrong() -> None:
    run = builders.make_run()

    def work(number: int) -> list[str]:
        if number % 4:
            for _ in range(EACH):
                with transaction.atomic():
                    record(Action.RUN_PAUSED, actor=None, subject=run)
            return []
        report = reading.verify()
        return [finding.words for finding in report.findings]

    assert [found for found in in_threads(work) if found] == []


def test_a_head_that_leaves_while_others_record_is_a_row_of_the_trail() -> None:
    run = builders.make_run()

    def work(number: int) -> None:
        for _ in range(EACH):
            with transaction.atomic():
                record(Action.RUN_PAUSED, actor=None, subject=run)
            if number == 0:
                leaving.leave_if_due()

    in_threads(work)
    assert reading.verify(heads=read_heads(Path(settings.AUDIT_HEADS))).holds
