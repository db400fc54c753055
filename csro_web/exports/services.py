"""Asking for an export, keeping what was made, and deleting its file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.heads import signed_head
from csro_web.audit.trail import record
from csro_web.exports.choosing import ExportRefused, choose, require
from csro_web.exports.evaluations import EXPORTED
from csro_web.exports.models import Export, ExportFile, ExportKind
from csro_web.jobs.services import enqueue
from csro_web.policies.models import Policy
from csro_web.runs.models import Run

KIND = "export"
"""Of the job."""


def ask(*, run: Run, policy: Policy | None, draft: bool, person: User | None) -> Export:
    """A bundle of the run's approved policies, or of one policy; a worker makes it.

    Its time and the head of the audit trail are those of now: a worker that has to begin again
    makes the same bytes from the same state.

    Raises:
        ExportRefused: when there would be nothing in it; the message says what is missing.
        ImproperlyConfigured: when the installation's key cannot be read.
    """
    kind = ExportKind.APPROVED if policy is None else ExportKind.POLICY
    if policy is not None and policy.run_id != run.pk:
        raise ExportRefused(f"policy {policy.pk} is not in run {run.pk}")
    require(choose(run, kind=kind, policy=policy, draft=draft))
    head = signed_head()
    with transaction.atomic():
        export = Export.objects.create(
            run=run, policy=policy, kind=kind, draft=draft, asked_by=person
        )
        inputs = {
            "export": export.pk,
            "made_at": export.asked_at.isoformat(timespec="seconds"),
            "audit_head": head,
        }
        export.job = enqueue(KIND, inputs=inputs, asked_by=person, run=run)
        export.save(update_fields=["job"])
        detail = {"kind": kind, "draft": draft, "policy": policy.pk if policy else None}
        record(Action.EXPORT_ASKED, actor=person, subject=export, run_id=run.pk, detail=detail)
    return export


def keep(export: Export, *, name: str, data: bytes, summary: Mapping[str, Any]) -> None:
    """Keep the file that was made, inside the transaction that ends its job."""
    sha256 = hashlib.sha256(data).hexdigest()
    ExportFile.objects.create(export=export, data=data, sha256=sha256, size=len(data))
    if any(
        scores["subject"] != EXPORTED for scores in summary["scores"]
    ):  # a look at held-out ones
        Run.objects.filter(pk=export.run_id).update(held_out_looks=F("held_out_looks") + 1)
    export.name = name
    export.made_at = timezone.now()
    export.summary = dict(summary)
    export.save(update_fields=["name", "made_at", "summary"])
    detail = {"sha256": sha256, "size": len(data), "draft": export.draft}
    record(
        Action.EXPORT_MADE,
        actor=export.asked_by,
        subject=export,
        run_id=export.run_id,
        detail=detail,
    )


def note_download(export: Export, file: ExportFile, person: User) -> None:
    with transaction.atomic():
        record(
            Action.EXPORT_DOWNLOADED,
            actor=person,
            subject=export,
            run_id=export.run_id,
            detail={"sha256": file.sha256},
        )


def delete_file(export: Export, person: User) -> bool:
    """The file is gone, its record stays. False: there was none (any more)."""
    with transaction.atomic():
        file = ExportFile.objects.filter(export=export)
        hashes = list(file.values_list("sha256", flat=True))
        gone, _ = file.delete()
        if not gone:
            return False
        export.deleted_at, export.deleted_by = timezone.now(), person
        export.save(update_fields=["deleted_at", "deleted_by"])
        record(
            Action.EXPORT_DELETED,
            actor=person,
            subject=export,
            run_id=export.run_id,
            detail={"sha256": hashes[0]},
        )
    return True
