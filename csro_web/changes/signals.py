"""What happens in changes, for apps that this one does not know."""

from __future__ import annotations

from django.dispatch import Signal

withdrawing = Signal()
"""``policy`` is about to be withdrawn, inside the transaction that does it: a receiver may raise
:class:`csro_web.changes.services.ChangeError` to refuse, and nothing has happened."""
