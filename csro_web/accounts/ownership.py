"""Which runs an object belongs to, and who may see those: the teams' half of permissions.

A run belongs to a team, or to nobody in particular and is then seen by everybody who can sign in
here. Everything that hangs on a run is seen with it. What a URL argument names is known by the
argument's name alone (:data:`OWNED`), so that no view can forget to ask; a test fails for a URL
argument that is not in the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from django.apps import apps
from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q, QuerySet

from csro_web.accounts.models import Role, Team, User

Row = TypeVar("Row", bound=Model)
Somebody = User | AnonymousUser


@dataclass(frozen=True)
class Owned:
    """``runs``: path from the model to its runs, empty for the run itself. A row that has none is
    seen by the person at the path ``person``; without a path to runs, by that person alone."""

    model: str
    runs: str | None
    person: str = ""


OWNED: Mapping[str, Owned] = {
    "run_id": Owned("runs.Run", ""),
    "set_id": Owned("runs.RunSet", "runs"),
    "step_id": Owned("runs.Step", "run"),
    "match_id": Owned("runs.Match", "cells__run"),
    "policy_id": Owned("policies.Policy", "run"),
    "old_policy_id": Owned("policies.Policy", "run"),
    "new_policy_id": Owned("policies.Policy", "run"),
    "candidate_id": Owned("policies.Candidate", "run"),
    "old_candidate_id": Owned("policies.Candidate", "run"),
    "new_candidate_id": Owned("policies.Candidate", "run"),
    "call_id": Owned("calls.ModelCall", "run"),
    "job_id": Owned("jobs.Job", "run", person="asked_by"),
    "change_id": Owned("changes.Change", "run"),
    "trial_id": Owned("changes.Trial", "run"),
    "import_id": Owned("changes.PendingImport", "run"),
    "thread_id": Owned("reviews.Thread", "run"),
    "comment_id": Owned("reviews.Comment", "thread__run"),
    "review_id": Owned("reviews.Review", "run"),
    "reevaluation_id": Owned("approvals.Reevaluation", "policy__run"),
    "export_id": Owned("exports.Export", "run"),
    "session_id": Owned("accounts.SignedIn", None, person="person"),
    "token_id": Owned("accounts.ApiToken", None, person="person"),
}
"""URL argument to what it names. Models are named, not imported: this knows every application, and
none of them needs to know another for it."""

NOBODYS = frozenset({"person_id", "team_id"})
"""Arguments that name what belongs to no run; the right alone decides (``people.manage``)."""


def sees_everything(user: Somebody) -> bool:
    return bool(
        isinstance(user, User)
        and user.is_active
        and (user.is_superuser or user.role == Role.ADMINISTRATOR)
    )


def visible_runs(user: Somebody) -> QuerySet[Any]:
    """Runs that ``user`` may see: of his teams and of nobody; all of them for administrators."""
    runs = apps.get_model("runs.Run")._default_manager.order_by()
    if sees_everything(user):
        return runs.all()
    if not (user.is_authenticated and user.is_active):
        return runs.none()
    return runs.filter(Q(team=None) | Q(team__in=user.teams.order_by().values("pk")))


def visible(queryset: QuerySet[Row], user: Somebody, path: str = "run") -> QuerySet[Row]:
    """Rows of ``queryset`` that hang on a run that ``user`` may see, without repeats.

    ``path`` leads from the model to its run or runs; it is empty where rows are runs. A row that
    hangs on no run at all is seen by administrators alone.
    """
    if sees_everything(user):
        return queryset
    runs = visible_runs(user).values("pk")
    if not path:
        return queryset.filter(pk__in=runs)
    if not _through_many(queryset.model, path):
        return queryset.filter(**{f"{path}__in": runs})
    rows = queryset.model._default_manager.filter(**{f"{path}__in": runs}).order_by()
    return queryset.filter(pk__in=rows.values("pk"))


def _through_many(model: type[Model], path: str) -> bool:
    """Whether a row can have several runs, so that a join would repeat it."""
    for name in path.split("__"):
        field = model._meta.get_field(name)
        if field.one_to_many or field.many_to_many:
            return True
        model = field.related_model  # type: ignore[assignment]
    return False


def may_see_all_of(user: Somebody, arguments: Mapping[str, Any]) -> bool:
    """Whether everything that a URL's arguments name exists and may be seen. 1 query for each.

    What belongs to others answers like what does not exist.
    """
    return all(may_see(user, OWNED[name], key) for name, key in arguments.items() if name in OWNED)


def may_see(user: Somebody, owned: Owned, key: Any) -> bool:
    """Whether the row ``key`` of a model exists and ``user`` may see it."""
    rows = apps.get_model(owned.model)._default_manager.filter(pk=key)
    if owned.runs is None:
        return rows.filter(**{owned.person: user}).exists()
    if visible(rows, user, owned.runs).exists():
        return True
    if not owned.person or sees_everything(user):
        return False
    return rows.filter(**{f"{owned.runs}__isnull": True, owned.person: user}).exists()


def teams_to_launch_for(user: Somebody) -> QuerySet[Team]:
    """Teams that a person may give a run to: their own; all of them for an administrator."""
    if sees_everything(user):
        return Team.objects.all()
    return user.teams.all() if isinstance(user, User) else Team.objects.none()
