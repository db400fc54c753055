"""Finished jobs and forgotten imports go by age; what somebody may still ask for stays."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from csro_web.accounts.models import Role, User
from csro_web.approvals.models import Reevaluation
from csro_web.changes import imports, pruning
from csro_web.changes.archives import NotAccepted
from csro_web.changes.models import Change, PendingImport, Trial
from csro_web.exports.models import Export
from csro_web.jobs.models import Job, JobState
from csro_web.jobs.pruning import prune
from csro_web.runs import reconciler
from csro_web.runs.models import Run
from tests.web.builders import FIRST, add_policy, make_run

OTHER = FIRST + "\nOTHER = 1\n"


@pytest.fixture
def anna(db: None) -> User:
    return User.objects.create_user("anna", role=Role.OPERATOR)


@pytest.fixture
def run(anna: User) -> Run:
    found = make_run(state="finished")
    add_policy(found, FIRST, name="first")
    return found


def job(kind: str = "letter", *, state: str = JobState.DONE, days: float = 8, **fields: Any) -> Job:
    over = state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
    return Job.objects.create(
        kind=kind,
        state=state,
        result={} if state == JobState.DONE else None,
        created_at=timezone.now() - timedelta(days=days),
        ended_at=timezone.now() - timedelta(days=days) if over else None,
        **fields,
    )


def left() -> set[int]:
    return set(Job.objects.values_list("pk", flat=True))


def test_jobs_go_by_age_and_failures_later(anna: User) -> None:
    gone = [job(), job(state=JobState.CANCELLED), job(state=JobState.FAILED, days=31)]
    young = [job(days=6), job(state=JobState.FAILED, days=29), job(state=JobState.READY, days=99)]
    newest = job(days=400)
    assert prune() == len(gone)
    assert left() == {one.pk for one in (*young, newest)}


def test_the_newest_of_its_kind_stays_for_each_person_and_run(anna: User, run: Run) -> None:
    ben = User.objects.create_user("ben", role=Role.OPERATOR)
    kept = set()
    for kind in ("letter", "test"):
        for fields in ({}, {"asked_by": anna}, {"asked_by": ben}, {"asked_by": anna, "run": run}):
            job(kind, **fields)
            kept.add(job(kind, days=99, **fields).pk)
    assert prune() == 8
    assert left() == kept


def test_a_job_that_a_row_refers_to_is_never_removed(anna: User, run: Run) -> None:
    policy = run.policies.get(name="first")
    tried, again, exported, nobodys = (job(days=999) for _ in range(4))
    newest = job()
    about = {"policy": policy, "sha256": policy.sha256, "episodes": 2}
    Trial.objects.create(run=run, person=anna, source=FIRST, job=tried, **about)
    Reevaluation.objects.create(job=again, seed=1, signature="", public_key="", **about)
    Export.objects.create(run=run, kind="approved", draft=True, job=exported)
    assert prune() == 1
    assert left() == {tried.pk, again.pk, exported.pk, newest.pk}
    assert nobodys.pk not in left()


def brought(run: Run, person: User, *, days: float) -> PendingImport:
    pending = imports.paste(run=run, person=person, text=OTHER)
    PendingImport.objects.filter(pk=pending.pk).update(
        created_at=timezone.now() - timedelta(days=days)
    )
    pending.refresh_from_db()
    return pending


def test_an_import_of_which_nothing_was_committed_is_refused_and_then_removed(
    anna: User, run: Run
) -> None:
    young, late, old = (brought(run, anna, days=days) for days in (29, 30.5, 32))
    for pending in (late, old):
        with pytest.raises(NotAccepted, match="Bring the programs again"):
            imports.commit(pending=pending, person=anna, chosen={0: "x"}, reason="why")
    assert pruning.prune() == 1
    assert set(PendingImport.objects.all()) == {young, late}
    assert imports.commit(pending=young, person=anna, chosen={0: "x"}, reason="why") == 1


def test_an_import_that_tells_who_brought_a_program_is_never_removed(anna: User, run: Run) -> None:
    used = brought(run, anna, days=1)
    assert imports.commit(pending=used, person=anna, chosen={0: "x"}, reason="why") == 1
    PendingImport.objects.update(created_at=timezone.now() - timedelta(days=999))
    brought(run, anna, days=999)
    assert pruning.prune() == 1
    assert Change.objects.get().provenance["import"] == PendingImport.objects.get().pk
    assert pruning.kept_until(used) is None


def test_the_page_says_until_when_it_can_be_committed(client: Any, anna: User, run: Run) -> None:
    client.force_login(anna)
    pending = brought(run, anna, days=0)
    page = f"/imports/{pending.pk}"
    assert "to be committed before" in client.get(page).content.decode()
    imports.commit(pending=pending, person=anna, chosen={0: "x"}, reason="why")
    assert "to be committed before" not in client.get(page).content.decode()


@pytest.mark.django_db(transaction=True)
def test_the_reconciler_tidies_when_it_starts() -> None:
    old, newest = job(days=99), job()
    over = threading.Event()

    def work() -> None:
        try:
            reconciler.run(over)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    deadline = timezone.now() + timedelta(seconds=60)
    while old.pk in left() and timezone.now() < deadline:
        over.wait(0.05)
    over.set()
    thread.join()
    assert left() == {newest.pk}
