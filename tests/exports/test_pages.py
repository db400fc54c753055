"""Exports as people ask for them, watch, download and delete them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from csro_web import signing
from csro_web.accounts.models import Role, Team, User
from csro_web.approvals import decisions
from csro_web.audit.actions import Action
from csro_web.audit.models import AuditEvent
from csro_web.bundles.reading import read_bundle
from csro_web.exports.models import Export, ExportFile
from csro_web.jobs import work
from csro_web.policies.models import Policy
from csro_web.runs.catalogue import game_facts
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker

pytestmark = pytest.mark.django_db
Made = Callable[..., Export]
Approve = Callable[[Policy], None]


def client_of(role: str) -> Client:
    person, _ = User.objects.get_or_create(username=role, defaults={"role": role})
    client = Client()
    client.force_login(person)
    return client


def test_from_the_run_page_to_the_downloaded_file(
    run: Run, approve: Approve, worker: Worker
) -> None:
    operator = client_of(Role.OPERATOR)
    ask = reverse("run-export", args=[run.pk])
    assert ask in operator.get(reverse("run", args=[run.pk])).content.decode()
    nothing = operator.post(ask, {"what": "approved"})
    assert nothing.status_code == 422
    assert "is approved" in nothing.content.decode()
    approve(run.policies.get(index=0))
    page = operator.get(ask).content.decode()
    assert "What leaving the others out costs" in page
    assert f"{game_facts(run.game).unit}</th>"[1:] in page
    sent = operator.post(ask, {"what": "approved"})
    export = Export.objects.get()
    assert sent.url == reverse("export", args=[export.pk])  # type: ignore[attr-defined]
    waiting = operator.get(sent.url)  # type: ignore[attr-defined]
    assert reverse("job-live", args=[export.job_id]) in waiting.content.decode()
    assert operator.get(reverse("export-download", args=[export.pk])).status_code == 404
    assert work.perform(export.job_id, worker) is work.Outcome.SAVED  # type: ignore[arg-type]
    viewer = client_of(Role.VIEWER)
    got = viewer.get(reverse("export-download", args=[export.pk]))
    bundle = read_bundle(got.content, keys=[signing.public_key()])
    assert bundle.trusted
    assert got["Content-Disposition"].startswith("attachment; filename=")
    assert "sandbox" in got["Content-Security-Policy"]
    sha256 = hashlib.sha256(got.content).hexdigest()
    assert sha256 in viewer.get(reverse("export", args=[export.pk])).content.decode()
    event = AuditEvent.objects.get(action=Action.EXPORT_DOWNLOADED)
    assert event.actor_name == Role.VIEWER
    assert event.detail == {"sha256": sha256}
    listed = viewer.get(reverse("exports"), {"kind": "approved", "run": run.pk}).content.decode()
    assert sha256[:10] in listed
    assert sha256[:10] not in viewer.get(reverse("exports"), {"kind": "draft"}).content.decode()


def test_the_report_is_a_file_in_which_nothing_acts_in_our_origin(run: Run, made: Made) -> None:
    hostile = '<script>alert(1)</script>\u202e"onload=x'
    Policy.objects.filter(run=run, index=0).update(name=hostile)
    export = made(draft=True)
    got = client_of(Role.VIEWER).get(reverse("export-report", args=[export.pk]))
    assert got["Content-Disposition"].startswith("attachment")
    assert got["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    report = got.content.decode()
    assert "<script" not in report
    assert "\u202e" not in report
    assert "&lt;script&gt;alert(1)" in report
    page = client_of(Role.VIEWER).get(reverse("export", args=[export.pk])).content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_who_may_what(run: Run, made: Made) -> None:
    export = made(draft=True)
    assert client_of(Role.VIEWER).get(reverse("run-export", args=[run.pk])).status_code == 403
    assert client_of(Role.REVIEWER).get(reverse("export", args=[export.pk])).status_code == 200
    delete = reverse("export-delete", args=[export.pk])
    assert client_of(Role.OPERATOR).post(delete).status_code == 403
    assert client_of(Role.OPERATOR).get(delete).status_code in (403, 405)
    assert client_of(Role.VIEWER).get(reverse("public-key")).status_code == 200
    run.team = Team.objects.create(name="others")
    run.save()
    for name in ("export", "export-download", "export-report"):
        assert client_of(Role.REVIEWER).get(reverse(name, args=[export.pk])).status_code == 404
    listed = client_of(Role.REVIEWER).get(reverse("exports")).content.decode()
    assert "0 exports" in listed


def test_an_administrator_deletes_the_file_and_the_record_stays(run: Run, made: Made) -> None:
    export = made(draft=True)
    administrator = client_of(Role.ADMINISTRATOR)
    sha256 = export.file.sha256
    for _ in range(2):
        assert administrator.post(reverse("export-delete", args=[export.pk])).status_code == 302
    assert not ExportFile.objects.exists()
    event = AuditEvent.objects.get(action=Action.EXPORT_DELETED)
    assert event.detail == {"sha256": sha256}
    page = administrator.get(reverse("export", args=[export.pk])).content.decode()
    assert "File deleted" in page
    assert administrator.get(reverse("export-download", args=[export.pk])).status_code == 404


def test_wrong_input_is_answered_with_what_to_do(run: Run) -> None:
    operator = client_of(Role.OPERATOR)
    ask = reverse("run-export", args=[run.pk])
    assert operator.post(ask, {}).status_code == 422
    missing = operator.post(ask, {"what": "policy"})
    assert missing.status_code == 422
    assert "Choose the policy" in missing.content.decode()
    strange = operator.post(ask, {"what": "policy", "policy": "x\0"})
    assert strange.status_code == 422
    one = run.policies.get(index=1)
    refused = operator.post(ask, {"what": "policy", "policy": one.pk})
    assert "not approved" in refused.content.decode()
    assert (
        operator.post(ask, {"what": "policy", "policy": one.pk, "draft": "on"}).status_code == 302
    )
    for query in ("?page=x", "?run=abc", "?run=99999999999999999999", "?kind=%00"):
        assert operator.get(reverse("exports") + query).status_code == 200


def test_the_list_asks_few_questions_and_reads_no_file(
    run: Run, made: Made, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    export = made(draft=True)
    Export.objects.bulk_create(
        Export(run=run, kind="approved", draft=bool(n % 2), asked_by=export.asked_by)
        for n in range(120)
    )
    client = client_of(Role.VIEWER)
    client.get(reverse("exports"))
    with django_assert_max_num_queries(9) as seen:  # type: ignore[attr-defined]
        page = client.get(reverse("exports"))
    assert "121 exports" in page.content.decode()
    columns = [query["sql"].split("FROM")[0] for query in seen.captured_queries]
    assert not any('"exports_exportfile"."data"' in selected for selected in columns)


def test_an_export_whose_policy_was_rejected_since_says_so(
    run: Run, approve: Approve, approver: User, made: Made
) -> None:
    policy = run.policies.get(index=0)
    approve(policy)
    export = made()
    page = reverse("export", args=[export.pk])
    assert "Not approved any more" not in client_of(Role.VIEWER).get(page).content.decode()
    decisions.reject(policy=policy, person=approver, reason="It stalls.")
    shown = client_of(Role.VIEWER).get(page).content.decode()
    assert "Not approved any more" in shown
    assert policy.name in shown.split("Not approved any more")[1][:200]
