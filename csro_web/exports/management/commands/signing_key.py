"""``./csro manage signing_key``: this installation's public key and its fingerprint."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from csro_web.exports.management.commands.export import print_public_key


class Command(BaseCommand):
    help = "Prints the public key that checks what this installation signs, and its fingerprint."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **given: Any) -> None:
        print_public_key()
