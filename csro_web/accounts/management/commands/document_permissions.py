"""``./csro manage document_permissions``: writes the reference page of rights anew."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from csro_web.accounts.permission_page import PAGE, text


class Command(BaseCommand):
    help = "Write docs/reference/permissions.md from the permission table."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        PAGE.write_text(text(), encoding="utf-8")
        self.stdout.write(f"wrote {PAGE.name}")
