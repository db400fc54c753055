"""``./csro table``: published results beside what was measured in this database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from csro_web.cli.output import STDOUT, check_target, write_json
from csro_web.launcher.preparation import prepare_database
from csro_web.solving import measured, measured_report
from games.registry import game_names


class Command(BaseCommand):
    help = "Published results beside those measured in this database, method by method."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--game", required=True, choices=game_names(), help="rrps or leduc")
        parser.add_argument(
            "--json",
            metavar="FILE",
            help="write the answer as JSON too; - writes it alone to stdout",
        )

    def handle(self, *args: Any, **given: Any) -> None:
        check_target(given["json"])
        prepare_database()
        found = measured.methods(given["game"])
        others = measured.without_counterpart(given["game"])
        if given["json"] != STDOUT:
            print(measured_report.as_text(found, others))
        if given["json"]:
            write_json(given["json"], measured_report.as_json(given["game"], found, others))
