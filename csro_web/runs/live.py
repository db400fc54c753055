"""What the run page says, section by section, from a bounded number of queries."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, Q
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from csro_web.accounts.ownership import Somebody
from csro_web.approvals.selectors import standings
from csro_web.calls import selectors as calls
from csro_web.challenges import selectors as challenges
from csro_web.changes import selectors as changes
from csro_web.policies.models import Policy
from csro_web.runs import heldout, progress, trainings
from csro_web.runs.catalogue import facts_of
from csro_web.runs.charts import gains, heatmap, mixture
from csro_web.runs.models import Cell, Iteration, Run, RunState, Step, StepState
from csro_web.solving.published import PUBLISHED

PACE_STEPS = 20
FAILURES_SHOWN = 12
CHANGES_SHOWN = 8
WEIGHTS_SHOWN = 16

SECTIONS = (
    *("status", "challenge", "spending", "heldout", "payoffs", "weights", "mixture", "gains"),
    *("training", "changes", "failures"),
)
NOT_OF_A_CHALLENGE = frozenset({"heldout", "payoffs", "mixture", "changes"})
"""Sections about a population that grows; the opponents of a challenge are frozen."""


@dataclass(frozen=True)
class Section:
    """A part of the live page; equal digests mean equal content."""

    name: str
    html: SafeString
    digest: str


@dataclass(frozen=True)
class Weight:
    """A policy's weight in the mixture with its bootstrap range."""

    policy: Policy
    value: float
    low: float | None
    high: float | None
    css: str = "series-rest"
    """The policy's colour in the mixture chart."""


def sections(
    request: HttpRequest, run: Run, *, known: Mapping[str, str] | None = None
) -> list[Section]:
    """All sections, without those whose digest the page already has (``known``, by name)."""
    return rendered(
        request, "runs/live", names_of_sections(run), page_context(run, request.user), known=known
    )


def known_digests(have: str) -> dict[str, str]:
    """Digests by section, from ``name:digest,name:digest`` as the page sends them."""
    pairs = (entry.partition(":") for entry in have.split(","))
    return {name: digest for name, _, digest in pairs}


def rendered(
    request: HttpRequest,
    folder: str,
    names: Collection[str],
    context: dict[str, Any],
    *,
    known: Mapping[str, str] | None = None,
) -> list[Section]:
    """The sections ``names`` from the templates in ``folder``, without those already known."""
    found = []
    for name in names:
        html = render_to_string(f"{folder}/{name}.html", context, request=request)
        digest = hashlib.sha256(html.encode()).hexdigest()[:12]
        if not known or known.get(name) != digest:
            found.append(Section(name, mark_safe(html), digest))  # noqa: S308 - our template
    return found


def names_of_sections(run: Run) -> list[str]:
    left_out = NOT_OF_A_CHALLENGE if run.is_challenge else frozenset()
    return [name for name in SECTIONS if name not in left_out]


def page_context(run: Run, user: Somebody) -> dict[str, Any]:
    """Everything the sections show to ``user``."""
    policies = list(run.policies.defer("source"))
    iterations = list(run.iterations.all())
    by_index = {policy.index: policy for policy in policies}
    chart = mixture_chart(run, by_index, iterations)
    weights = current_weights(run, policies, iterations, chart)
    recent = changes.recent_changes(run, CHANGES_SHOWN)
    return {
        "run": run,
        "facts": facts_of(run),
        "policies": policies,
        "iterations": iterations,
        "iteration_rows": [
            {"iteration": one, "policy": by_index.get(one.policy_index)} for one in iterations
        ],
        **status(run, iterations),
        "spent": calls.spent_by(run) if calls.has_spending(run) else None,
        "weights": weights,
        "weights_shown": weights[:WEIGHTS_SHOWN],
        "standings": standings(weight.policy for weight in weights[:WEIGHTS_SHOWN]),
        "weights_left_out": max(0, len(weights) - WEIGHTS_SHOWN),
        "payoffs": payoffs(run, policies, iterations),
        "mixture": chart,
        "gains": gain_chart(iterations),
        **trainings.of_run(run),
        "heldout": heldout.look(run),
        "challenge": challenges.of_run(run) if run.is_challenge else None,
        "mixture_challenges": challenges.of_mixture(run, user) if run.final_sigma else [],
        "published": PUBLISHED.get(run.game, ()),
        "changes": recent,
        "revisions": sum(1 for change in recent if change.is_revision),
        **failures(run),
    }


def status(run: Run, iterations: Collection[Iteration]) -> dict[str, Any]:
    working = list(run.steps.filter(state=StepState.CLAIMED).defer("inputs", "result")[:20])
    last = (
        run.steps.filter(state=StepState.DONE, started_at__isnull=False, ended_at__isnull=False)
        .order_by("-ended_at")
        .values_list("started_at", "ended_at")[:PACE_STEPS]
    )
    durations = [(end - start).total_seconds() for start, end in last]
    asked = run.config.get("iterations")
    return {
        "working": working,
        **run.steps.filter(state=StepState.READY).aggregate(
            waiting=Count("pk"), asked_again=Min("not_before")
        ),
        "asking": 0 if run.has_ended else run.steps.filter(state=StepState.WAITING).count(),
        "progress": progress.describe(
            state=run.state,
            done=run.steps_done,
            expected=run.steps_expected,
            durations=durations,
            workers=len(working),
        ),
        "elapsed": progress.elapsed(run.started_at, run.ended_at, timezone.now())
        if run.search_is_over
        else None,
        "iterations_done": sum(1 for iteration in iterations if iteration.finished),
        "iterations_asked": asked,
        "may_pause": run.state in (RunState.QUEUED, RunState.RUNNING),
        "may_resume": run.state == RunState.PAUSED,
        "may_finish": not run.search_is_over and run.finish_asked_at is None,
    }


def newest_sigma(
    run: Run, iterations: Collection[Iteration]
) -> tuple[list[float], list[float], list[float]] | None:
    """The final mixture with its range when there is one, else that of the newest iteration."""
    if run.final_sigma is not None:
        return run.final_sigma, run.final_sigma_low or [], run.final_sigma_high or []
    last = max(iterations, key=lambda one: one.index, default=None)
    return (last.sigma, last.sigma_low, last.sigma_high) if last else None


def current_weights(
    run: Run,
    policies: Collection[Policy],
    iterations: Collection[Iteration],
    chart: Mapping[str, Any] | None,
) -> list[Weight]:
    """Policies of the mixture, heaviest first; of equal weights, the higher upper end first."""
    sigma = newest_sigma(run, iterations)
    if sigma is None:
        return []
    values, lows, highs = sigma
    css = {one.policy: one.css for one in chart["chart"].series} if chart else {}
    weights = [
        Weight(
            policy,
            values[policy.index],
            at(lows, policy.index),
            at(highs, policy.index),
            css.get(policy.index, "series-rest"),
        )
        for policy in policies
        if policy.index < len(values)
    ]
    return sorted(weights, key=lambda one: (-one.value, -(one.high or one.value), one.policy.index))


def at(values: list[float], index: int) -> float | None:
    return values[index] if index < len(values) else None


def payoffs(
    run: Run, policies: list[Policy], iterations: Collection[Iteration]
) -> dict[str, Any] | None:
    """The heat map over the policies that matter most; None before there are two."""
    if len(policies) < 2:
        return None
    sigma = newest_sigma(run, iterations)
    upper = dict(enumerate(sigma[2] or sigma[0])) if sigma else {}
    members = heatmap.choose_members([as_member(policy) for policy in policies], upper)
    shown = [member.index for member in members]
    cells = {
        (cell.row, cell.column): heatmap.Cell(cell.mean, cell.low, cell.high, cell.match_id)
        for cell in Cell.objects.filter(run=run, row__in=shown, column__in=shown)
    }
    return {
        "map": heatmap.draw(members, cells, facts_of(run).unit),
        "known": len(cells),
        "asked": len(shown) * (len(shown) - 1) // 2,
        "left_out": len(policies) - len(members),
        "withdrawn": any(member.withdrawn for member in members),
        "levels": range(1, heatmap.LEVELS + 1),
    }


def as_member(policy: Policy) -> heatmap.Member:
    return heatmap.Member(policy.index, policy.name, policy.pk, policy.withdrawn_by is not None)


def mixture_chart(
    run: Run, by_index: Mapping[int, Policy], iterations: Collection[Iteration]
) -> dict[str, Any] | None:
    columns = [(str(one.index), one.sigma) for one in iterations]
    if run.final_sigma is not None:
        columns.append(("end", run.final_sigma))
    chart = mixture.draw(columns)
    if chart is None:
        return None
    legend = [(series, by_index.get(series.policy)) for series in chart.series]
    return {"chart": chart, "legend": legend, "labels": [label for label, _ in columns]}


def gain_chart(iterations: Collection[Iteration]) -> gains.GainChart | None:
    return gains.draw(
        [
            gains.Gain(one.index, one.gain_mean, one.gain_low, one.gain_high, one.policy_index)
            for one in iterations
        ]
    )


def failures(run: Run) -> dict[str, Any]:
    """What went wrong: refused candidates, faults, and steps that failed. 3 queries."""
    counts = run.candidates.aggregate(
        tried=Count("pk"), refused=Count("pk", filter=Q(accepted=False))
    )
    troubled = (
        run.candidates.filter(Q(accepted=False) | ~Q(faults={}))
        .only(
            "run",
            "key",
            "iteration",
            "attempt",
            "accepted",
            "reason",
            "line",
            "faults",
            "tracebacks",
        )
        .order_by("-iteration", "-attempt")
    )
    return {
        "candidates": counts,
        "troubled": list(troubled[:FAILURES_SHOWN]),
        "failed_steps": list(
            Step.objects.filter(run=run)
            .exclude(failure="")
            .defer("inputs", "result")[:FAILURES_SHOWN]
        ),
    }
