"""Runs and their policies, to read."""

from __future__ import annotations

from typing import Any

from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router
from ninja.pagination import paginate

from csro_web.accounts.ownership import visible
from csro_web.api.guard import needs
from csro_web.api.pages import Rows
from csro_web.api.schemas import CellOut, PolicyOut, RunDetail, RunOut, WeightOut
from csro_web.approvals.selectors import standings
from csro_web.policies import selectors
from csro_web.policies.models import Policy
from csro_web.runs.models import Cell, Run

router = Router(tags=["runs"])


@router.get("/runs", response=list[RunOut], summary="Runs that you may see, newest first")
@paginate(Rows)
@needs("runs.view")
def list_runs(request: HttpRequest) -> QuerySet[Run]:
    return visible(Run.objects.select_related("team"), request.user, path="")


@router.get("/runs/{int:run_id}", response=RunDetail, summary="One run")
@needs("runs.view")
def get_run(request: HttpRequest, run_id: int) -> Run:
    return get_object_or_404(Run.objects.select_related("team"), pk=run_id)


@router.get(
    "/runs/{int:run_id}/payoffs", response=list[CellOut], summary="Its payoffs, row over column"
)
@paginate(Rows)
@needs("runs.view")
def get_payoffs(request: HttpRequest, run_id: int) -> QuerySet[Any]:
    return (
        Cell.objects.filter(run_id=run_id)
        .order_by("row", "column")
        .values("row", "column", "mean", "low", "high", "match_id")
        .annotate(
            episodes=F("match__episodes"),
            seed=F("match__seed"),
            sandbox_level=F("match__sandbox_level"),
        )
    )


@router.get("/runs/{int:run_id}/mixture", response=list[WeightOut], summary="Its newest mixture")
@needs("runs.view")
def get_mixture(request: HttpRequest, run_id: int) -> list[dict[str, Any]]:
    """Weights with their ranges; empty before there is a mixture."""
    run = get_object_or_404(Run, pk=run_id)
    weights = [(one, selectors.weight_of(one)) for one in _members(run)]
    return [
        {
            "policy_id": policy.pk,
            "index": policy.index,
            "weight": found.value,
            "low": found.low,
            "high": found.high,
        }
        for policy, found in weights
        if found is not None
    ]


def _members(run: Run) -> list[Policy]:
    members = selectors.members_of(run)
    for member in members:
        member.run = run
    return members


@router.get("/runs/{int:run_id}/policies", response=list[PolicyOut], summary="Its population")
@needs("policies.view")
def list_policies(request: HttpRequest, run_id: int) -> list[dict[str, Any]]:
    return _described(_members(get_object_or_404(Run, pk=run_id)))


@router.get("/policies/{int:policy_id}", response=PolicyOut, summary="One policy")
@needs("policies.view")
def get_policy(request: HttpRequest, policy_id: int) -> dict[str, Any]:
    return _described([get_object_or_404(Policy.objects.defer("source"), pk=policy_id)])[0]


@router.get("/policies/{int:policy_id}/source", summary="Its program, as plain text")
@needs("policies.view")
def get_source(request: HttpRequest, policy_id: int) -> HttpResponse:
    policy = get_object_or_404(Policy, pk=policy_id)
    return HttpResponse(policy.source, content_type="text/plain; charset=utf-8")


def _described(policies: list[Policy]) -> list[dict[str, Any]]:
    states = standings(policies)
    return [
        {
            "id": one.pk,
            "run_id": one.run_id,
            "index": one.index,
            "name": one.name,
            "origin": one.origin,
            "sha256": one.sha256 or None,
            "iteration": one.iteration,
            "withdrawn": one.withdrawn_by is not None,
            "standing": str(states[one.pk]),
        }
        for one in policies
    ]
