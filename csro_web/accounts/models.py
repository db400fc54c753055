"""People and what they may do."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone


class Role(models.TextChoices):
    """Each role may do what the ones before it may, except that approvers do not launch runs."""

    VIEWER = "viewer", "Viewer"
    REVIEWER = "reviewer", "Reviewer"
    OPERATOR = "operator", "Operator"
    APPROVER = "approver", "Approver"
    ADMINISTRATOR = "administrator", "Administrator"


class User(AbstractUser):
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.VIEWER)


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
