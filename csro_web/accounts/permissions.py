"""Who may do what: one table, checked by every view, together with who owns what is asked for.

A view names its right with :func:`requires` (or says that it needs none with :func:`public`); a
test walks the URL configuration and fails for a view that does neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

import rules
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from csro_web.accounts import ownership
from csro_web.accounts.models import Role, User
from csro_web.accounts.sign_in import ask_to_sign_in

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True)
class Right:
    """Something a person may do, in words that finish "may not ...", and the roles that may."""

    words: str
    roles: frozenset[Role]


EVERYBODY = frozenset(Role)
RUN_PEOPLE = frozenset({Role.OPERATOR, Role.ADMINISTRATOR})
WRITING_PEOPLE = frozenset({Role.REVIEWER, *RUN_PEOPLE})
DECIDING_PEOPLE = frozenset({Role.APPROVER, Role.ADMINISTRATOR})
READING_CLOSELY = EVERYBODY - {Role.VIEWER}

TABLE: Mapping[str, Right] = {
    "runs.view": Right("look at runs", EVERYBODY),
    "runs.launch": Right("launch runs", RUN_PEOPLE),
    "runs.steer": Right("pause, resume, finish or cancel runs", RUN_PEOPLE),
    "calls.view": Right("read what was asked of language models", EVERYBODY),
    "calls.resend": Right("send a call to a language model once more", RUN_PEOPLE),
    "matches.view": Right("look at matches", EVERYBODY),
    "candidates.view": Right("read what the oracle tried", EVERYBODY),
    "requests.view": Right("look at what waits for people", EVERYBODY),
    "requests.answer": Right("answer in a model's place", WRITING_PEOPLE),
    "policies.view": Right("read policies", EVERYBODY),
    "reviews.view": Right("read reviews", EVERYBODY),
    "reviews.write": Right("review policies", READING_CLOSELY),
    "changes.view": Right("see what people changed in a population", EVERYBODY),
    "changes.try": Right("try edits in the sandbox", READING_CLOSELY),
    "changes.commit": Right("commit policies to a population", WRITING_PEOPLE),
    "changes.withdraw": Right(
        "take policies out of a population", frozenset({Role.OPERATOR, *DECIDING_PEOPLE})
    ),
    "approvals.view": Right("see how far the approval of a policy is", EVERYBODY),
    "approvals.evaluate": Right("have a policy evaluated on unseen seeds", READING_CLOSELY),
    "approvals.decide": Right("approve or reject policies", DECIDING_PEOPLE),
    "exports.view": Right("see and download exports", EVERYBODY),
    "exports.make": Right("export policies", frozenset({Role.OPERATOR, *DECIDING_PEOPLE})),
    "exports.delete": Right("delete files of exports", frozenset({Role.ADMINISTRATOR})),
    "audit.view": Right("read the audit trail", DECIDING_PEOPLE),
    "people.manage": Right("manage people and teams", frozenset({Role.ADMINISTRATOR})),
    "account.own": Right("manage their own account", EVERYBODY),
}
"""The permission table. The key is what views, templates (``perms.runs.launch``) and tests use."""


class LacksRight(PermissionDenied):
    """A signed-in person asked for what their role may not do; the 403 page explains it."""

    def __init__(self, name: str) -> None:
        self.right = TABLE[name]
        self.in_logs = f"lacks the right {name} ({self.right.words})"
        super().__init__(f"your role may not {self.right.words}")


def _holds_one_of(roles: frozenset[Role]) -> rules.Predicate:
    @rules.predicate
    def holds(user: User | None) -> bool:
        return bool(
            user is not None
            and user.is_authenticated
            and user.is_active
            and (user.is_superuser or user.role in roles)
        )

    return holds


for _name, _right in TABLE.items():
    rules.add_perm(_name, _holds_one_of(_right.roles))


def requires(name: str, *, newcomers: bool = False) -> Callable[[View], View]:
    """Guard a view: strangers are asked to sign in, outsiders to what its URL names (another team's
    run, or anything of it) find nothing there, and people without the right get a 403 page.

    Who came with a one-time password chooses an own one first, except on views for ``newcomers``.
    """
    if name not in TABLE:
        raise KeyError(f"{name} is not in the permission table")

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return ask_to_sign_in(request)
            if request.user.must_change_password and not newcomers:
                return redirect("account-password")
            if not ownership.may_see_all_of(request.user, kwargs):
                raise Http404
            if not request.user.has_perm(name):
                raise LacksRight(name)
            return view(request, *args, **kwargs)

        guarded.required_right = name  # type: ignore[attr-defined]
        return guarded

    return decorate


def public(view: View) -> View:
    """Mark a view that anybody may call, signed in or not."""
    view.required_right = None  # type: ignore[attr-defined]
    return view


def people_who_may(right: Right, asker: ownership.Somebody, *, limit: int = 5) -> list[str]:
    """Names of active people whose role holds ``right`` and who could help ``asker``: of no team,
    of his, or administrators."""
    near = Q(teams=None) | Q(role=Role.ADMINISTRATOR)
    if asker.is_authenticated:
        near |= Q(teams__in=asker.teams.order_by().values("pk"))
    may = Q(role__in=[str(role) for role in right.roles])
    found = User.objects.filter(may, near, is_active=True).order_by("pk").distinct()
    return [person.called for person in found[:limit]]
