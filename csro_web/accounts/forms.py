"""The sign-in form."""

from __future__ import annotations

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    """Django's own, with a message that says what to try."""

    error_messages = {
        "invalid_login": (
            "This name and password do not fit together. Both are case-sensitive; the password of "
            "the first administrator was printed when the application started for the first time."
        ),
        "inactive": "This account is switched off. An administrator can switch it on again.",
    }
