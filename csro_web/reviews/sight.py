"""Which people may see a run, and so what is said about its policies."""

from __future__ import annotations

from collections.abc import Iterable

import csro_web.accounts.permissions  # noqa: F401 - has_perm knows the rights once it is loaded
from csro_web.accounts.models import User
from csro_web.accounts.ownership import OWNED, may_see
from csro_web.runs.models import Run


def who_may_see(run: Run, person_ids: Iterable[int]) -> dict[int, User]:
    """Those of the people who are active and may read reviews of this run. 1 query
    each."""
    people = User.objects.filter(pk__in=list(person_ids), is_active=True)
    return {
        person.pk: person
        for person in people
        if person.has_perm("reviews.view") and may_see(person, OWNED["run_id"], run.pk)
    }
