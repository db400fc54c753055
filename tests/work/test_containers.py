"""The container files, as far as they can be checked without an engine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
VALUES = {
    "CSRO_SECRET_KEY": "k" * 60,
    "CSRO_ALLOWED_HOSTS": "csro.example",
    "POSTGRES_PASSWORD": "p",
}


def run(*command: str, values: dict[str, str] = VALUES) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **values}
    return subprocess.run(
        [str(TOOLS / command[0]), *command[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def compose() -> dict[str, dict[str, dict[str, object]]]:
    done = run("docker-compose", "-f", "docker-compose.yml", "config")
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, dict[str, object]]] = yaml.safe_load(done.stdout)
    return found


def test_compose_itself_accepts_the_file_and_so_does_its_schema() -> None:
    done = run("docker-compose", "-f", "docker-compose.yml", "config", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    done = run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml")
    assert done.returncode == 0, done.stdout


def test_compose_refuses_to_start_without_a_secret_key_and_says_where_it_goes() -> None:
    without = {key: value for key, value in VALUES.items() if key != "CSRO_SECRET_KEY"}
    done = run("docker-compose", "-f", "docker-compose.yml", "config", "-q", values=without)
    assert done.returncode != 0
    assert "into .env" in done.stderr


def test_the_linter_finds_nothing_in_the_image() -> None:
    done = run("hadolint", "Dockerfile")
    assert (done.returncode, done.stdout) == (0, "")


def test_every_service_has_a_health_check_or_ends_by_itself() -> None:
    services = compose()["services"]
    without = {name for name, service in services.items() if "healthcheck" not in service}
    assert without == {"migrate"}
    assert set(services) == {"migrate", "web", "worker", "reconciler", "database", "broker"}


def test_only_workers_get_the_rights_that_the_sandbox_needs() -> None:
    services = compose()["services"]
    lifted = {n for n, s in services.items() if "seccomp=unconfined" in s.get("security_opt", [])}
    assert lifted == {"worker"}
    assert services["worker"]["deploy"]["replicas"] == 2


def test_what_the_image_runs_are_commands_of_the_product() -> None:
    from django.core.management import get_commands

    commands = get_commands()
    for service in compose()["services"].values():
        words = [str(word) for word in service.get("command") or []]
        if words[:2] == ["python", "manage.py"]:
            assert words[2] in commands


def test_everything_that_the_image_copies_is_in_the_tree_and_sent_to_the_builder() -> None:
    sent = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied: set[str] = set()
    for line in (ROOT / "Dockerfile").read_text().splitlines():
        if line.startswith("COPY ") and "--from" not in line:
            copied |= set(line.split()[1:-1])
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)
