"""``./csro manage verify_audit`` and ``export_audit``: what they find, and how they end."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from csro_web import signing
from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.heads import signed_head
from csro_web.audit.models import AuditEvent
from csro_web.audit.trail import record
from tests.audit import tampering
from tests.trail import without_guards

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _trail(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = tmp_path / "key.pem"
    someone = User.objects.create_user("someone")
    for _ in range(5):
        with transaction.atomic():
            record(Action.SIGNED_IN, actor=someone, subject=someone)


@pytest.fixture
def head(tmp_path: Path) -> Path:
    file = tmp_path / "head.json"
    file.write_text(json.dumps(signed_head()))
    return file


def verify(*arguments: object) -> int:
    """The exit code."""
    try:
        call_command("verify_audit", *map(str, arguments))
    except SystemExit as ended:
        return int(str(ended.code))
    except CommandError as error:
        return error.returncode
    return 0


def test_a_good_trail_ends_with_0_and_says_what_it_cannot_know(capsys: Any) -> None:
    assert verify() == 0
    said = capsys.readouterr()
    assert said.out.startswith("the trail holds: 5 rows")
    assert "without a signed head this cannot know" in said.err


def test_a_check_is_recorded_unless_asked_not_to() -> None:
    verify("--no-record")
    assert AuditEvent.objects.count() == 5
    verify()
    event = AuditEvent.objects.first()
    assert (event.action, event.actor, event.detail["from"]) == ("audit.verified", None, "terminal")


def test_a_tampered_trail_ends_with_1_and_a_line_for_each_finding(capsys: Any) -> None:
    with without_guards():
        tampering.raw().filter(sequence=2).update(action="run.paused")
        tampering.raw().filter(sequence=4)._raw_delete("default")
    assert verify() == 1
    assert capsys.readouterr().out.splitlines()[:2] == [
        "row 2 was changed: its hash does not fit what it says",
        "row 4 is missing",
    ]


def test_a_head_shows_what_the_chain_cannot(head: Path, capsys: Any) -> None:
    key = signing.public_key().hex()
    assert verify("--head", head, "--key", key, "--no-record") == 0
    assert "1 signed head fit" in capsys.readouterr().out
    with without_guards():
        tampering.write_anew(random.Random(1), 5)
    assert verify("--no-record") == 0
    assert verify("--head", head, "--key", key, "--no-record") == 1
    assert "was written anew" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["zz", "abcd", "ab" * 32])
def test_a_wrong_key_ends_with_2(key: str, head: Path) -> None:
    assert verify("--head", head, "--key", key) == 2


def test_a_missing_or_damaged_head_ends_with_2(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.json"
    damaged.write_text("{}")
    assert verify("--head", damaged) == 2
    assert verify("--head", tmp_path / "nowhere.json") == 2
    assert verify("--file", tmp_path / "nowhere.jsonl") == 2


def test_an_exported_file_is_checked_without_the_database(
    tmp_path: Path, head: Path, capsys: Any, django_assert_num_queries: Any
) -> None:
    file, answer = tmp_path / "trail.jsonl", tmp_path / "answer.json"
    call_command("export_audit", "--out", str(file))
    with django_assert_num_queries(0):
        code = verify("--file", file, "--head", head, "--json", answer)
    assert code == 0
    found = json.loads(answer.read_text())
    assert (found["holds"], found["rows"], found["key_pinned"]) == (True, 6, False)
    file.write_text(file.read_text().replace("someone", "nobody", 1))
    assert verify("--file", file) == 1


def test_export_can_be_narrowed_and_refuses_what_is_no_filter(capsys: Any) -> None:
    call_command("export_audit", "--out", "-", "--person", "someone")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    with pytest.raises(CommandError, match="--since"):
        call_command("export_audit", "--out", "-", "--since", "yesterday")
    assert AuditEvent.objects.filter(action="audit.exported").count() == 1


def test_commands_that_change_people_are_recorded() -> None:
    call_command(
        "createsuperuser", "--noinput", "--username", "chief", "--email", "chief@example.org"
    )
    event = AuditEvent.objects.first()
    assert (event.action, event.subject_name, event.actor) == ("person.added", "chief", None)
    assert event.detail == {"role": "administrator", "superuser": True, "from": "terminal"}
