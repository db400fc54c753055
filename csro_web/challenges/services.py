"""Launching a challenge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.challenges.models import Challenge
from csro_web.challenges.targets import Target
from csro_web.runs import services
from csro_web.runs.models import Run
from oracles.config import OracleName, RunConfig


def config_of(target: Target, asked: Mapping[str, Any]) -> RunConfig:
    """The run that challenges ``target`` as ``asked``: keys of a run's configuration.

    ``proposals`` is the effort of every oracle; for linear refinement it is M. Without a number of
    ``iterations`` there is one try.

    Raises:
        ConfigError: when no such run can be.
    """
    data = {"iterations": 1, **asked, "game": target.game, "params": dict(target.params)}
    oracle = data.get("oracle", OracleName.LINEAR_REFINEMENT)
    if oracle == OracleName.LINEAR_REFINEMENT and "proposals" in data:
        data.setdefault("refinements", data["proposals"])
    return RunConfig.from_json({**data, "challenge": list(target.opponents)})


def launch(
    target: Target,
    config: RunConfig,
    *,
    launched_by: User | None = None,
    announce: bool = True,
    from_terminal: bool = False,
) -> Run:
    """A run that challenges ``target``, ready for workers.

    Raises:
        ConfigError: when no run can begin from ``config``.
    """
    with transaction.atomic():
        run = services.create_run(
            config=config,
            launched_by=launched_by,
            team=target.team,
            name=f"challenge of {target.title}"[:120],
            announce=announce,
            from_terminal=from_terminal,
        )
        challenge = Challenge.objects.create(
            run=run,
            target=target.key,
            title=target.title,
            policy=target.policy,
            source_run=target.run,
        )
        record(
            Action.CHALLENGE_LAUNCHED,
            actor=launched_by,
            subject=challenge,
            run_id=run.pk,
            detail={"target": target.key, **services.from_where(from_terminal)},
        )
    return run
