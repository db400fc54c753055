"""``./csro manage export_audit``: the audit trail as JSON Lines, with a signed head."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from csro_web.audit import services
from csro_web.audit.actions import MEANING
from csro_web.audit.selectors import TrailFilter
from csro_web.cli.errors import CommandFailure
from csro_web.cli.output import STDOUT, check_target, write_parts


class Command(BaseCommand):
    help = "Export the audit trail, or what a filter leaves of it, as JSON Lines; - is stdout."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", metavar="FILE", required=True, help="where to; - is stdout")
        parser.add_argument("--person", default="", help="a user name; - for the application")
        parser.add_argument(
            "--action", default="", choices=["", *sorted(MEANING)], metavar="ACTION"
        )
        parser.add_argument("--run", default="", metavar="N")
        parser.add_argument("--since", default="", metavar="YYYY-MM-DD")
        parser.add_argument("--until", default="", metavar="YYYY-MM-DD")
        parser.add_argument("--text", default="")

    def handle(self, *args: Any, **given: Any) -> None:
        asked = {name: given[name] for name in vars(TrailFilter()) if given[name]}
        narrow = TrailFilter.from_query(asked)
        if unknown := asked.keys() - narrow.as_json().keys():
            raise CommandError(f"--{sorted(unknown)[0]} is not what it must be", returncode=2)
        try:
            check_target(given["out"])
            lines = services.export(narrow, actor=None, detail={"from": "terminal"})
            if given["out"] == STDOUT:
                sys.stdout.writelines(lines)
            else:
                write_parts(Path(given["out"]), map(str.encode, lines))
        except CommandFailure as error:
            raise CommandError(str(error), returncode=1) from error
