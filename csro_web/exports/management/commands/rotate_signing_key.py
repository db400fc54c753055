"""``./csro manage rotate_signing_key``: a new key to sign with; what the old one proved stays."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from csro_web import signing
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.cli.output import say
from csro_web.exports.management.commands.export import print_public_key
from csro_web.launcher.preparation import prepare_database


class Command(BaseCommand):
    help = (
        "Replaces the key that this installation signs with, deletes the private part of the old "
        "one, and keeps its public part, so that what it proved stays checkable."
    )
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **given: Any) -> None:
        prepare_database()
        old = signing.public_key()
        new = signing.rotate(timezone.now())
        with transaction.atomic():
            record(
                Action.KEY_ROTATED,
                actor=None,
                subject=None,
                detail={"from": signing.fingerprint(old), "to": new.fingerprint},
            )
        say(f"the key {signing.fingerprint(old)} is replaced")
        print_public_key()
