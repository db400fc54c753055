"""``./csro solve``: a whole CSRO run in this terminal, stored like any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from csro_web.cli.arguments import SEEDS, whole_number
from csro_web.cli.errors import WrongUsage
from csro_web.cli.output import STDOUT, check_target, write_json
from csro_web.launcher.preparation import prepare_database
from csro_web.runs import services
from csro_web.runs.models import Run
from csro_web.solving import arguments, drive, report, terminal
from oracles.config import ConfigError, RunConfig


class Command(BaseCommand):
    help = "A whole CSRO run in this terminal, stored like any other."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        arguments.add_run_arguments(parser)
        parser.add_argument(
            "--resume",
            type=whole_number(1, SEEDS[1]),
            metavar="RUN",
            help="go on with an unfinished run, by its number",
        )
        parser.add_argument(
            "--workers",
            type=whole_number(1, 64),
            default=1,
            metavar="N",
            help="processes that work at once; the numbers do not depend on it",
        )
        parser.add_argument(
            "--replicates",
            type=whole_number(1, 100),
            metavar="N",
            help="runs with the seeds S, S+1, ...; figures over runs are added",
        )
        parser.add_argument(
            "--json",
            metavar="FILE",
            help="write the answer as JSON too; - writes it alone to stdout",
        )

    def handle(self, *args: Any, **given: Any) -> None:
        check_target(given["json"])
        configs = [] if given["resume"] else _configs(given)
        if given["resume"]:
            _refuse_changes(given)
        prepare_database()
        drive.only_warnings()
        if given["resume"]:
            runs: Sequence[Run | RunConfig] = [terminal.unfinished_run(given["resume"])]
        else:
            runs = configs
        answers = [terminal.solve(_stored(run), given["workers"]) for run in runs]
        if given["json"] != STDOUT:
            print(report.results_table(answers[0]["game"], answers))
        if given["json"]:
            write_json(given["json"], report.as_json(answers))


def _configs(given: dict[str, Any]) -> list[RunConfig]:
    """The run for each seed."""
    if not given["game"]:
        raise WrongUsage("--game is missing; name the game to play (or a run with --resume)")
    data = arguments.described(given)
    first = data.get("seed", 0)
    seeds = range(first, first + (given["replicates"] or 1))
    return [arguments.config_of({**data, "seed": seed}) for seed in seeds]


def _refuse_changes(given: dict[str, Any]) -> None:
    said = arguments.said_about_the_run(given)
    said += ["--replicates"] if given["replicates"] else []
    if said:
        raise WrongUsage(
            f"--resume goes on with a run as it was launched; leave out {', '.join(said)}"
        )


def _stored(run: Run | RunConfig) -> Run:
    if isinstance(run, Run):
        return run
    try:
        return services.create_run(config=run, name="solve", announce=False, from_terminal=True)
    except ConfigError as error:
        raise WrongUsage(str(error)) from error
