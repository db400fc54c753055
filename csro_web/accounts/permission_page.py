"""The page ``docs/reference/permissions.md``, out of the permission table itself."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from csro_web.accounts.models import Role
from csro_web.accounts.permissions import TABLE

PAGE: Path = settings.BASE_DIR / "docs" / "reference" / "permissions.md"
HEAD = """# Who may do what

Made from the table in `csro_web/accounts/permissions.py` by `./csro manage document_permissions`; a
test checks that it is current.

A role says what somebody may do; a [team](../explanation/teams.md) says to which runs. Whoever is
not in a run's team meets a 404 there, whatever their role; administrators see all runs. Whoever
lacks a right meets a 403 that names the roles that have it. A person who is switched off may do
nothing.

Nobody approves what they launched, wrote or changed themselves, whatever their role.

"""


def text() -> str:
    roles = list(Role)
    lines = [
        "| right | one may | " + " | ".join(role.label for role in roles) + " |",
        "|---|---|" + ":-:|" * len(roles),
    ]
    for name, right in TABLE.items():
        marks = " | ".join("yes" if role in right.roles else "" for role in roles)
        lines.append(f"| `{name}` | {right.words} | {marks} |")
    return HEAD + "\n".join(lines) + "\n"
