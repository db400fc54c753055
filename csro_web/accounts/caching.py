"""Pages of signed-in people are kept nowhere: not in a shared cache, not behind the back button."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control

Answer = Callable[[HttpRequest], HttpResponseBase]


class PrivatePagesMiddleware:
    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info != "/healthz":
            patch_cache_control(response, private=True, no_store=True)
        return response
