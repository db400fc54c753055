"""What pages and the terminal say of challenges: the bound, and the effort behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from csro_web.accounts.ownership import Somebody, visible
from csro_web.calls.selectors import has_spending, spent_by
from csro_web.challenges.models import Challenge
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from csro_web.runs import progress
from csro_web.runs.models import Run

MOST_SHOWN = 50
"""The newest challenges of a target; more would only slow its page down."""


@dataclass(frozen=True)
class Report:
    """A challenge as it is shown. Unknown figures are None."""

    challenge: Challenge
    run: Run
    bound: Mapping[str, Any]
    """``{"policy", "mean", "low", "high", "found", "value"}``; empty before any try has ended."""
    proposals: int
    model_calls: int
    usd: float | None
    seconds: float | None

    @property
    def value(self) -> float:
        return float(self.bound.get("value", 0.0))


def of_policy(policy: Policy, user: Somebody) -> list[Report]:
    """All challenges of this program in its game that ``user`` may see, strongest first."""
    key = player_of(policy).key
    found = visible(Challenge.objects.filter(target=key, run__game=policy.run.game), user)
    params = policy.run.config.get("params") or {}
    reports = [report for report in _reports(found) if report.run.config["params"] == params]
    return sorted(reports, key=_strength, reverse=True)


def of_mixture(run: Run, user: Somebody) -> list[Report]:
    """All challenges of the run's final mixture that ``user`` may see, strongest first."""
    found = visible(Challenge.objects.filter(target=f"run:{run.pk}"), user)
    return sorted(_reports(found), key=_strength, reverse=True)


def of_run(run: Run) -> Report | None:
    """The challenge that the run is; None when it is none."""
    return next(iter(_reports(Challenge.objects.filter(run=run))), None)


def _reports(challenges: QuerySet[Challenge]) -> list[Report]:
    found = challenges.select_related("run", "policy", "source_run").annotate(
        proposals=Count("run__candidates")
    )
    newest = found.order_by("-pk")[:MOST_SHOWN]
    return [_report(challenge, challenge.proposals) for challenge in newest]


def _report(challenge: Challenge, proposals: int) -> Report:
    run = challenge.run
    calls, usd = 0, 0.0 if run.config.get("model") is None else None
    if has_spending(run):
        spent = spent_by(run)
        calls = spent.calls
        dollars = next(line for line in spent.lines if line.name == "usd")
        usd = None if dollars.unknown else dollars.known
    return Report(
        challenge=challenge,
        run=run,
        bound=run.lower_bound or {},
        proposals=proposals,
        model_calls=calls,
        usd=usd,
        seconds=progress.elapsed(run.started_at, run.ended_at, timezone.now()),
    )


def _strength(report: Report) -> tuple[float, float]:
    return report.value, report.bound.get("mean") or float("-inf")
