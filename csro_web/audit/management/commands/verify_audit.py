"""``./csro manage verify_audit``: whether the audit trail is as it was recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from csro_web.audit import files, reading, services
from csro_web.audit.heads import Head, HeadError
from csro_web.audit.verification import MOST_FINDINGS, Report
from csro_web.cli.errors import CommandFailure, one_line
from csro_web.cli.output import STDOUT, check_target, write_json

TAMPERED = 1
WITHOUT_HEAD = (
    "without a signed head this cannot know whether the end was cut together with the trail's own "
    "head, or all of it was written anew: name one with --head"
)
WITHOUT_KEY = (
    "the heads are signed by the key that they name themselves: name the installation's key with "
    "--key to know that it is its own"
)


class Command(BaseCommand):
    help = (
        "Check the audit trail: finds changed, removed, inserted and reordered rows, and with a "
        "signed head also a cut end and a trail written anew. Exits with 1 if it was tampered with."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--head",
            metavar="FILE",
            action="append",
            default=[],
            help="a signed head that was kept elsewhere, or a directory of them; may be repeated",
        )
        parser.add_argument(
            "--key", metavar="HEX", help="the public key (64 hex digits) that must have signed"
        )
        parser.add_argument(
            "--file", metavar="EXPORT", help="check an exported trail instead of the database"
        )
        parser.add_argument(
            "--json", metavar="FILE", help="write the answer as JSON too; - writes it alone"
        )
        parser.add_argument(
            "--no-record",
            action="store_true",
            help="do not record in the trail that it was checked",
        )

    def handle(self, *args: Any, **given: Any) -> None:
        try:
            check_target(given["json"])
            key = _key(given["key"])
            heads = [head for path in given["head"] for head in _heads(path, key)]
            result = _checked(given["file"], heads, key)
        except CommandFailure as error:
            raise CommandError(one_line(error), returncode=2) from error
        answer = {**result, "key_pinned": key is not None, "unknown": _unknown(given, heads, key)}
        if not given["file"] and not given["no_record"]:
            services.note_verification(result, actor=None, detail={"from": "terminal"})
        if given["json"] != STDOUT:
            _tell(answer)
        if given["json"]:
            write_json(given["json"], answer)
        if not answer["holds"]:
            sys.exit(TAMPERED)


def _key(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        key = bytes.fromhex(text)
    except ValueError as error:
        raise CommandFailure("--key is no hexadecimal number") from error
    if len(key) != 32:
        raise CommandFailure(f"--key has {len(key)} bytes; a public key has 32 (64 hex digits)")
    return key


def _heads(path: str, key: bytes | None) -> list[Head]:
    try:
        return files.read_heads(Path(path), key=key)
    except HeadError as error:
        raise CommandFailure(f"--head cannot be used: {error}") from error
    except OSError as error:
        raise CommandFailure(f"cannot read {path}: {error.strerror}") from error


def _checked(file: str | None, heads: list[Head], key: bytes | None) -> dict[str, Any]:
    if file is None:
        return services.as_json(reading.verify(heads=heads), heads=heads)
    try:
        report: Report = files.verify_file(Path(file), heads=heads, key=key)
    except OSError as error:
        raise CommandFailure(f"cannot read {file}: {error.strerror}") from error
    except (files.FileError, HeadError) as error:
        return services.failed_file(f"{file}: {error}")
    return services.as_json(report, heads=heads)


def _unknown(given: dict[str, Any], heads: list[Head], key: bytes | None) -> list[str]:
    said = []
    if not heads and not given["file"]:
        said.append(WITHOUT_HEAD)
    if key is None and (heads or given["file"]):
        said.append(WITHOUT_KEY)
    if not given["file"] and (missing := services.missing_guards()):
        said.append(f"the database does not refuse changes: {', '.join(missing)} missing")
    return said


def _tell(answer: dict[str, Any]) -> None:
    """What was found to stdout; what is odd or unknown to stderr."""
    for finding in answer["findings"]:
        print(one_line(finding["words"]))
    if answer["found"] > MOST_FINDINGS:
        print(f"and {answer['found'] - MOST_FINDINGS} further findings")
    last = answer["last"]
    verdict = "holds" if answer["holds"] else "was tampered with"
    count = len(answer["heads"])
    heads = f", {count} signed head{'' if count == 1 else 's'} fit" if count else ""
    print(
        f"the trail {verdict}: {answer['rows']} rows, the last is {last['sequence']} "
        f"({last['hash'][:16]}){heads if answer['holds'] else ''}"
    )
    for note in [*answer["notes"], *answer["unknown"]]:
        print(f"note: {one_line(note)}", file=sys.stderr)
    for head in answer["heads"]:
        print(
            f"note: head of row {head['sequence']} signed on {head['at']} by {head['key']}",
            file=sys.stderr,
        )
