"""Names of those who could do what is missing."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

from csro_web.accounts.models import Role, User
from csro_web.accounts.permissions import TABLE
from csro_web.runs.models import Run

MOST_NAMED = 5


def who_could(right: str, run: Run, *, without: Collection[int] = ()) -> list[str]:
    """Active people who see the run and whose role holds ``right``. 1 query.

    Being a superuser is left out of account: it replaces no role where it matters here.
    """
    found = User.objects.filter(is_active=True, role__in=[str(one) for one in TABLE[right].roles])
    if run.team_id is not None:
        found = found.filter(Q(teams=run.team_id) | Q(role=Role.ADMINISTRATOR)).distinct()
    able = found.exclude(pk__in=without).order_by("pk")[:MOST_NAMED]
    return [person.called for person in able]
