"""The forms of signing in, of one's own account, and of people and teams."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.http import HttpRequest

from csro_web.accounts import confirming, tokens
from csro_web.accounts.models import Role, Scope, Team, User
from csro_web.pages.choices import NamedChoiceField, NamedMultipleChoiceField
from csro_web.pages.keys import row_number

NO_TEAMS = "There are none yet. Without one, people see the runs that everybody sees."
NOBODY = "nobody"
"""What the form of a team without members says that it showed."""


class AddressField(forms.EmailField):
    """An e-mail address, or none. Django lets control characters stand between quotes."""

    default_error_messages = {
        "invalid": "This is no e-mail address: it looks like name@example.org."
    }

    def __init__(self) -> None:
        super().__init__(
            label="E-mail",
            required=False,
            max_length=254,
            help_text="Where letters about reviews go. Empty: none.",
        )

    def clean(self, value: Any) -> Any:
        address = super().clean(value)
        if not address.isprintable():
            raise forms.ValidationError(self.error_messages["invalid"])
        return User.objects.normalize_email(address)


class SignInForm(AuthenticationForm):
    """Django's own, with a message that says what to try."""

    error_messages = {
        "invalid_login": (
            "This name and password do not fit together. Both are case-sensitive; the password of "
            "the first administrator was printed when the application started for the first time."
        ),
        "inactive": "This account is switched off. An administrator can switch it on again.",
    }

    def clean_username(self) -> str:
        """Django bounds only what a browser lets one type; a failed try is stored by its name."""
        name: str = self.cleaned_data["username"]
        if len(name) > self.username_field.max_length:
            raise self.get_invalid_login_error()
        return name


class OwnPasswordForm(PasswordChangeForm):  # type: ignore[type-arg]
    """Django's own; a wrong old password counts (:mod:`csro_web.accounts.confirming`)."""

    keep_tokens = forms.BooleanField(required=False, label="My tokens stay in force")

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request.user, *args, **kwargs)
        self._request = request
        self.in_force = list(tokens.usable(request.user))
        if not self.in_force:
            del self.fields["keep_tokens"]

    def clean_old_password(self) -> str:
        return _confirmed(self._request, self.cleaned_data["old_password"])


def _confirmed(request: HttpRequest, password: str) -> str:
    """
    Raises:
        ValidationError: when it is not the password of who is signed in.
        SessionEnded: when it was wrong too often.
    """
    if not confirming.is_right(request, password):
        raise forms.ValidationError(
            "This is not your present password. After a few wrong ones you are signed out."
        )
    return password


class PersonForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new person."""

    email = AddressField()
    teams = NamedMultipleChoiceField(
        Team.objects.all(), required=False, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = User
        fields = ("username", "email", "role")
        labels = {"username": "Name"}
        help_texts = {"username": "With which they sign in. Letters, digits and @ . + - _"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not Team.objects.exists():
            self.fields["teams"].help_text = NO_TEAMS


class EmailForm(forms.Form):
    """An administrator corrects somebody's address."""

    email = AddressField()


class OwnEmailForm(EmailForm):
    """Somebody changes their own, with the password."""

    password = forms.CharField(
        label="Present password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._request = request

    def clean_password(self) -> str:
        return _confirmed(self._request, self.cleaned_data["password"])


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=Role.choices)


class TeamForm(forms.ModelForm):  # type: ignore[type-arg]
    """A new team: its people are chosen on its page."""

    class Meta:
        model = Team
        fields = ("name",)


class TeamMembersForm(TeamForm):
    """The name, and who is in it. The form knows whom it showed as members: what was changed by
    others since it was opened is not undone by sending it."""

    members = NamedMultipleChoiceField(
        User.objects.order_by("username"),
        required=False,
        label="People",
        widget=forms.CheckboxSelectMultiple,
    )
    shown = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta(TeamForm.Meta):
        fields = ("name", "members")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._now = set(self.instance.members.values_list("pk", flat=True))
        self.initial["shown"] = " ".join(str(pk) for pk in sorted(self._now)) or NOBODY

    def clean(self) -> dict[str, Any]:
        """``join`` and ``leave`` are the keys of people who are to become members, or to be none
        any more."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        sent = cleaned.get("shown", "")
        keys = {row_number(word) for word in sent.split()} if sent else self._now
        chosen = {person.pk for person in cleaned.get("members", ())}
        return {**cleaned, "join": chosen - keys, "leave": keys - chosen}


class RunTeamForm(forms.Form):
    team = NamedChoiceField(
        Team.objects.all(),
        required=False,
        label="Who may see it",
        empty_label="Everybody who can sign in here",
    )


class TokenForm(forms.Form):
    name = forms.CharField(max_length=80, label="What it is for")
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices,
        initial=[Scope.READ],
        label="What it may do",
        help_text="At most what your role may.",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(
        min_value=1,
        max_value=tokens.MOST_DAYS,
        initial=tokens.DEFAULT_DAYS,
        label="Days until it expires",
        help_text=f"1 to {tokens.MOST_DAYS}.",
    )

    def clean_scopes(self) -> list[Scope]:
        chosen: Any = self.cleaned_data["scopes"]
        return [Scope(one) for one in chosen]
