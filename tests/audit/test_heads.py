"""Signed heads: made by the installation's key, and no other content or key passes for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.chain import START
from csro_web.audit.heads import HeadError, checked_head, signed_head
from csro_web.audit.trail import record

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "key.pem"


def test_the_head_of_an_empty_trail_is_its_start() -> None:
    head = checked_head(signed_head(), key=signing.public_key())
    assert (head.sequence, head.hash) == (0, START)


def test_a_head_names_the_newest_row_and_survives_json() -> None:
    someone = User.objects.create_user("someone")
    with transaction.atomic():
        event = record(Action.SIGNED_IN, actor=someone, subject=someone)
    head = checked_head(json.loads(json.dumps(signed_head())))
    assert (head.sequence, head.hash) == (1, event.hash)


@pytest.mark.parametrize("name", ["sequence", "hash", "at", "public_key", "signature", "more"])
def test_a_head_with_any_other_value_is_refused(name: str) -> None:
    head = signed_head()
    head[name] = {"sequence": 7, "public_key": "ab" * 32, "signature": "ab" * 64}.get(name, "x")
    with pytest.raises(HeadError, match="does not fit"):
        checked_head(head)


@pytest.mark.parametrize("name", ["kind", "sequence", "hash", "at", "public_key", "signature"])
def test_an_incomplete_head_is_refused(name: str) -> None:
    head = signed_head()
    del head[name]
    with pytest.raises(HeadError):
        checked_head(head)


def test_a_head_of_another_key_is_refused_by_name(settings: Any, tmp_path: Path) -> None:
    ours = signing.public_key()
    settings.SIGNING_KEY_FILE = tmp_path / "other.pem"
    with pytest.raises(HeadError, match=signing.fingerprint(ours)):
        checked_head(signed_head(), key=ours)


@pytest.mark.parametrize("data", [None, [], "x", {}, {"kind": "x"}])
def test_other_things_are_no_heads(data: object) -> None:
    with pytest.raises(HeadError):
        checked_head(data)
