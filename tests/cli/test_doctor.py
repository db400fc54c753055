"""``./csro doctor``: what is there, what is missing, and never a secret."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.cli.command import complaint, csro

UNREACHABLE = {
    "DATABASE_URL": "postgresql://csro:hidden-one@127.0.0.1:9/csro",
    "BROKER_URL": "redis://csro:hidden-two@127.0.0.1:9/0",
}


def checks(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return {check["name"]: check for check in json.loads(done.stdout)["checks"]}


def test_a_fresh_machine_is_reported_without_being_changed(tmp_path: Path) -> None:
    place = tmp_path / "data"
    done = csro("doctor", "--json", "-", CSRO_DATA_DIR=str(place))
    found = checks(done)
    assert done.returncode == 0, done.stdout
    assert found["sandbox level"]["value"] in ("full", "kernel")
    assert "open-spiel" in found["packages"]["value"]
    assert "not made yet" in found["database"]["value"]
    assert not list(tmp_path.rglob("*.sqlite3"))


def test_a_migrated_database_is_ok_and_an_unmigrated_one_is_not(tmp_path: Path) -> None:
    variables = {"CSRO_DATA_DIR": str(tmp_path)}
    (tmp_path / "csro.sqlite3").touch()
    before = csro("doctor", "--json", "-", **variables)
    assert before.returncode == 1
    assert checks(before)["database"]["remedy"] == "./csro manage migrate"
    assert csro("manage", "migrate", "-v0", **variables).returncode == 0
    after = checks(csro("doctor", "--json", "-", **variables))
    assert after["database"]["ok"] is True
    assert after["workers"]["value"] == "0 at work, 0 steps waiting"


def test_what_does_not_answer_is_named_with_what_to_do_and_without_its_password() -> None:
    done = csro("doctor", **UNREACHABLE)
    assert done.returncode == 1
    assert "FAIL  database" in done.stdout
    assert "FAIL  broker" in done.stdout
    assert "correct DATABASE_URL" in done.stdout
    assert "correct BROKER_URL" in done.stdout
    assert "hidden" not in done.stdout + done.stderr


def test_keys_are_named_but_their_values_are_never_shown() -> None:
    done = csro("doctor", OPENAI_API_KEY="sk-very-secret")
    assert "keys for models: OPENAI_API_KEY" in done.stdout
    assert "very-secret" not in done.stdout + done.stderr


def test_a_setting_that_cannot_be_is_named() -> None:
    done = csro("doctor", CSRO_SANDBOX="concrete", CSRO_LEASE_SECONDS="soon")
    assert done.returncode == 1
    assert "CSRO_SANDBOX is 'concrete'" in done.stdout
    assert "CSRO_LEASE_SECONDS is 'soon'" in done.stdout


def test_a_sandbox_below_what_is_required_is_a_failure(tmp_path: Path) -> None:
    weaker = {"CSRO_SANDBOX": "kernel", "CSRO_DATA_DIR": str(tmp_path)}
    done = csro("doctor", **weaker, CSRO_REQUIRED_LEVEL="full")
    assert done.returncode == 1
    assert "FAIL  sandbox level: kernel" in done.stdout
    assert "full is required" in done.stdout
    bots = ("match", "bot:rockbot", "bot:rockbot", "--game", "rrps", "--episodes", "1")
    assert csro(*bots, **weaker).returncode == 0
    refused = csro(*bots, **weaker, CSRO_REQUIRED_LEVEL="full")
    assert refused.returncode == 1
    assert "./csro doctor says more" in complaint(refused)
