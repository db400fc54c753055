"""People, their teams, and the sessions and tokens with which they come in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone


class Role(models.TextChoices):
    """Each role may do what the ones before it may, except that approvers do not launch runs."""

    VIEWER = "viewer", "Viewer"
    REVIEWER = "reviewer", "Reviewer"
    OPERATOR = "operator", "Operator"
    APPROVER = "approver", "Approver"
    ADMINISTRATOR = "administrator", "Administrator"


class People(UserManager["User"]):
    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> User:
        """Django's flag gives every right: the role, which people see, says so too."""
        return super().create_superuser(
            username, email, password, **{"role": Role.ADMINISTRATOR, **fields}
        )


class User(AbstractUser):
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.VIEWER)
    must_change_password = models.BooleanField(
        default=False, help_text="The password was given out by somebody else, for once."
    )

    objects = People()

    @property
    def called(self) -> str:
        """What other people know the person by: the full name, else the one to sign in with."""
        return self.get_full_name() or self.get_username()


class Team(models.Model):
    """People who work on the same runs, which nobody else sees (administrators apart)."""

    name = models.CharField(max_length=80, unique=True)
    slug = models.SlugField(max_length=60, unique=True, help_text="Names it in the terminal.")
    members = models.ManyToManyField(User, related_name="teams", blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class SignedIn(models.Model):
    """What a person sees of one of their sessions; it is deleted with the session itself."""

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sessions")
    address = models.GenericIPAddressField(null=True, blank=True)
    agent = models.CharField(max_length=300, blank=True, help_text="As the browser names itself.")
    since = models.DateTimeField(default=timezone.now)
    last_seen = models.DateTimeField(default=timezone.now)
    wrong_passwords = models.PositiveSmallIntegerField(
        default=0, help_text="Since the last right one, where the password was asked for again."
    )

    class Meta:
        ordering = ["-last_seen"]

    def __str__(self) -> str:
        return f"session {self.pk}"


class Scope(models.TextChoices):
    """What a token may be used for, at most; the person's role decides too."""

    READ = "read", "Read runs, policies and their source"
    EXPORT = "export", "Ask for exports and download them"


class ApiToken(models.Model):
    """Lets a program act as a person. The secret is shown once; only its SHA-256 is kept."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80, help_text="What it is for.")
    key = models.CharField(max_length=12, unique=True, help_text="Its public part.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the whole token, in hex.")
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    last_used = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def prefix(self) -> str:
        return f"csro_{self.key}"

    @property
    def scope_words(self) -> list[str]:
        return [Scope(scope).label for scope in self.scopes if scope in Scope.values]

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()
