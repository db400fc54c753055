"""``./csro solve``: a whole CSRO run in this terminal, stored like any other."""

from __future__ import annotations

import sys
import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from csro_web.cli.arguments import EPISODES, SEEDS, key_value, whole_number
from csro_web.cli.errors import CommandFailure, WrongUsage
from csro_web.cli.output import STDOUT, check_target, write_json
from csro_web.environment import cores
from csro_web.launcher.preparation import prepare_database
from csro_web.runs import services
from csro_web.runs.models import Run, RunState
from csro_web.runs.worker import Worker
from csro_web.solving import drive, report
from csro_web.solving.progress import RunProgress
from oracles.config import (
    ConfigError,
    ContextMode,
    OpponentChoice,
    OracleName,
    RunConfig,
    SolverName,
    WriterName,
)

CHOICES = {
    "--oracle": ("oracle", OracleName),
    "--writer": ("writer", WriterName),
    "--context": ("context", ContextMode),
    "--opponents": ("opponents", OpponentChoice),
}
NUMBERS = {
    "--iterations": ("iterations", (1, 200), "best responses to add"),
    "--episodes": ("episodes", EPISODES, "episodes per cell of the payoff matrix"),
    "--evaluation-episodes": (
        "evaluation_episodes",
        EPISODES,
        "episodes per held-out opponent at the end",
    ),
    "--refinements": ("refinements", (1, 100), "proposals per best response"),
    "--seed": ("seed", SEEDS, "the same seed gives the same numbers"),
}


class Command(BaseCommand):
    help = "A whole CSRO run in this terminal, stored like any other."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--game", required=True, metavar="G", help="rrps or leduc")
        for option, (name, enum) in CHOICES.items():
            parser.add_argument(option, dest=name, choices=[str(one) for one in enum])
        for option, (name, (low, high), words) in NUMBERS.items():
            explained = f"{words}, {low} to {high:,}"
            parser.add_argument(
                option, dest=name, type=whole_number(low, high), metavar="N", help=explained
            )
        solvers = [str(one) for one in SolverName]
        parser.add_argument("--solver", choices=solvers, help="meta-solver that trains and reports")
        parser.add_argument(
            "--initial",
            metavar="LIST",
            help="initial population, separated by commas: the game's own names and bot:NAME",
        )
        parser.add_argument(
            "--param", action="append", default=[], type=key_value, metavar="KEY=VALUE"
        )
        parser.add_argument(
            "--recording", metavar="RUN", help="the run that --writer replay repeats"
        )
        parser.add_argument("--workers", type=whole_number(1, 64), default=1, metavar="N")
        parser.add_argument(
            "--replicates",
            type=whole_number(1, 100),
            default=1,
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
        configs = [_config(given, replicate) for replicate in range(given["replicates"])]
        prepare_database()
        drive.only_warnings()
        answers = [self._solve(config, given["workers"]) for config in configs]
        if given["json"] != STDOUT:
            print(report.results_table(given["game"], answers))
        if given["json"]:
            write_json(given["json"], report.as_json(answers))

    def _solve(self, config: RunConfig, workers: int) -> dict[str, Any]:
        started = time.monotonic()
        try:
            run = services.create_run(
                config=config, name="solve", announce=False, from_terminal=True
            )
        except ConfigError as error:
            raise WrongUsage(str(error)) from error
        share = max(settings.ENGINE_WORKERS // workers, 1)
        worker = Worker(engine_workers=share if workers > 1 else cores(), announce=False)
        try:
            with (
                drive.stopped_by_signals(worker),
                drive.helpers(run.pk, workers - 1, share),
                RunProgress(f"run {run.pk}") as progress,
            ):
                run = drive.work_on(run.pk, worker, progress.show)
        finally:
            worker.close()
        if worker.stopping and not run.has_ended:
            raise _interrupted(run)
        _check(run)
        return report.summary(run, time.monotonic() - started)


def _config(given: dict[str, Any], replicate: int) -> RunConfig:
    names = [name for name, _ in CHOICES.values()] + [name for name, *_ in NUMBERS.values()]
    data = {name: given[name] for name in names if given[name] is not None}
    data["game"] = given["game"]
    data["params"] = dict(given["param"])
    data["seed"] = data.get("seed", 0) + replicate
    if given["solver"]:
        data["training_solver"] = data["evaluation_solver"] = given["solver"]
    if given["initial"]:
        data["initial"] = [name.strip() for name in given["initial"].split(",") if name.strip()]
    if given["recording"]:
        data["recording"] = given["recording"]
    try:
        return RunConfig.from_json(data)
    except ConfigError as error:
        raise WrongUsage(str(error)) from error


def _interrupted(run: Run) -> KeyboardInterrupt:
    """Nothing is in work; what was saved stays, and the run can go on."""
    if run.state != RunState.PAUSED:
        run = services.pause_run(run)
    print(
        f"run {run.pk} is paused; its {run.steps_done} steps are kept: resume it on its page "
        "(./csro run)",
        file=sys.stderr,
    )
    return KeyboardInterrupt()


def _check(run: Run) -> None:
    if run.state == RunState.FAILED:
        raise CommandFailure(f"run {run.pk} failed: {run.failure}")
    if run.state == RunState.PAUSED and run.pause_reason:
        raise CommandFailure(
            f"run {run.pk} is paused: {run.pause_reason}; correct that, then resume it on its page"
            " (./csro run)"
        )
    if run.state != RunState.FINISHED:
        raise CommandFailure(
            f"run {run.pk} is {run.get_state_display().lower()}: somebody decided so on its page"
        )
