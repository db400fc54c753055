"""Django's command, recorded in the audit trail."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import changepassword

from csro_web.audit.actions import Action
from csro_web.audit.commands import recorded


class Command(changepassword.Command):
    def handle(self, *args: Any, **options: Any) -> Any:
        with recorded(Action.PASSWORD_CHANGED):
            return super().handle(*args, **options)
