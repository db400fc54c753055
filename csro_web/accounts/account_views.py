"""A person's own account: password, sessions, tokens."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from csro_web.accounts import sessions, tokens
from csro_web.accounts.forms import TokenForm
from csro_web.accounts.models import ApiToken, SignedIn
from csro_web.accounts.permissions import requires
from csro_web.audit.actions import Action
from csro_web.audit.trail import record

TOKENS_SHOWN = 50


@require_safe
@requires("account.own")
def account(request: HttpRequest) -> HttpResponse:
    return _show(request)


def _show(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    user = request.user
    key = request.session.session_key
    signed_in = [
        {"it": one, "device": sessions.device(one.agent), "current": one.session_id == key}
        for one in sessions.of(user)
    ]
    context = {
        "sessions": signed_in,
        "others": sum(not one["current"] for one in signed_in),
        "tokens": user.tokens.all()[:TOKENS_SHOWN],
        "token_form": TokenForm(),
        "teams": user.teams.all(),
        **more,
    }
    return render(request, "accounts/account.html", context, status=status)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires("account.own", newcomers=True)
def password(request: HttpRequest) -> HttpResponse:
    """A new password of one's own; every other session ends."""
    form = PasswordChangeForm(request.user, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        status = 422 if form.is_bound else 200
        return render(request, "accounts/password.html", {"form": form}, status=status)
    with transaction.atomic():
        person = form.save(commit=False)
        person.must_change_password = False
        person.save(update_fields=["password", "must_change_password"])
        others = person.sessions.exclude(session_id=request.session.session_key)
        sessions.end(others, actor=person, person=person, why="new password")
        record(Action.PASSWORD_CHANGED, actor=person, subject=person)
    update_session_auth_hash(request, person)
    messages.success(request, "Your password is changed. Your other sessions have ended.")
    return redirect("account")


@require_POST
@requires("account.own")
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    chosen = get_object_or_404(SignedIn, pk=session_id, person=request.user)
    return _end(request, request.user.sessions.filter(pk=chosen.pk))


@require_POST
@requires("account.own")
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    return _end(request, request.user.sessions.exclude(session_id=request.session.session_key))


def _end(request: HttpRequest, which: Any) -> HttpResponse:
    ended = sessions.end(which, actor=request.user, person=request.user, why="its owner asked")
    messages.success(request, f"{ended} session{'' if ended == 1 else 's'} ended.")
    return redirect("account")


@require_POST
@requires("account.own")
def make_token(request: HttpRequest) -> HttpResponse:
    """The page that shows the new token, this once."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _show(request, token_form=form, status=422)
    made, text = tokens.make(person=request.user, **form.cleaned_data)
    return _show(request, made=made, made_text=text)


@require_POST
@requires("account.own")
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=token_id, person=request.user)
    if tokens.revoke(token, actor=request.user):
        messages.success(request, f"Revoked: {token.name}. Whatever used it is refused from now.")
    return redirect("account")
