"""``./csro challenge``: any oracle against one frozen policy or mixture, in this terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from csro_web.challenges import report, selectors, services, targets
from csro_web.cli.arguments import whole_number
from csro_web.cli.errors import CommandFailure, WrongUsage
from csro_web.cli.output import STDOUT, check_target, write_json
from csro_web.cli.players import load_game, load_player
from csro_web.launcher.preparation import prepare_database
from csro_web.policies.models import Policy
from csro_web.runs.models import Run
from csro_web.solving import arguments, audience, drive, terminal
from oracles.config import ConfigError

RUN = "run:"
NOT_HERE = {
    "initial": "--initial",
    "split": "--split",
    "solver": "--solver",
    "training_solver": "--training-solver",
    "evaluation_solver": "--evaluation-solver",
    "evaluation_episodes": "--evaluation-episodes",
}


class Command(BaseCommand):
    help = (
        "Look for an exploiter of one frozen player with any oracle. What it gains is a lower bound"
        " of that player's exploitability."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "who",
            metavar="WHO",
            help="a policy file, policy:ID, a hash, bot:NAME, or run:ID for its final mixture",
        )
        arguments.add_run_arguments(parser)
        audience.add_team_argument(parser)
        parser.add_argument(
            "--workers", type=whole_number(1, 64), default=1, metavar="N",
            help="processes that work at once; the numbers do not depend on it",
        )  # fmt: skip
        parser.add_argument(
            "--json",
            metavar="FILE",
            help="write the answer as JSON too; - writes it alone to stdout",
        )

    def handle(self, *args: Any, **given: Any) -> None:
        check_target(given["json"])
        wrong = [option for name, option in NOT_HERE.items() if given[name] is not None]
        if wrong:
            raise WrongUsage(f"a challenge has no {', '.join(wrong)}: its opponents are frozen")
        prepare_database()
        drive.only_warnings()
        target = _target(given)
        if given["team"]:
            target = replace(target, team=audience.team_named(given["team"]))
        asked = arguments.described({**given, "game": target.game})
        asked.pop("params")
        try:
            config = services.config_of(target, asked)
            run = services.launch(target, config, announce=False, from_terminal=True)
        except ConfigError as error:
            raise WrongUsage(str(error)) from error
        terminal.solve(run, given["workers"])
        run.refresh_from_db()
        found = selectors.of_run(run)
        assert found is not None
        answer = report.as_json(found)
        if given["json"] != STDOUT:
            print(report.in_words(answer))
        if given["json"]:
            write_json(given["json"], answer)


def _target(given: dict[str, Any]) -> targets.Target:
    text = given["who"]
    if text.startswith(RUN):
        return _mixture(text.removeprefix(RUN), given["game"])
    if not given["game"]:
        raise WrongUsage("--game is missing; name the game to play")
    game = load_game(given["game"], given["param"])
    player = load_player(text, game)
    if text.startswith("policy:"):
        policy = Policy.objects.select_related("run").get(pk=int(text.removeprefix("policy:")))
        if not given["param"]:
            return targets.of_policy(policy)
        return replace(
            targets.of_player(text, player, game.name, game.params), team=policy.run.team
        )
    return targets.of_player(text, player, game.name, game.params)


def _mixture(number: str, game: str | None) -> targets.Target:
    if not re.fullmatch(r"[0-9]{1,18}", number):
        raise WrongUsage(f"{RUN}{number} is not run:ID, with the number of a run's page")
    run = Run.objects.filter(pk=int(number)).first()
    if run is None:
        raise CommandFailure(f"there is no run {number} in this database")
    if game and game != run.game:
        raise CommandFailure(f"run {number} plays {run.game}, not {game}")
    try:
        return targets.of_run(run)
    except targets.NoTarget as error:
        raise CommandFailure(str(error)) from error
