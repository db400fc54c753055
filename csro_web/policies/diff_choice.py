"""Choosing what to compare: policies and candidates, also of other runs of the same game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest
from django.urls import reverse

from csro_web.accounts import ownership
from csro_web.pages.keys import row_number, wanted_text
from csro_web.policies import programs
from csro_web.policies.models import Candidate, Policy
from csro_web.policies.programs import Program, title

PER_PAGE = 50


@dataclass(frozen=True)
class Picked:
    """The sides that are chosen already; None for the one that is still open."""

    old: Program | None
    new: Program | None

    @property
    def is_complete(self) -> bool:
        return self.old is not None and self.new is not None

    @property
    def url(self) -> str:
        if self.old is None or self.new is None:
            raise ValueError("both sides are needed")
        return url(self.old, self.new)


def picked(request: HttpRequest) -> Picked:
    """The sides that the query names: ``a=12`` is a policy, ``b=c7`` a candidate.

    Raises:
        Http404: when it names none, or something that is not there for this person.
    """
    sides = {side: request.GET.get(side, "") for side in ("a", "b")}
    if not any(sides.values()):
        raise Http404("a policy is needed")
    found = {side: _find(request, text) if text else None for side, text in sides.items()}
    return Picked(found["a"], found["b"])


def _find(request: HttpRequest, text: str) -> Program:
    found = programs.find(text, request.user)
    if found is None:
        raise Http404(f"{text[:40]} names no policy")
    return found


def url(old: Program, new: Program) -> str:
    """The address of their comparison."""
    names = {
        (Policy, Policy): "policy-diff",
        (Candidate, Candidate): "candidate-diff",
        (Policy, Candidate): "policy-to-candidate",
        (Candidate, Policy): "candidate-to-policy",
    }
    return reverse(names[type(old), type(new)], args=[old.pk, new.pk])


def context(request: HttpRequest, chosen: Picked) -> dict[str, Any]:
    """The list of policies of the same game to choose the open side from. 2 queries."""
    given = chosen.old or chosen.new
    if given is None:
        raise Http404("a policy is needed")
    text = wanted_text(request.GET.get("q", ""), 120)
    policies = ownership.visible(Policy.objects.filter(run__game=given.run.game), request.user)
    policies = policies.exclude(sha256="").select_related("run")
    if isinstance(given, Policy):
        policies = policies.exclude(pk=given.pk)
    if text:
        number = row_number(text)
        policies = policies.filter(
            Q(name__icontains=text) | Q(run__name__icontains=text) | Q(run_id=number)
        )
    policies = policies.defer("source", "summary", "run__config", "run__held_out")
    page = Paginator(policies.order_by("-run_id", "index"), PER_PAGE).get_page(
        request.GET.get("page")
    )
    return {
        "given": given,
        "given_title": title(given),
        "given_is_old": chosen.old is not None,
        "run": given.run,
        "text": text,
        "page": page,
        "choices": [(policy, url(*_order(given, policy, chosen))) for policy in page],
        "sides": {side: request.GET[side] for side in ("a", "b") if request.GET.get(side)},
    }


def _order(given: Program, other: Program, chosen: Picked) -> tuple[Program, Program]:
    return (given, other) if chosen.old is not None else (other, given)
