"""Who may call an operation: the token's scope and its person's role and teams, all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest
from ninja.errors import HttpError
from ninja.security import HttpBearer

from csro_web.accounts import ownership, tokens
from csro_web.accounts.models import ApiToken, Scope
from csro_web.accounts.permissions import TABLE

Operation = Callable[..., Any]
RIGHTS: dict[str, str] = {}
"""The right of each operation, by its name, which is also the name of its address."""


class Token(HttpBearer):
    """``Authorization: Bearer csro_...``. Cookies count for nothing here, so no page of another
    site can use them."""

    def __call__(self, request: HttpRequest) -> Any:
        if "csro_" in request.META.get("QUERY_STRING", ""):
            raise HttpError(
                400,
                "a token stands in the address, where logs keep it: revoke it, make another, and"
                " send that as the header Authorization: Bearer",
            )
        return super().__call__(request)

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        return tokens.find(token)


def needs(name: str, scope: Scope = Scope.READ) -> Callable[[Operation], Operation]:
    """Guard an operation by a right of the table and a scope, as ``requires`` guards a view."""
    if name not in TABLE:
        raise KeyError(f"{name} is not in the permission table")

    def decorate(operation: Operation) -> Operation:
        @wraps(operation)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            token: ApiToken = request.auth  # type: ignore[attr-defined]
            person = request.user = token.person
            if not ownership.may_see_all_of(person, kwargs):
                raise Http404
            if not person.has_perm(name):
                raise _refused(request, f"your role may not {TABLE[name].words}")
            if scope not in token.scopes:
                raise _refused(request, f"this token has not the scope {str(scope)!r}")
            return operation(request, *args, **kwargs)

        # Its own module gives its annotations their meaning, not this one.
        guarded.__signature__ = inspect.signature(operation, eval_str=True)  # type: ignore[attr-defined]
        RIGHTS[operation.__name__] = name
        return guarded

    return decorate


def _refused(request: HttpRequest, words: str) -> HttpError:
    """The words are for the log too (:class:`csro_web.logs.PlainRefusals`)."""
    request.refusal = words  # type: ignore[attr-defined]
    return HttpError(403, words)
