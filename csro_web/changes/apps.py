from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class ChangesConfig(AppConfig):
    name = "csro_web.changes"

    def ready(self) -> None:
        post_migrate.connect(_fingerprint_what_is_stored, sender=self)


def _fingerprint_what_is_stored(*, apps: Any = None, **_: Any) -> None:
    """Unless the database was migrated back to before the table."""
    from csro_web.changes.fingerprints import catch_up

    if apps is None or "fingerprint" in apps.all_models["changes"]:
        catch_up()
