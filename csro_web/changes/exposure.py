"""Which programs of a team an import would show to people outside of that team."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from csro_web.accounts.models import User
from csro_web.accounts.ownership import visible
from csro_web.changes.fingerprints import texts_like_each
from csro_web.changes.imports import ANOTHER_RUN
from csro_web.changes.models import PendingImport
from csro_web.policies.models import Policy
from csro_web.runs.models import Run

EVERYBODY = "everybody who can sign in here"


@dataclass(frozen=True)
class Exposure:
    """An item of an import that is, or has the program of, ``policy`` of a team's run."""

    policy: Policy

    @property
    def team(self) -> str:
        """Those who see it now."""
        return str(self.policy.run.team)

    def detail(self, run: Run) -> dict[str, Any]:
        """For the record of whoever shows it in ``run``."""
        return {
            "of_run": self.policy.run_id,
            "of_policy": self.policy.pk,
            "seen_by": self.team,
            "shown_to": audience_of(run),
        }


def audience_of(run: Run) -> str:
    return EVERYBODY if run.team is None else f"the team {run.team}"


def exposures(pending: PendingImport, person: User) -> dict[int, Exposure]:
    """By the item's number, those that people who may not see them now would see.

    Pasted and uploaded programs are known again, comments and layout apart, among the policies that
    ``person`` may see: of others nothing is given away. What the readers of the run have in another
    run already is no news, unless it says which team's run it is from. 3 queries.
    """
    hashes = {one["sha256"] for one in pending.items if one["sha256"]}
    alike = texts_like_each(hashes)
    every = set().union(*alike.values())
    taken = {key for one in pending.items if (key := one["provenance"].get("policy"))}
    rows = Policy.objects.filter(Q(pk__in=taken) | Q(sha256__in=every))
    found = visible(rows, person).select_related("run__team").defer("source").order_by("pk")
    policies = list(found)
    told: dict[int, Exposure] = {}
    for number, item in enumerate(pending.items):
        same = alike.get(item["sha256"], set())
        close = [one for one in policies if _is_it(one, item, same) and _is_closed(one, pending)]
        known = any(one.sha256 in same and not _is_closed(one, pending) for one in policies)
        if close and (item["provenance"].get("how") == ANOTHER_RUN or not known):
            told[number] = Exposure(close[0])
    return told


def _is_it(policy: Policy, item: Mapping[str, Any], same: set[str]) -> bool:
    if item["provenance"].get("how") == ANOTHER_RUN:
        return bool(item["provenance"]["policy"] == policy.pk)
    return policy.sha256 in same


def _is_closed(policy: Policy, pending: PendingImport) -> bool:
    """Whether readers of the run that it is brought into may not see it where it is."""
    return policy.run.team_id not in (None, pending.run.team_id)
