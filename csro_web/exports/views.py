"""The pages of exports: ask for one, watch it being made, download it, delete its file."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from csro_web import signing
from csro_web.accounts.permissions import requires
from csro_web.bundles.reading import read_bundle
from csro_web.exports import selectors, services
from csro_web.exports.choosing import ExportRefused, choose
from csro_web.exports.forms import APPROVED, POLICY, ExportForm
from csro_web.exports.models import Export, ExportFile, ExportKind
from csro_web.runs.models import Run

NOTHING_ACTS = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
"""For a report that is opened anyway: an origin of its own, no script, nothing loaded."""


@require_safe
@requires("exports.view")
def export_list(request: HttpRequest) -> HttpResponse:
    narrow = selectors.ExportFilter.from_query(request.GET)
    page = selectors.list_exports(narrow, request.GET.get("page"), request.user)
    return render(request, "exports/list.html", {"page": page, "narrow": narrow})


@require_http_methods(["GET", "HEAD", "POST"])
@requires("exports.make")
def export_run(request: HttpRequest, run_id: int) -> HttpResponse:
    """What an export would hold and what it would cost; asking for it."""
    run = get_object_or_404(Run, pk=run_id)
    if request.method != "POST":
        one = request.GET.get("policy", "")
        opening = {"what": POLICY if one else APPROVED, "policy": one}
        return _ask_page(request, run, ExportForm(run, initial=opening), status=200)
    form = ExportForm(run, request.POST)
    if not form.is_valid():
        return _ask_page(request, run, form, status=422)
    policy, draft = form.chosen
    try:
        export = services.ask(run=run, policy=policy, draft=draft, person=request.user)
    except ExportRefused as error:
        form.add_error(None, f"{str(error)[:1].upper()}{str(error)[1:]}.")
        return _ask_page(request, run, form, status=422)
    return redirect("export", export.pk)


def _ask_page(request: HttpRequest, run: Run, form: ExportForm, *, status: int) -> HttpResponse:
    choice = choose(run, kind=ExportKind.APPROVED, policy=None, draft=False)
    context = {
        "run": run,
        "form": form,
        "choice": choice,
        "waiting": [p for p in choice.places if not p.included and p.policy.approvable],
        "cost": selectors.cost_of(choice),
    }
    return render(request, "exports/new.html", context, status=status)


@require_safe
@requires("exports.view")
def export_page(request: HttpRequest, export_id: int) -> HttpResponse:
    found = Export.objects.select_related("run", "policy", "asked_by", "job", "deleted_by")
    export = get_object_or_404(found, pk=export_id)
    file = ExportFile.objects.filter(export=export).defer("data").first()
    context = {
        "export": export,
        "job": export.job,
        "file": file,
        "summary": export.summary,
        "lapsed": selectors.no_longer_approved(export),
        "fingerprint": signing.fingerprint(signing.public_key()),
    }
    return render(request, "exports/export.html", context)


@require_safe
@requires("exports.view")
def export_download(request: HttpRequest, export_id: int) -> HttpResponse:
    export, file = _with_file(export_id)
    services.note_download(export, file, request.user)
    return _attachment(bytes(file.data), export.name, "application/zip")


@require_safe
@requires("exports.view")
def export_report(request: HttpRequest, export_id: int) -> HttpResponse:
    """The report alone, as a file: it holds what others wrote and is no page of ours."""
    export, file = _with_file(export_id)
    report = read_bundle(bytes(file.data)).members["report.html"]
    services.note_download(export, file, request.user)
    name = export.name.removesuffix(".zip") + "-report.html"
    return _attachment(report, name, "text/html; charset=utf-8")


def _with_file(export_id: int) -> tuple[Export, ExportFile]:
    file = ExportFile.objects.select_related("export").filter(export_id=export_id).first()
    if file is None:
        raise Http404("this export has no file: it is not made yet, or was deleted")
    return file.export, file


def _attachment(content: bytes, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = NOTHING_ACTS
    response["Cache-Control"] = "private, no-store"
    return response


@require_POST
@requires("exports.delete")
def export_delete(request: HttpRequest, export_id: int) -> HttpResponse:
    export = get_object_or_404(Export, pk=export_id)
    if services.delete_file(export, request.user):
        messages.success(request, "The file is deleted. The record of the export stays.")
    else:
        messages.info(request, "This export has no file (any more).")
    return redirect("export", export_id)


@require_safe
@requires("exports.view")
def public_key(request: HttpRequest) -> HttpResponse:
    *former, current = signing.known_keys()
    context: dict[str, Any] = {
        "key": current.public_key.hex(),
        "fingerprint": current.fingerprint,
        "former": [{"key": one, "hex": one.public_key.hex()} for one in reversed(former)],
    }
    return render(request, "exports/key.html", context)
