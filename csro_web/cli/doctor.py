"""``./csro doctor``: what this machine offers, what is missing and what would add it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from csro_web.cli import doctor_model
from csro_web.cli.arguments import add_json, parser
from csro_web.cli.checks import Check
from csro_web.cli.errors import one_line
from csro_web.cli.output import STDOUT, check_target, write_json

MODEL_KEYS = (
    "ANTHROPIC_API_KEY",
    "AZURE_API_KEY",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHERAI_API_KEY",
    "XAI_API_KEY",
)
PACKAGES = ("django", "celery", "open-spiel", "numpy", "scipy", "litellm")
ENOUGH_BYTES = 500_000_000


def main(name: str, argv: Sequence[str]) -> int:
    arguments = parser(name, "What this machine offers, what is missing and what would add it.")
    doctor_model.add_model(arguments)
    add_json(arguments)
    given = arguments.parse_args(argv)
    check_target(given.json)
    model = doctor_model.chosen_model(given)
    checks = [check for find in FINDERS for check in find()]
    if model is not None:
        checks.append(doctor_model.ask(model))
    ok = all(check.ok is not False for check in checks)
    if given.json != STDOUT:
        for check in checks:
            _show(check)
    if given.json:
        write_json(given.json, {"ok": ok, "checks": [asdict(check) for check in checks]})
    return 0 if ok else 1


def _show(check: Check) -> None:
    mark = {True: "ok  ", False: "FAIL", None: "    "}[check.ok]
    print(f"{mark}  {check.name}: {check.value}")
    if check.remedy:
        print(f"      to add it: {check.remedy}")


def versions() -> list[Check]:
    found = [f"{package} {metadata.version(package)}" for package in PACKAGES]
    python = f"{platform.python_version()} ({sys.prefix})"
    return [
        Check("python", True, python),
        Check("packages", True, ", ".join(found)),
        Check("system", None, f"{platform.system()} {platform.release()}, {platform.machine()}"),
    ]


def sandbox() -> list[Check]:
    from csro_web.cli.play import required_level
    from games.engine import EngineError
    from games.match import SandboxLevel
    from games.sandbox.report import diagnose

    try:
        report = diagnose()
    except EngineError as error:
        return [Check("sandbox", False, one_line(error), "correct the setting")]
    levels, required = list(SandboxLevel), required_level()
    enough = report.level is not None and levels.index(report.level) <= levels.index(required)
    level = str(report.level or "none: policies cannot run here")
    remedy = "" if enough else f"{required} is required; see the lines below"
    checks = [Check("sandbox level", enough, level, remedy)]
    checks += [
        Check(
            f"sandbox, {item.name}",
            None,
            item.detail if item.present else f"no: {item.detail}",
            item.remedy or "",
        )
        for item in report.mechanisms
    ]
    return checks + [Check("sandbox, note", None, warning) for warning in report.warnings]


def disk() -> list[Check]:
    from games.cache import data_directory

    place = data_directory()
    existing = next(path for path in (place, *place.absolute().parents) if path.exists())
    free = shutil.disk_usage(existing).free
    writable = os.access(existing, os.W_OK)
    text = f"{place}, {free / 1e9:.1f} GB free" + ("" if writable else ", not writable")
    remedy = "make room or permission there, or name another place in CSRO_DATA_DIR"
    ok = writable and free >= ENOUGH_BYTES
    return [Check("data directory", ok, text, "" if ok else remedy)]


def database() -> list[Check]:
    from csro_web.cli.django_commands import database_name, set_up_django

    problem = set_up_django()
    if problem:
        return [Check("settings", False, problem, "correct the variable")]
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    name = f"{connection.vendor}, {database_name()}"
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        return [Check("database", None, f"{name}: not made yet; ./csro run makes it")]
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        return [
            Check(
                "database",
                False,
                f"{name}: {one_line(error)}",
                "start it, or correct DATABASE_URL (unset: a file of our own)",
            )
        ]
    if missing:
        return [
            Check(
                "database",
                False,
                f"{name}: {len(missing)} migrations are missing",
                "./csro manage migrate",
            )
        ]
    return [Check("database", True, name), *_work()]


def _work() -> list[Check]:
    from django.utils import timezone

    from csro_web.runs.models import Step, StepState

    at_work = Step.objects.filter(state=StepState.CLAIMED, lease_until__gt=timezone.now())
    owners = at_work.values("owner").distinct().count()
    waiting = Step.objects.filter(state=StepState.READY).count()
    return [Check("workers", None, f"{owners} at work, {waiting} steps waiting")]


def broker() -> list[Check]:
    from django.conf import settings
    from kombu import Connection
    from kombu.exceptions import KombuError
    from kombu.utils.url import maybe_sanitize_url

    if not settings.configured or not settings.CELERY_BROKER_URL:
        return []
    url = settings.CELERY_BROKER_URL
    shown = maybe_sanitize_url(url)
    if not os.environ.get("BROKER_URL"):
        return [Check("broker", True, "files in the data directory")]
    try:
        with Connection(url, connect_timeout=3) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
    except (OSError, KombuError, *Connection(url).connection_errors) as error:
        remedy = "start it, or correct BROKER_URL (unset: files of our own)"
        return [Check("broker", False, f"{shown}: {one_line(error)}", remedy)]
    return [Check("broker", True, shown)]


def keys() -> list[Check]:
    from csro_web.calls.endpoints import EndpointsError, choices, file_of_endpoints

    try:
        defined = choices()
    except EndpointsError as error:
        return [Check("model endpoints", False, str(error), "correct the file")]
    variables = dict.fromkeys([*MODEL_KEYS, *(one.key_env for one in defined if one.key_env)])
    found = ", ".join(name for name in variables if os.environ.get(name))
    place = file_of_endpoints()
    names = ", ".join(one.name for one in defined) or "none"
    return [
        Check("model endpoints", None, names + (f", in {place}" if place else "")),
        Check("keys for models", None, found or "none; the built-in writer needs none"),
    ]


FINDERS: tuple[Callable[[], list[Check]], ...] = (versions, sandbox, disk, database, broker, keys)
