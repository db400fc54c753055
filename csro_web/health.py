"""Whether this web process can do its work, for load balancers and container engines."""

from __future__ import annotations

from pathlib import Path

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from csro_web.accounts.permissions import public


@public
@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the database answers, 503 otherwise. Says nothing about what is in it."""
    if _file_is_gone():
        return JsonResponse({"status": "the database's file is gone"}, status=503)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except DatabaseError:
        connection.close()
        return JsonResponse({"status": "the database does not answer"}, status=503)
    return JsonResponse({"status": "ok"})


def _file_is_gone() -> bool:
    """SQLite goes on with a file that was removed, and all that it writes then is lost."""
    if connection.vendor != "sqlite":
        return False
    return not Path(connection.settings_dict["NAME"]).exists()
