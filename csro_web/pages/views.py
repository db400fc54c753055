"""What belongs to no object: whether the application is alive."""

from __future__ import annotations

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import public


@public
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 when the application answers and reaches its database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain")
