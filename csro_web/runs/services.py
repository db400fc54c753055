"""What people do to runs: launch, pause, resume, finish, cancel. Each is one short transaction.

``change`` of a run is raised with everything that a page could show, so pages poll with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from csro_web.accounts.models import Team, User
from csro_web.accounts.ownership import OWNED, may_see, teams_to_launch_for
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.calls import endpoints
from csro_web.runs import limits, queue, steps, tools
from csro_web.runs.models import Run, RunState
from oracles.config import ConfigError, RunConfig, WriterName

ACTIVE = (RunState.QUEUED, RunState.RUNNING)


class RunStateError(Exception):
    """What was asked does not fit the state that the run is in; the message says which."""


def create_run(
    *,
    config: RunConfig,
    launched_by: User | None = None,
    team: Team | None = None,
    name: str = "",
    announce: bool = True,
    from_terminal: bool = False,
) -> Run:
    """A new run with its first steps ready; workers take them from here.

    ``team`` is whose run it is; None for everybody who can sign in here.
    ``announce`` is whether workers are told at once; the reconciler, if one runs, tells them soon.
    ``from_terminal`` is whether somebody at this machine's terminal asks: only there may a run name
    the address of a model, or the environment variable of its key.

    Raises:
        ConfigError: when no run can begin from ``config``, or the person is not in the team.
    """
    tools.check(config)
    if launched_by is not None:
        _check_reach(config, launched_by, team)
    if config.model is not None:
        endpoints.check_choice(config.model, from_terminal=from_terminal)
    with transaction.atomic():
        run = Run(
            name=name,
            config=config.to_json(),
            game=config.game,
            oracle=str(config.oracle),
            writer=str(config.writer),
            seed=config.seed,
            launched_by=launched_by,
            only_in_terminal=from_terminal and _is_asked_elsewhere(config),
            team=team,
        )
        run.full_clean()
        run.save()
        steps.plan(run, config)
        record(
            Action.RUN_LAUNCHED,
            actor=launched_by,
            subject=run,
            run_id=run.pk,
            detail={
                "game": config.game,
                "oracle": str(config.oracle),
                "writer": str(config.writer),
                "seed": config.seed,
                **from_where(from_terminal),
            },
        )
    if announce:
        queue.send_ready()
    run.refresh_from_db()
    return run


def _is_asked_elsewhere(config: RunConfig) -> bool:
    """Whether a model of the run is at no defined endpoint: then no worker has the way to it."""
    chosen = config.model
    if chosen is None:
        return False
    return not all(ref.endpoint for ref in (*chosen.models, *chosen.fallbacks))


def from_where(from_terminal: bool) -> dict[str, str]:
    """For the trail: at a terminal nobody has signed in, so no person can be named."""
    return {"from": "terminal"} if from_terminal else {}


def _check_reach(config: RunConfig, person: User, team: Team | None) -> None:
    """What only the person's teams can say: whom the run may be for, and what it may repeat."""
    if team is not None and team not in teams_to_launch_for(person):
        raise ConfigError(f"team is {team.name}; a run can be for your own teams, or for everybody")
    repeats = config.writer is WriterName.REPLAY
    if repeats and not may_see(person, OWNED["run_id"], tools.recorded_run(config.recording).pk):
        raise ConfigError(tools.no_recording(config.recording))


def pause_run(
    run: Run, *, actor: User | None = None, reason: str = "", from_terminal: bool = False
) -> Run:
    """Nothing new is begun; a step that is in work is finished and saved.

    ``reason`` says what people have to correct before the run can go on; ``actor`` None is the
    application itself, or somebody at this machine's terminal.

    Raises:
        RunStateError: when the run is paused already or has ended.
    """
    return _move(
        run,
        to=RunState.PAUSED,
        allowed=ACTIVE,
        asked="pause",
        event=_Event(
            Action.RUN_PAUSED,
            actor,
            {**({"reason": reason} if reason else {}), **from_where(from_terminal)},
        ),
        paused_at=timezone.now(),
        pause_reason=reason,
    )


def resume_run(
    run: Run, *, actor: User | None = None, announce: bool = True, from_terminal: bool = False
) -> Run:
    """Goes on where the run was paused; ``announce`` as in :func:`create_run`, ``actor`` as in
    :func:`pause_run`.

    Raises:
        RunStateError: when the run is not paused.
    """
    run.refresh_from_db()
    resumed = _move(
        run,
        to=_state_after_pause(run),
        allowed=(RunState.PAUSED,),
        asked="resume",
        event=_Event(Action.RUN_RESUMED, actor, from_where(from_terminal)),
        **_end_of_pause(run),
    )
    if announce:
        queue.send_ready()
    return resumed


def _state_after_pause(run: Run) -> RunState:
    return RunState.RUNNING if run.started_at else RunState.QUEUED


def _end_of_pause(run: Run) -> dict[str, object]:
    """Columns of a run that goes on: its pause does not count against its budget of minutes."""
    counted = run.started_at and run.paused_at and not run.ended_at
    seconds = (
        (timezone.now() - max(run.started_at, run.paused_at)).total_seconds() if counted else 0
    )
    return {"paused_at": None, "pause_reason": "", "paused_seconds": F("paused_seconds") + seconds}


def finish_run(run: Run, *, actor: User | None = None) -> Run:
    """No more proposals: what was found until now is evaluated, and the run ends by itself.

    A run that was paused goes on with that.

    Raises:
        RunStateError: when that was asked before, or the run has ended.
    """
    run.refresh_from_db()
    if run.is_revised:
        raise RunStateError(f"cannot finish {run}: its search has ended already")
    if run.finish_asked_at is not None:
        raise RunStateError(f"cannot finish {run}: it is being finished already")
    paused = run.state == RunState.PAUSED
    finishing = _move(
        run,
        to=_state_after_pause(run) if paused else None,
        allowed=(RunState.PAUSED,) if paused else ACTIVE,
        asked="finish",
        event=_Event(Action.RUN_FINISHING, actor, {"was_paused": paused}),
        finish_asked_at=timezone.now(),
        **(_end_of_pause(run) if paused else {}),
    )
    limits.ask_people_no_more()
    queue.send_ready()
    return finishing


def cancel_run(run: Run, *, actor: User | None = None) -> Run:
    """Ends the run for good; a step that is in work stops within moments and is not saved.

    Raises:
        RunStateError: when the run has ended already.
    """
    run.refresh_from_db()
    if run.is_revised:
        raise RunStateError(
            f"cannot cancel {run}: its search has ended, and a change of its population is being"
            " worked in; pause it, or withdraw the policy afterwards"
        )
    allowed = (*ACTIVE, RunState.PAUSED)
    event = _Event(Action.RUN_CANCELLED, actor)
    return _move(
        run, to=RunState.CANCELLED, allowed=allowed, asked="cancel", event=event, ended=True
    )


@dataclass(frozen=True)
class _Event:
    """What the trail keeps of a move."""

    action: Action
    actor: User | None
    detail: Mapping[str, Any] = field(default_factory=dict)


def _move(
    run: Run,
    *,
    to: RunState | None,
    allowed: tuple[RunState, ...],
    asked: str,
    event: _Event,
    ended: bool = False,
    **columns: object,
) -> Run:
    """One conditional UPDATE decides, so two people who press at once cannot both succeed.

    ``to`` None leaves the state as it is.
    """
    changes: dict[str, object] = {"change": F("change") + 1, **columns}
    if to is not None:
        changes["state"] = to
    if ended:
        changes["ended_at"] = timezone.now()
    with transaction.atomic():
        moved = Run.objects.filter(pk=run.pk, state__in=allowed).update(**changes)
        run.refresh_from_db()
        if moved:
            record(
                event.action,
                actor=event.actor,
                subject=run,
                run_id=run.pk,
                detail=event.detail,
            )
    if not moved:
        raise RunStateError(f"cannot {asked} {run}: it is {run.get_state_display().lower()}")
    return run
