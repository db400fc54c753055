"""``./csro export``: the signed bundle of a run's approved policies, or of one policy."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from csro_web import signing
from csro_web.cli.output import STDOUT, Progress, check_target, say, write_bytes, write_json
from csro_web.exports import services
from csro_web.exports.choosing import ExportRefused
from csro_web.exports.models import Export
from csro_web.jobs.models import Job, JobState
from csro_web.jobs.work import perform
from csro_web.launcher.preparation import prepare_database
from csro_web.policies.models import Policy
from csro_web.runs.models import Run
from csro_web.runs.worker import Worker

_SUBJECT = re.compile(r"(?:(run|policy):)?([0-9]{1,18})")


class Command(BaseCommand):
    help = "The signed bundle of a run's approved policies and their mixture, or of one policy."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "subject",
            nargs="?",
            metavar="RUN_OR_POLICY",
            help="the number of a run (7 or run:7), or policy:12",
        )
        parser.add_argument("--out", metavar="FILE", help="where the archive is written")
        parser.add_argument(
            "--draft",
            action="store_true",
            help="take policies that nobody approved, and mark every page of the bundle",
        )
        parser.add_argument(
            "--public-key",
            action="store_true",
            help="print this installation's public key, for those who verify, and nothing else",
        )
        parser.add_argument(
            "--json", metavar="FILE", help="write the answer as JSON; - writes it alone to stdout"
        )

    def handle(self, *args: Any, **given: Any) -> None:
        if given["public_key"]:
            print_public_key()
            return
        if not given["subject"] or not given["out"]:
            raise CommandError(
                "name a run or policy and --out FILE; see ./csro export --help", returncode=2
            )
        check_target(given["out"])
        check_target(given["json"])
        prepare_database()
        run, policy = _subject(given["subject"])
        try:
            export = services.ask(run=run, policy=policy, draft=given["draft"], person=None)
        except ExportRefused as error:
            raise CommandError(str(error)) from error
        assert export.job is not None
        _wait_for(export.job)
        export.refresh_from_db()
        write_bytes(Path(given["out"]), bytes(export.file.data))
        answer = _answer(export, given["out"])
        if given["json"] != STDOUT:
            print(_in_words(answer))
        if given["json"]:
            write_json(given["json"], answer)


def print_public_key() -> None:
    public = signing.public_key()
    print(public.hex())
    say(f"fingerprint {signing.fingerprint(public)}; give both to those who verify your bundles")


def _subject(text: str) -> tuple[Run, Policy | None]:
    match = _SUBJECT.fullmatch(text)
    if match is None:
        raise CommandError(
            f"{text[:40]!r} is neither a run (7 or run:7) nor policy:12", returncode=2
        )
    number = int(match[2])
    if match[1] == "policy":
        policy = Policy.objects.select_related("run").filter(pk=number).first()
        if policy is None:
            raise CommandError(f"there is no policy {number} in this database")
        return policy.run, policy
    run = Run.objects.filter(pk=number).first()
    if run is None:
        raise CommandError(f"there is no run {number} in this database")
    return run, None


def _wait_for(job: Job) -> None:
    """Do the job here, unless a worker of a running installation has it already."""
    worker = Worker(engine_workers=settings.ENGINE_WORKERS)
    try:
        with Progress("exporting", 1) as progress:
            while not job.is_over:
                perform(job.pk, worker)
                job.refresh_from_db()
                if not job.is_over:
                    time.sleep(0.2)
            progress.advance()
    finally:
        worker.close()
    if job.state != JobState.DONE:
        raise CommandError(job.failure or f"the export was {job.get_state_display().lower()}")


def _answer(export: Export, path: str) -> dict[str, Any]:
    summary = export.summary or {}
    return {
        "export": export.pk,
        "run": export.run_id,
        "policy": export.policy_id,
        "draft": export.draft,
        "path": path,
        "sha256": export.file.sha256,
        "size": export.file.size,
        "public_key": signing.public_key().hex(),
        "fingerprint": signing.fingerprint(signing.public_key()),
        "policies": summary.get("policies"),
        "left_out": summary.get("left_out"),
    }


def _in_words(answer: dict[str, Any]) -> str:
    draft = "DRAFT: nobody approved all of it\n" if answer["draft"] else ""
    left = f", {len(answer['left_out'])} left out" if answer["left_out"] else ""
    return (
        f"{draft}{answer['path']}: {len(answer['policies'])} policies{left}, "
        f"{answer['size']:,} bytes\nsha256 {answer['sha256']}\n"
        f"signed with the key {answer['fingerprint']} (./csro export --public-key prints it)"
    )
