"""Signed heads leave the database: hourly, when there is something new, and failures are shown."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from csro_web.audit import files, leaving, reading
from csro_web.audit.actions import Action
from csro_web.audit.models import HeadsLeft
from csro_web.audit.trail import record
from csro_web.runs import reconciler

pytestmark = pytest.mark.django_db


@pytest.fixture
def heads(settings: Any, tmp_path: Path) -> Path:
    settings.SIGNING_KEY_FILE = tmp_path / "key.pem"
    settings.AUDIT_HEADS = tmp_path / "elsewhere" / "heads"
    return settings.AUDIT_HEADS


def add() -> None:
    with transaction.atomic():
        record(Action.SIGNED_IN, actor=None, subject=None)


def an_hour_passes() -> None:
    HeadsLeft.objects.update(tried_at=timezone.now() - timedelta(minutes=61))


def test_nothing_leaves_before_anything_was_recorded(heads: Path) -> None:
    assert leaving.leave_if_due() is None
    assert not heads.exists()


def test_a_head_leaves_once_an_hour_and_only_with_something_new(heads: Path) -> None:
    add()
    first = leaving.leave_if_due()
    assert first is not None
    assert first.parent == heads
    add()
    assert leaving.leave_if_due() is None
    an_hour_passes()
    assert leaving.leave_if_due() is not None
    an_hour_passes()
    assert leaving.leave_if_due() is None
    assert [head.sequence for head in files.read_heads(heads)] == [1, 2]
    assert [path.name for path in heads.iterdir() if path.suffix != ".json"] == []


def test_what_left_is_a_head_that_the_trail_can_be_checked_against(heads: Path) -> None:
    add()
    file = leaving.leave_if_due()
    assert file is not None
    assert json.loads(file.read_text())["sequence"] == 1
    add()
    assert reading.verify(heads=files.read_heads(file)).holds


def test_a_failure_is_kept_for_the_page_logged_and_tried_again(
    heads: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add()
    heads.parent.write_text("a file where the directory should be")
    reconciler.reconcile()
    left = HeadsLeft.objects.get()
    assert left.left_at is None
    assert left.failure == "Not a directory"
    assert "cannot be written" in caplog.text
    heads.parent.unlink()
    reconciler.reconcile()
    assert not heads.exists()
    an_hour_passes()
    reconciler.reconcile()
    left.refresh_from_db()
    assert (left.failure, left.sequence) == ("", 1)
    assert len(files.read_heads(heads)) == 1
