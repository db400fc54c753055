"""Signing in and out."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView

from csro_web.accounts.forms import SignInForm
from csro_web.accounts.permissions import public

sign_in = public(
    LoginView.as_view(
        template_name="accounts/sign_in.html",
        authentication_form=SignInForm,
        redirect_authenticated_user=True,
    )
)
sign_out = public(LogoutView.as_view(next_page="sign-in"))
