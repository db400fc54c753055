"""The API and its addresses. No page of documentation: it would load scripts from elsewhere."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.throttling import AuthRateThrottle

from csro_web.api import exports, runs
from csro_web.api.guard import RIGHTS, Token, needs

api = NinjaAPI(
    title="CSRO",
    version="1",
    urls_namespace="api",
    docs_url=None,
    openapi_url=None,
    auth=Token(),
    throttle=[AuthRateThrottle(settings.API_RATE)],
)
api.add_router("", runs.router)
api.add_router("", exports.router)


@api.get("/openapi.json", include_in_schema=False)
@needs("runs.view")
def openapi(request: HttpRequest) -> dict[str, Any]:
    return dict(api.get_openapi_schema(path_prefix="/api/v1/"))


@api.exception_handler(Http404)
def nothing_there(request: HttpRequest, error: Http404) -> HttpResponse:
    told = {"detail": "there is nothing here, or it is not yours to see"}
    return api.create_response(request, told, status=404)


urlpatterns = [pattern for pattern in api.urls[0] if pattern.name in RIGHTS]
for _pattern in urlpatterns:
    # As every address of the application says which right it takes (csro_web.accounts.permissions).
    _pattern.callback.required_right = RIGHTS[str(_pattern.name)]
    _pattern.callback.is_api = True
