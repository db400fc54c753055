"""``./csro manage signing_key``: this installation's public keys; notes one that was replaced."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.dateparse import parse_datetime

from csro_web import signing
from csro_web.cli.output import say
from csro_web.exports.management.commands.export import print_public_key


class Command(BaseCommand):
    help = (
        "Prints the public key that checks what this installation signs, its fingerprint, and the "
        "keys that it has replaced. With --former, notes one that was replaced by hand."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--former", metavar="PUBLIC_KEY", help="64 hex digits of a key that was replaced"
        )
        parser.add_argument(
            "--until", metavar="TIME", help="with --former: when, as 2026-11-30T12:00:00+00:00"
        )

    def handle(self, *args: Any, **given: Any) -> None:
        if (given["former"] is None) != (given["until"] is None):
            raise CommandError("--former and --until go together", returncode=2)
        if given["former"] is not None:
            _note(given["former"], given["until"])
        print_public_key()
        for key in signing.known_keys()[:-1]:
            since = "its beginning" if key.since is None else key.since.isoformat()
            until = "" if key.until is None else key.until.isoformat()
            say(f"former key {key.public_key.hex()}, in force from {since} until {until}")


def _note(former: str, until: str) -> None:
    try:
        public = bytes.fromhex(former)
    except ValueError:
        public = b""
    if len(public) != 32:
        raise CommandError("--former: a public key is 64 hexadecimal digits", returncode=2)
    try:
        signing.add_former(public, until=_moment(until))
    except ValueError as error:
        raise CommandError(f"the key was not noted: {error}") from error


def _moment(text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise CommandError(
            "--until: write the time with its zone, as 2026-11-30T12:00:00+00:00", returncode=2
        )
    return found
