"""Commands that need the database: handed to Django under their own name."""

from __future__ import annotations

import os
from collections.abc import Sequence

from csro_web.cli.errors import CommandFailure

NAMES = {"run": "up", "solve": "solve"}
"""Command of ``./csro`` -> management command."""


def main(name: str, arguments: Sequence[str]) -> int:
    """``manage X ...`` runs Django's X; ``run`` and ``solve`` run the commands of their own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import ManagementUtility
    from django.db.utils import InterfaceError, OperationalError

    command = list(arguments) if name == "manage" else [NAMES[name], *arguments]
    utility = ManagementUtility([f"./csro {name}" if name == "manage" else "./csro", *command])
    utility.prog_name = "./csro manage" if name == "manage" else "./csro"
    try:
        utility.execute()
    except (OperationalError, InterfaceError) as error:
        raise CommandFailure(
            f"the database {database_name()} does not answer as it should ({error}); start it or "
            "correct DATABASE_URL (unset: a file of our own), then ./csro manage migrate"
        ) from error
    except ImproperlyConfigured as error:
        raise CommandFailure(f"the settings do not fit: {error}") from error
    return 0


def set_up_django() -> str:
    """Loads Django; answers what is wrong with the settings, or nothing."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except ImproperlyConfigured as error:
        return str(error)
    return ""


def database_name() -> str:
    """The database in words, without its password."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    host = f"{database.get('HOST') or ''}:{database.get('PORT') or ''}".strip(":")
    return f"{database['NAME']}" + (f" at {host}" if host else "")
