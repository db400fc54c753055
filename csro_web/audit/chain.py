"""What a row's hash covers. No database: an exported trail is checked with the same code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

START = "0" * 64
"""The hash before the first row."""

COLUMNS = (
    "sequence",
    "at",
    "actor",
    "actor_name",
    "action",
    "subject_type",
    "subject_id",
    "subject_name",
    "run",
    "detail",
    "previous_hash",
)
"""Every column of a row but its hash: what the hash covers, in the order of the table."""


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, without blanks, in ASCII: what is hashed and what is signed."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def row_hash(fields: Mapping[str, Any]) -> str:
    """SHA-256 of the fields named in :data:`COLUMNS`, as canonical JSON (64 hex digits)."""
    return hashlib.sha256(canonical(fields)).hexdigest()
