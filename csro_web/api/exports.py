"""Exports: ask for one, see how far it is, fetch it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Router
from ninja.errors import HttpError
from ninja.pagination import paginate

from csro_web.accounts.models import Scope
from csro_web.accounts.ownership import visible
from csro_web.api.guard import needs
from csro_web.api.pages import Rows
from csro_web.api.schemas import ExportIn, ExportOut
from csro_web.exports import services
from csro_web.exports.choosing import ExportRefused
from csro_web.exports.models import Export, ExportFile
from csro_web.policies.models import Policy
from csro_web.runs.models import Run

router = Router(tags=["exports"])


@router.get("/exports", response=list[ExportOut], summary="Exports that you may see, newest first")
@paginate(Rows)
@needs("exports.view", Scope.EXPORT)
def list_exports(request: HttpRequest) -> Any:
    return _Described(visible(_exports(), request.user))


@router.post("/runs/{int:run_id}/exports", response={202: ExportOut}, summary="Ask for an export")
@needs("exports.make", Scope.EXPORT)
def ask_export(request: HttpRequest, run_id: int, asked: ExportIn) -> tuple[int, Any]:
    """A worker makes it; ask for its state until it is ``done``."""
    run = get_object_or_404(Run, pk=run_id)
    policy = None
    if asked.policy_id is not None:
        policy = get_object_or_404(Policy, pk=asked.policy_id, run=run)
    try:
        made = services.ask(run=run, policy=policy, draft=asked.draft, person=request.user)
    except ExportRefused as error:
        raise HttpError(409, str(error)) from error
    return 202, _described(_exports().get(pk=made.pk))


@router.get("/exports/{int:export_id}", response=ExportOut, summary="How far an export is")
@needs("exports.view", Scope.EXPORT)
def get_export(request: HttpRequest, export_id: int) -> dict[str, Any]:
    return _described(get_object_or_404(_exports(), pk=export_id))


@router.get("/exports/{int:export_id}/download", summary="The bundle, a zip file")
@needs("exports.view", Scope.EXPORT)
def download(request: HttpRequest, export_id: int) -> HttpResponse:
    file = ExportFile.objects.select_related("export").filter(export_id=export_id).first()
    if file is None:
        raise Http404
    services.note_download(file.export, file, request.user)
    response = HttpResponse(bytes(file.data), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{file.export.name}"'
    return response


def _exports() -> Any:
    return (
        Export.objects.select_related("job", "file")
        .defer("file__data", "summary")
        .order_by("-asked_at", "-id")
    )


class _Described:
    """A list that describes only the page of it that is asked for."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __getitem__(self, page: slice) -> list[dict[str, Any]]:
        return [_described(one) for one in self._found[page]]

    def all(self) -> _Described:
        return self

    def count(self) -> int:
        return int(self._found.count())


def _described(export: Export) -> dict[str, Any]:
    file = getattr(export, "file", None)
    return {
        "id": export.pk,
        "run_id": export.run_id,
        "policy_id": export.policy_id,
        "draft": export.draft,
        "name": export.name or None,
        "asked_at": export.asked_at,
        "made_at": export.made_at,
        "state": _state(export),
        "failure": (export.job.failure or None) if export.job else None,
        "size": file.size if file else None,
        "sha256": file.sha256 if file else None,
    }


def _state(export: Export) -> str:
    if export.deleted_at is not None:
        return "deleted"
    if export.made_at is not None:
        return "done"
    words = {"ready": "waiting", "claimed": "in work"}
    return words.get(export.job.state, export.job.state) if export.job else "failed"
