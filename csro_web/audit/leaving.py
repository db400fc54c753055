"""Signed heads leave the database: into a directory, once an hour, when there is something new.

``CSRO_AUDIT_HEADS`` names one that the database's owner cannot change, such as a volume that is
written once. From there on what was recorded can be checked against what was signed.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from csro_web.audit.heads import signed_head
from csro_web.audit.models import ChainHead, HeadsLeft

logger = logging.getLogger(__name__)

EVERY = timedelta(hours=1)


def leave_if_due() -> Path | None:
    """Write the head if the last attempt was an hour ago and rows were added since; the file.

    A directory that takes nothing is logged and shown on the page of the trail. Nothing is raised:
    the reconciler has other work.
    """
    now = timezone.now()
    left = HeadsLeft.objects.filter(pk=1).first() or HeadsLeft()
    if left.tried_at is not None and left.tried_at > now - EVERY:
        return None
    if ChainHead.objects.filter(pk=1, sequence__lte=left.sequence).exists():
        return None
    return leave(now)


def leave(now: datetime) -> Path | None:
    """Write the head now; the file, or None when that failed."""
    directory = Path(settings.AUDIT_HEADS)
    try:
        head = signed_head()
        file = directory / f"{head['sequence']:012d}-{now:%Y%m%dT%H%M%SZ}.json"
        _write_once(file, json.dumps(head, indent=2) + "\n")
    except (OSError, ImproperlyConfigured, ChainHead.DoesNotExist) as error:
        words = getattr(error, "strerror", None) or str(error)
        logger.error("the head of the audit trail cannot be written to %s: %s", directory, words)
        _note(tried_at=now, failure=words[:300], directory=str(directory))
        return None
    logger.info("the head of the audit trail was written to %s", file)
    _note(
        tried_at=now,
        left_at=now,
        sequence=head["sequence"],
        directory=str(directory),
        failure="",
    )
    return file


def _note(**columns: object) -> None:
    HeadsLeft.objects.update_or_create(pk=1, defaults=columns)


def _write_once(file: Path, text: str) -> None:
    """Complete from its first moment. Its name holds the time, so none takes another's place."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".head-", dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(text)
            opened.flush()
            os.fsync(opened.fileno())
        os.chmod(temporary, 0o444)
        os.rename(temporary, file)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
