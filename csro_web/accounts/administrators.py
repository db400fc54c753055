"""Who manages people, and waiting for others who do."""

from __future__ import annotations

from django.db.models import Q

from csro_web.accounts.models import Role, User

ADMINISTRATORS = Q(is_active=True) & (Q(role=Role.ADMINISTRATOR) | Q(is_superuser=True))


def one_at_a_time() -> None:
    """Wait, in a transaction, for others that look at all people before they write: of two at the
    same time each would find what the other is about to change. (SQLite writes one at a time.)"""
    held = User.objects.select_for_update(no_key=True).filter(ADMINISTRATORS).order_by("pk")
    list(held.values("pk"))
