"""Commands that need the database: handed to Django under the names that people type."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from csro_web.cli.errors import CommandFailure, WrongUsage

NAMES = {name: name for name in ("solve", "challenge", "table", "export")} | {"run": "up"}
"""Command of ``./csro`` -> management command."""
HIDDEN = frozenset(
    [
        "--version",
        "--verbosity",
        "--settings",
        "--pythonpath",
        "--traceback",
        "--no-color",
        "--force-color",
        "--skip-checks",
    ]
)
"""Options that Django gives to every command; they work, but help people with none of ours."""


def main(name: str, arguments: Sequence[str]) -> int:
    """``manage X ...`` runs Django's X; every other name a command of our own.

    Raises:
        CommandFailure: when the database or the settings are not as they should be.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.db.utils import InterfaceError, OperationalError

    try:
        return _manage(arguments) if name == "manage" else _own(name, arguments)
    except (OperationalError, InterfaceError) as error:
        raise CommandFailure(
            f"the database {database_name()} does not answer as it should ({error}); start it or "
            "correct DATABASE_URL (unset: a file of our own), then ./csro manage migrate"
        ) from error
    except ImproperlyConfigured as error:
        raise CommandFailure(f"the settings do not fit: {error}") from error


def _manage(arguments: Sequence[str]) -> int:
    from django.core.management import ManagementUtility

    utility = ManagementUtility(["./csro manage", *arguments])
    utility.prog_name = "./csro manage"
    utility.execute()
    return 0


def _own(name: str, arguments: Sequence[str]) -> int:
    """Runs a command of ours with errors and help like those of every other command."""
    import django
    from django.core.management import CommandError, get_commands, load_command_class

    django.setup()
    application = get_commands()[NAMES[name]]
    command = load_command_class(application, NAMES[name])
    parser = command.create_parser("./csro", name)
    parser.prog = f"./csro {name}"
    for action in parser._actions:
        if any(option in HIDDEN for option in action.option_strings):
            action.help = argparse.SUPPRESS

    def refuse(message: str) -> NoReturn:
        raise WrongUsage(f"{message}; see ./csro {name} --help")

    parser.error = refuse
    options: dict[str, Any] = vars(parser.parse_args(list(arguments)))
    try:
        command.execute(*options.pop("args", ()), **options)
    except CommandError as error:
        if error.returncode == 2:
            raise WrongUsage(str(error)) from error
        raise CommandFailure(str(error)) from error
    finally:
        _close_connections()
    sys.stdout.flush()
    return 0


def _close_connections() -> None:
    from django.db import connections

    connections.close_all()


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
