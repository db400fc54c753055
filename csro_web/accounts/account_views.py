"""A person's own account: password, sessions, tokens."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from csro_web.accounts import emails, passwords, sessions, tokens
from csro_web.accounts.confirming import SessionEnded
from csro_web.accounts.forms import OwnEmailForm, OwnPasswordForm, TokenForm
from csro_web.accounts.models import ApiToken, SignedIn
from csro_web.accounts.permissions import requires

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
        "tokens": tokens.newest(user, TOKENS_SHOWN),
        "token_form": TokenForm(),
        "teams": user.teams.all(),
        **more,
    }
    return render(request, "accounts/account.html", context, status=status)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@requires("account.own", newcomers=True)
def password(request: HttpRequest) -> HttpResponse:
    """A new password of one's own; every other session ends, and tokens unless they are to stay."""
    form = OwnPasswordForm(request, request.POST if request.method == "POST" else None)
    try:
        if request.method != "POST" or not form.is_valid():
            status = 422 if form.is_bound else 200
            return render(request, "accounts/password.html", {"form": form}, status=status)
    except SessionEnded:
        return _signed_out(request)
    person = request.user
    try:
        ended = passwords.change_own(
            person,
            form.cleaned_data["new_password1"],
            session=request.session.session_key,
            keep_tokens=form.cleaned_data.get("keep_tokens", False),
        )
    except passwords.PasswordOvertaken:
        messages.error(request, "Not changed: somebody else replaced your password just before.")
        return redirect("account")
    update_session_auth_hash(request, person)
    messages.success(request, f"Your password is changed. Elsewhere: {ended}.")
    return redirect("account")


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@requires("account.own")
def email(request: HttpRequest) -> HttpResponse:
    """Another e-mail address of one's own; the old one gets a letter."""
    sent = request.POST if request.method == "POST" else None
    form = OwnEmailForm(request, sent, initial={"email": request.user.email})
    try:
        if form.is_valid() and _email_changed(request, form):
            return redirect("account")
    except SessionEnded:
        return _signed_out(request)
    status = 422 if form.errors else 200
    return render(request, "accounts/email.html", {"form": form}, status=status)


def _email_changed(request: HttpRequest, form: OwnEmailForm) -> bool:
    address = form.cleaned_data["email"]
    try:
        changed = emails.change(request.user, address, actor=request.user)
    except emails.AddressTaken:
        form.add_error(
            "email", "Somebody else here has this address. If it is yours, ask an administrator."
        )
        return False
    messages.success(request, emails.told(address) if changed else "It is your address already.")
    return True


def _signed_out(request: HttpRequest) -> HttpResponse:
    messages.error(request, "Too many wrong passwords: this session has ended. Nothing changed.")
    return redirect("sign-in")


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
    try:
        made, text = tokens.make(person=request.user, **form.cleaned_data)
    except tokens.TokenRefused as error:
        form.add_error(None, f"No token was made: {error}.")
        return _show(request, token_form=form, status=409)
    return _show(request, made=made, made_text=text)


@require_POST
@requires("account.own")
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=token_id, person=request.user)
    if tokens.revoke(token, actor=request.user):
        messages.success(request, f"Revoked: {token.name}. Whatever used it is refused from now.")
    return redirect("account")
