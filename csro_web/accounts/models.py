"""People and what they may do."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


class Role(models.TextChoices):
    """Each role may do what the ones before it may, except that approvers do not launch runs."""

    VIEWER = "viewer", "Viewer"
    REVIEWER = "reviewer", "Reviewer"
    OPERATOR = "operator", "Operator"
    APPROVER = "approver", "Approver"
    ADMINISTRATOR = "administrator", "Administrator"


class User(AbstractUser):
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.VIEWER)
