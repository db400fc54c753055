"""Bringing policies in: what was brought is shown first, then each of them becomes a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from csro_web.accounts.ownership import visible
from csro_web.accounts.permissions import requires
from csro_web.changes import archives, exposure, imports, pruning
from csro_web.changes.archives import NotAccepted
from csro_web.changes.edit_models import PendingImport
from csro_web.changes.services import why_unchangeable
from csro_web.pages.keys import row_number
from csro_web.policies.models import Origin, Policy
from csro_web.runs.catalogue import facts_of
from csro_web.runs.models import Run

OTHER_RUNS_SHOWN = 50
MEMBERS_SHOWN = 200
TOO_LARGE, REFUSED = 413, 422


@require_http_methods(["GET", "HEAD", "POST"])
@requires("changes.commit")
def policy_add(request: HttpRequest, run_id: int) -> HttpResponse:
    """The ways in: paste, upload, another run."""
    run = get_object_or_404(Run, pk=run_id)
    if request.method != "POST":
        return render(request, "changes/add.html", _ways_in(request, run))
    try:
        pending = _brought(request, run)
    except NotAccepted as error:
        too_large = getattr(request, "upload_too_large", False)
        context = {**_ways_in(request, run), "error": error}
        status = TOO_LARGE if too_large else REFUSED
        return render(request, "changes/add.html", context, status=status)
    return redirect("import", pending.pk)


def _brought(request: HttpRequest, run: Run) -> PendingImport:
    way, posted = request.POST.get("way", ""), request.POST
    if getattr(request, "upload_too_large", False):
        limit = archives.MOST_BYTES // 2**20
        raise NotAccepted(f"The file is too large: at most {limit} MB are taken.")
    if way == "upload":
        file = request.FILES.get("file")
        if file is None:
            raise NotAccepted("Choose a file first.")
        return imports.upload(
            run=run,
            person=request.user,
            file_name=file.name or "",
            data=file.read(),
            key=posted.get("key", ""),
        )
    if way == "run":
        keys = [key for text in posted.getlist("policy") if (key := row_number(text)) is not None]
        found = visible(Policy.objects.exclude(source=""), request.user).filter(pk__in=keys)
        policies = list(found.select_related("run").order_by("run_id", "index"))
        return imports.from_policies(run=run, person=request.user, policies=policies)
    return imports.paste(
        run=run, person=request.user, text=posted.get("text", ""), name=posted.get("name", "")
    )


def _ways_in(request: HttpRequest, run: Run) -> dict[str, Any]:
    """At most 4 queries."""
    others = visible(Run.objects.filter(game=run.game), request.user, path="").exclude(pk=run.pk)
    chosen = row_number(request.GET.get("from", ""))
    other = others.filter(pk=chosen).first() if chosen is not None else None
    members = Policy.objects.filter(run=other).exclude(origin=Origin.BOT) if other else None
    return {
        "run": run,
        "facts": facts_of(run),
        "closed": why_unchangeable(run),
        "others": others.order_by("-pk").only("pk", "name")[:OTHER_RUNS_SHOWN],
        "other": other,
        "members": members.defer("source")[:MEMBERS_SHOWN] if members is not None else (),
        "text": request.POST.get("text", ""),
        "name": request.POST.get("name", ""),
        "key": request.POST.get("key", ""),
        "most_megabytes": archives.MOST_BYTES // 2**20,
        "most_programs": archives.MOST_PROGRAMS,
    }


@require_http_methods(["GET", "HEAD", "POST"])
@requires("changes.commit")
def import_page(request: HttpRequest, import_id: int) -> HttpResponse:
    """What was brought, with boxes to choose; after a commit, what became of each."""
    pending = get_object_or_404(
        PendingImport.objects.select_related("run__team", "person"), pk=import_id
    )
    if request.method != "POST":
        return render(request, "changes/import.html", _shown(request, pending))
    chosen = {
        number: request.POST.get(f"name-{number}", "")
        for text in request.POST.getlist("item")
        if (number := row_number(text)) is not None
    }
    reason = request.POST.get("reason", "")
    try:
        shown = _confirmed(request, pending, chosen)
        made = imports.commit(
            pending=pending, person=request.user, chosen=chosen, reason=reason, shown=shown
        )
    except NotAccepted as error:
        context = {**_shown(request, pending, chosen), "error": error, "reason": reason}
        return render(request, "changes/import.html", context, status=REFUSED)
    left = len(chosen) - made
    if left:
        context = {**_shown(request, pending, chosen), "reason": reason}
        return render(request, "changes/import.html", context, status=REFUSED)
    messages.success(request, f"Committed: {made}.")
    return redirect("import", pending.pk)


def _confirmed(
    request: HttpRequest, pending: PendingImport, chosen: Mapping[int, str]
) -> dict[int, dict[str, Any]]:
    """What is shown to others with this commit, for its record.

    Raises:
        NotAccepted: when something is, and the person did not say that it may be.
    """
    exposed = exposure.exposures(pending, request.user)
    told = {number: one.detail(pending.run) for number, one in exposed.items() if number in chosen}
    if told and "may_be_shown" not in request.POST:
        raise NotAccepted(
            f"What you ticked would be shown to {exposure.audience_of(pending.run)}. Say below "
            "that it may be, or untick it."
        )
    return told


def _shown(
    request: HttpRequest, pending: PendingImport, chosen: dict[int, str] | None = None
) -> dict[str, Any]:
    """5 queries."""
    exposed = exposure.exposures(pending, request.user)
    hashes = [item["sha256"] for item in pending.items if item["sha256"]]
    members = Policy.objects.filter(run_id=pending.run_id, sha256__in=hashes).defer("source")
    there = {member.sha256: member for member in members}
    rows = [
        {
            **item,
            "number": number,
            "exposed": None if item.get("change") else exposed.get(number),
            "lines": item["text"].count("\n") + 1,
            "same_as": there.get(item["sha256"]) if item["sha256"] else None,
            "name": item["name"] if chosen is None else chosen.get(number, item["name"]),
            "ticked": item["accepted"] if chosen is None else number in chosen,
        }
        for number, item in enumerate(pending.items)
    ]
    return {
        "pending": pending,
        "kept_until": pruning.kept_until(pending),
        "run": pending.run,
        "facts": facts_of(pending.run),
        "rows": rows,
        "exposed": any(row["exposed"] and row["accepted"] for row in rows),
        "audience": exposure.audience_of(pending.run),
        "may_be_shown": "may_be_shown" in request.POST,
        "open": any(row["accepted"] and not row.get("change") for row in rows),
        "closed": why_unchangeable(pending.run),
    }
