"""What people change in a search is no measurement of its method; revisions leave scores alone."""

from __future__ import annotations

import pytest
from django.test import Client

from csro_web.accounts.models import User
from csro_web.changes.models import Change, Outcome
from csro_web.runs import sets
from csro_web.runs.models import Run, RunSet, RunState
from csro_web.solving import measured
from oracles.config import RunConfig
from tests.web import builders

pytestmark = pytest.mark.django_db


def scored(**changes: object) -> Run:
    run = builders.populated_run(iterations=1, state="finished", **changes)  # type: ignore[arg-type]
    run.config = RunConfig.from_json(run.config).to_json()
    run.save()
    return run


def changed(run: Run, *, before: int | None, outcome: Outcome) -> None:
    author = User.objects.get_or_create(username="anna")[0]
    Change.objects.create(
        run=run, number=run.changes.count() + 1, kind="withdraw", author=author, reason="x",
        policy=run.policies.first(), before=before, outcome=outcome,
    )  # fmt: skip


def measured_runs() -> list[int]:
    found = measured.methods("rrps")
    return sorted(run.pk for row in found for one in row.measured for run in one.runs)


def test_only_changes_within_the_search_take_a_run_out_of_the_results() -> None:
    plain, refused, revised, mixed = (scored(seed=seed) for seed in range(4))
    changed(refused, before=2, outcome=Outcome.REFUSED)
    changed(refused, before=None, outcome=Outcome.DONE)
    changed(revised, before=None, outcome=Outcome.DONE)
    changed(mixed, before=1, outcome=Outcome.DONE)
    assert measured_runs() == [plain.pk, refused.pk, revised.pk]


def test_a_run_stays_among_the_results_while_it_is_revised() -> None:
    run = scored()
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    assert measured_runs() == [run.pk]
    Run.objects.filter(pk=run.pk).update(ended_at=None)
    assert measured_runs() == []


def test_a_set_counts_it_for_no_condition_and_says_so(viewer: Client) -> None:
    own = RunSet.objects.create(prepared="replicates", words="Three seeds")
    runs = [scored(seed=seed) for seed in range(3)]
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(set=own, condition="a")
    changed(runs[1], before=1, outcome=Outcome.JOINED)
    (condition,) = sets.report(
        own, runs[0].launched_by or User.objects.create_superuser("root")
    ).conditions
    assert condition.counted == 2
    assert viewer.get(f"/sets/{own.pk}").content.count(b"changed by people, not counted") == 1
