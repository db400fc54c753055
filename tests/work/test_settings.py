"""Settings are safe without any environment, and say in one line what does not fit."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import connection, transaction

from csro_web.logs import redact
from csro_web.runs.models import Match

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "CSRO_PRODUCTION": "1",
    "CSRO_SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "CSRO_ALLOWED_HOSTS": "csro.example",
}

CHOSEN_HERE = ("CSRO_", "DATABASE_", "BROKER_", "DJANGO_")
"""What other tests of this process have set must not reach the process under test."""


def start(data: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(CHOSEN_HERE)}
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**kept, "CSRO_DATA_DIR": str(data), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def manage(data: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    process = start(data, *arguments, **environment)
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


def test_processes_that_start_at_once_agree_on_a_key_that_only_this_user_reads(
    tmp_path: Path,
) -> None:
    show = "from django.conf import settings; print(settings.SECRET_KEY)"
    processes = [start(tmp_path / "new", "shell", "-v0", "-c", show) for _ in range(3)]
    keys = {process.communicate(timeout=120)[0].strip() for process in processes}
    assert len(keys) == 1
    assert len(keys.pop()) >= 50
    assert (tmp_path / "new" / "secret-key").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["secret-key"]


def test_production_passes_the_deployment_checks_and_needs_a_key(tmp_path: Path) -> None:
    check = ("check", "--deploy", "--fail-level", "WARNING")
    code, words = manage(tmp_path, *check, **PRODUCTION)
    assert code == 0, words
    code, words = manage(tmp_path, *check, **{**PRODUCTION, "CSRO_SECRET_KEY": ""})
    assert code == 1
    assert len(words.strip().splitlines()) == 1
    assert "CSRO_SECRET_KEY" in words


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CSRO_REQUIRED_LEVEL", "strong"),
        ("CSRO_LEASE_SECONDS", "soon"),
        ("CSRO_PRODUCTION", "perhaps"),
        ("DATABASE_URL", "mysql://a@b/c"),
    ],
)
def test_a_value_that_cannot_be_is_one_line_that_names_the_variable(
    tmp_path: Path, name: str, value: str
) -> None:
    code, words = manage(tmp_path, "check", **{name: value})
    assert code == 1
    assert len(words.strip().splitlines()) == 1
    assert name in words


def test_log_lines_hold_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "plain-value-of-a-key")
    monkeypatch.setenv("PGPASSWORD", "correct-horse")
    line = redact(
        "postgresql://csro:hunter22@db/csro plain-value-of-a-key Bearer abc.def-ghi sk-1234567890 "
        "correct-horse password=opensesame run 3: playing policy 4"
    )
    for secret in ("hunter22", "plain-value", "correct-horse", "abc.def", "sk-1234", "opensesame"):
        assert secret not in line
    assert line.endswith("run 3: playing policy 4")


LOCK_IN_A_TRANSACTION = """
import sqlite3
from django.db import connection, transaction
with connection.cursor() as cursor:
    for name in ("journal_mode", "synchronous", "busy_timeout"):
        print(cursor.execute(f"PRAGMA {name}").fetchone()[0])
with transaction.atomic():
    try:
        sqlite3.connect(connection.settings_dict["NAME"], timeout=0).execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        print(error)
"""


def test_the_embedded_database_really_has_the_options_that_were_asked_for(tmp_path: Path) -> None:
    """An option in the wrong place is ignored in silence (opensafely-core/opencodelists 2344).

    The last line: nothing was written in the transaction, and yet it holds the write lock.
    """
    code, words = manage(tmp_path, "shell", "-v0", "-c", LOCK_IN_A_TRANSACTION)
    assert code == 0, words
    assert words.splitlines() == ["wal", "1", "20000", "database is locked"]


@pytest.mark.django_db(transaction=True)
def test_transactions_that_read_first_and_write_then_wait_for_each_other() -> None:
    """The recipe for "database is locked" of simonw/django_sqlite_benchmark 6."""
    errors: list[Exception] = []

    def read_then_write(number: int) -> None:
        try:
            for turn in range(10):
                with transaction.atomic():
                    Match.objects.count()
                    Match.objects.create(
                        key=f"{number}-{turn}", game="rrps", a="a", b="b", episodes=1, seed=0,
                        batch_size=1, sandbox_level="full", engine_version="1", mean=0.0,
                        faults_a=0, faults_b=0, result={},
                    )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - the assertion below shows it
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=read_then_write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert Match.objects.count() == 40
