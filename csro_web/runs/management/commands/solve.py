"""``./csro solve``: a whole CSRO run in this terminal, stored like any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from csro_web.accounts.models import Team
from csro_web.cli.arguments import SEEDS, whole_number
from csro_web.cli.errors import WrongUsage
from csro_web.cli.output import STDOUT, check_target, say, write_json
from csro_web.launcher.preparation import prepare_database
from csro_web.runs import services, sets
from csro_web.runs.models import Run
from csro_web.runs.prepared import MOST_REPLICATES, Planned, PreparedSet, plan
from csro_web.solving import arguments, audience, drive, report, terminal
from oracles.config import ConfigError, RunConfig


class Command(BaseCommand):
    help = "A whole CSRO run in this terminal, stored like any other."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        arguments.add_run_arguments(parser)
        audience.add_team_argument(parser)
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
            "--set",
            choices=[str(which) for which in PreparedSet],
            help="a prepared set of runs instead of one; compared by condition",
        )
        parser.add_argument(
            "--replicates",
            type=whole_number(1, MOST_REPLICATES),
            metavar="N",
            help="runs with the seeds S, S+1, ... (of a set: for each condition); figures over"
            " runs are added",
        )
        parser.add_argument(
            "--json",
            metavar="FILE",
            help="write the answer as JSON too; - writes it alone to stdout",
        )

    def handle(self, *args: Any, **given: Any) -> None:
        check_target(given["json"])
        planned = () if given["resume"] else _planned(given)
        if given["resume"]:
            _refuse_changes(given)
        prepare_database()
        drive.only_warnings()
        team = audience.team_named(given["team"])
        if given["resume"]:
            answer: Answer = _one(terminal.unfinished_run(given["resume"]), given["workers"])
        elif given["set"]:
            answer = _whole_set(PreparedSet(given["set"]), planned, given["workers"], team)
        else:
            answer = _each(planned, given["workers"], team)
        if given["json"] != STDOUT:
            print(answer.table)
        if given["json"]:
            write_json(given["json"], answer.data)


@dataclass(frozen=True)
class Answer:
    table: str
    data: Mapping[str, Any]


def _one(run: Run, workers: int) -> Answer:
    found = [terminal.solve(run, workers)]
    return Answer(report.results_table(run.game, found), report.as_json(found))


def _each(planned: Sequence[Planned], workers: int, team: Team | None) -> Answer:
    """One run after the other, each stored when its turn comes."""
    found = [terminal.solve(_stored(one.config, team), workers) for one in planned]
    return Answer(report.results_table(planned[0].config.game, found), report.as_json(found))


def _whole_set(
    which: PreparedSet, planned: Sequence[Planned], workers: int, team: Team | None
) -> Answer:
    """All runs are stored first: what is interrupted here goes on from the page of the set."""
    try:
        made = sets.create_set(which, planned, team=team, announce=False, from_terminal=True)
    except ConfigError as error:
        raise WrongUsage(str(error)) from error
    say(f"set {made.pk}: {len(planned)} runs, page /sets/{made.pk} (./csro run)")
    found = [
        (run.condition, terminal.solve(run, workers)) for run in made.runs.order_by("pk").all()
    ]
    return Answer(report.set_table(found), report.set_json(made.pk, str(which), found))


def _planned(given: dict[str, Any]) -> tuple[Planned, ...]:
    """The run, or the runs of the set, for each seed."""
    if not given["game"]:
        raise WrongUsage("--game is missing; name the game to play (or a run with --resume)")
    base = arguments.config_of(arguments.described(given))
    which = PreparedSet(given["set"] or PreparedSet.REPLICATES)
    try:
        return plan(which, base, given["replicates"] or 1)
    except ConfigError as error:
        raise WrongUsage(str(error)) from error


def _refuse_changes(given: dict[str, Any]) -> None:
    said = arguments.said_about_the_run(given)
    said += [f"--{name}" for name in ("set", "replicates", "team") if given[name]]
    if said:
        raise WrongUsage(
            f"--resume goes on with a run as it was launched; leave out {', '.join(said)}"
        )


def _stored(config: RunConfig, team: Team | None) -> Run:
    try:
        return services.create_run(
            config=config, team=team, name="solve", announce=False, from_terminal=True
        )
    except ConfigError as error:
        raise WrongUsage(str(error)) from error
