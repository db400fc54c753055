"""The page of the trail: narrows, turns pages by sequence, shows inert text, says what holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.utils import timezone

from csro_web.accounts.models import Role, Team, User
from csro_web.audit import files, showing
from csro_web.audit.actions import Action
from csro_web.audit.heads import checked_head
from csro_web.audit.models import AuditEvent
from csro_web.audit.trail import record
from csro_web.jobs.models import Job
from csro_web.jobs.work import perform
from csro_web.leases.outcome import Outcome
from csro_web.runs import services
from csro_web.runs.worker import Worker
from tests.audit.tampering import raw
from tests.trail import without_guards
from tests.web import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "key.pem"


@pytest.fixture
def administrator(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.ADMINISTRATOR)


def add(count: int = 1, actor: User | None = None, **changes: Any) -> None:
    values: dict[str, Any] = {"subject": None, "action": Action.SIGNED_IN, **changes}
    for number in range(count):
        with transaction.atomic():
            record(
                values.pop("action", Action.SIGNED_IN),
                actor=actor,
                detail={"n": number},
                **{"subject": values["subject"], "run_id": values.get("run_id")},
            )


def rows_of(client: Client, query: str = "") -> list[int]:
    response = client.get(f"/audit{query}")
    assert response.status_code == 200
    return [row.sequence for row in response.context["page"].rows]


def test_every_row_is_on_exactly_one_page_forwards_and_backwards(administrator: Client) -> None:
    add(130)
    total = AuditEvent.objects.count()
    seen: list[int] = []
    address = "/audit"
    while address:
        page = administrator.get(address).context["page"]
        seen += [row.sequence for row in page.rows]
        address = f"/audit?before={page.older}" if page.older else ""
    assert seen == list(range(total, 0, -1))
    back: list[int] = []
    while page.newer:
        page = administrator.get(f"/audit?after={page.newer}").context["page"]
        back = [row.sequence for row in page.rows] + back
    assert back == list(range(total, seen[-1] + len(seen) % 50 - 1, -1))


def test_filters_narrow_together(administrator: Client) -> None:
    someone = User.objects.create_user("someone")
    run = builders.make_run()
    services.pause_run(run, actor=someone, reason="the <key> was refused")
    services.resume_run(run, actor=None)
    paused, resumed = AuditEvent.objects.order_by("-sequence")[:2][::-1]
    assert rows_of(administrator, "?person=someone") == [paused.sequence]
    assert rows_of(administrator, "?person=-&action=run.resumed") == [resumed.sequence]
    assert rows_of(administrator, f"?run={run.pk}") == [resumed.sequence, paused.sequence]
    assert rows_of(administrator, "?text=%3Ckey%3E+was") == [paused.sequence]
    assert rows_of(administrator, "?text=nothing+like+it") == []
    today, tomorrow = timezone.now().date(), timezone.now().date() + timedelta(days=1)
    assert paused.sequence in rows_of(administrator, f"?since={today}&until={today}")
    assert rows_of(administrator, f"?since={tomorrow}") == []
    assert rows_of(administrator, f"?until={today - timedelta(days=1)}") == []


@pytest.mark.parametrize(
    "query",
    [
        "?run=x&since=2026-99-99&until=&action=no.such",
        "?before=99999999999999999999&after=-1",
        "?person=%00&text=%00",
        "?since=0001-01-01&until=9999-12-31",
        "?text=%25_%5C&before=0",
    ],
)
def test_filters_that_cannot_be_break_no_page(query: str, administrator: Client) -> None:
    assert administrator.get(f"/audit{query}").status_code == 200


def test_hostile_names_are_shown_and_cannot_act(administrator: Client) -> None:
    mallory = User.objects.create_user("x<script>alert(1)</script>\u202e\x1b[2J")
    run = builders.make_run(name='"><img src=x onerror=alert(1)>\u200b')
    services.pause_run(run, actor=mallory, reason="</script><b>\u202egone")
    text = administrator.get("/audit").content.decode()
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert "<b>" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "U+202E" in text
    assert "U+200B" in text
    assert "&lt;script&gt;alert(1)" in text


def test_the_page_of_a_tampered_trail_says_so_and_still_opens(administrator: Client) -> None:
    add(3)
    assert "not as recorded" not in administrator.get("/audit").content.decode()
    with without_guards():
        raw().filter(sequence=2).update(action="person.added")
    text = administrator.get("/audit").content.decode()
    assert "not as recorded" in text
    assert "row 2 was changed" in text


def test_missing_guards_are_shown(administrator: Client) -> None:
    from django.db import connection

    from csro_web.audit import guards

    assert "missing or switched off" not in administrator.get("/audit").content.decode()
    guards.drop(connection)
    assert "missing or switched off" in administrator.get("/audit").content.decode()


def test_a_worker_checks_all_rows_and_the_page_shows_when_by_whom_and_what(
    administrator: Client,
) -> None:
    add(3)
    assert "never checked" in administrator.get("/audit").content.decode()
    assert administrator.post("/audit/verify").status_code == 302
    worker = Worker(engine_workers=1)
    try:
        assert perform(Job.objects.get().pk, worker) is Outcome.SAVED
    finally:
        worker.close()
    checked = AuditEvent.objects.order_by("-sequence")[0]
    assert (checked.action, checked.actor_name) == (Action.TRAIL_VERIFIED, "administrator")
    assert checked.detail["holds"] is True
    text = administrator.get("/audit").content.decode()
    assert "never checked" not in text
    assert f"up to row {checked.sequence - 1}" in text


def test_an_export_is_signed_whole_and_its_own_last_row(
    administrator: Client, tmp_path: Path
) -> None:
    add(4)
    response = administrator.post("/audit/export")
    assert response["Content-Type"] == "application/x-ndjson"
    file = tmp_path / "trail.jsonl"
    file.write_bytes(b"".join(response.streaming_content))
    report = files.verify_file(file)
    assert report.holds
    assert report.rows == AuditEvent.objects.count()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[-2]["action"] == Action.TRAIL_EXPORTED
    assert checked_head(lines[0]["head"]).hash == lines[-2]["hash"]


def test_a_filtered_export_holds_what_the_filter_leaves(administrator: Client) -> None:
    someone = User.objects.create_user("someone")
    add(2, actor=someone)
    response = administrator.post("/audit/export", {"person": "someone"})
    lines = [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]
    assert lines[0]["filters"] == {"person": "someone"}
    assert {line["actor_name"] for line in lines[1:-1]} == {"someone"}
    assert len(lines) == 4
    assert AuditEvent.objects.order_by("-sequence")[0].detail == {"filters": {"person": "someone"}}


def test_approvers_read_what_belongs_to_their_runs_and_what_they_did(
    as_role: Callable[[str], Client],
    tmp_path: Path,
) -> None:
    approver = as_role(Role.APPROVER)
    others = Team.objects.create(name="Others", slug="others")
    ours, theirs = builders.make_run(), builders.make_run()
    type(theirs).objects.filter(pk=theirs.pk).update(team=others)
    services.pause_run(ours)
    services.pause_run(theirs)
    add(1, actor=User.objects.create_user("someone"))
    response = approver.get("/audit")
    assert [row.fields["action"] for row in response.context["page"].rows] == [
        "run.paused",
        "account.signed_in",
    ]
    assert response.context["page"].rows[0].fields["run"] == ours.pk
    file = tmp_path / "trail.jsonl"
    file.write_bytes(b"".join(approver.post("/audit/export").streaming_content))
    assert files.verify_file(file).holds
    assert f'"run": {theirs.pk}' not in file.read_text()


def test_a_page_makes_few_queries(
    administrator: Client, django_assert_max_num_queries: Any
) -> None:
    add(60)
    with django_assert_max_num_queries(16):
        administrator.get("/audit?before=58&text=n")


@pytest.mark.parametrize("kind", showing.PAGES)
def test_a_subject_that_has_a_page_is_a_model_and_its_page_is_found(kind: str) -> None:
    assert apps.get_model(kind)
    assert showing._url(kind, "7").strip("/").split("/")[1] == "7"
