"""Django's command, recorded in the audit trail; sessions and tokens end with the old password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import changepassword

from csro_web.accounts.models import User
from csro_web.accounts.passwords import end_access
from csro_web.audit.actions import Action
from csro_web.audit.commands import recorded


class Command(changepassword.Command):
    def handle(self, *args: Any, **options: Any) -> Any:
        with recorded(Action.PASSWORD_CHANGED, then=_end_access):
            return super().handle(*args, **options)


def _end_access(person: User) -> None:
    end_access(person, actor=None, why="new password from the terminal")
