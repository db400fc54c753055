"""Teams: who is in them, and whose runs are whose."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils.text import slugify

from csro_web.accounts.models import Team, User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.runs.models import Run


def add(*, name: str, actor: User) -> Team:
    with transaction.atomic():
        team = Team(name=name, slug=_free_slug(name))
        team.full_clean()
        team.save()
        record(Action.TEAM_ADDED, actor=actor, subject=team, detail={"slug": team.slug})
    return team


def change(
    team: Team, *, name: str, join: Iterable[int], leave: Iterable[int], actor: User
) -> None:
    """A new name, and the keys of people who come in and who leave; others stay as they are."""
    with transaction.atomic():
        before = set(team.members.values_list("username", flat=True))
        team.name = name
        team.full_clean()
        team.save()
        team.members.remove(*leave)
        team.members.add(*join)
        after = set(team.members.values_list("username", flat=True))
        detail = {"name": name, "joined": sorted(after - before), "left": sorted(before - after)}
        record(Action.TEAM_CHANGED, actor=actor, subject=team, detail=detail)


def move_run(run: Run, team: Team | None, *, actor: User) -> None:
    """From now on ``team`` sees the run, with everything that hangs on it; None: everybody."""
    with transaction.atomic():
        before = run.team
        if not Run.objects.filter(pk=run.pk, team=before).update(team=team) or before == team:
            return
        run.team = team
        detail = {"from": before and before.slug, "to": team and team.slug}
        record(Action.RUN_MOVED_TO_TEAM, actor=actor, subject=run, run_id=run.pk, detail=detail)


def _free_slug(name: str) -> str:
    """A short name out of the name; with a number where it is taken."""
    base = slugify(name)[:50] or "team"
    taken = set(Team.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    return next(
        slug for n in range(len(taken) + 2) if (slug := f"{base}-{n}" if n else base) not in taken
    )
