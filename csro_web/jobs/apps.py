from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "csro_web.jobs"

    def ready(self) -> None:
        """Every app may name handlers in a module ``jobs``."""
        autodiscover_modules("jobs")
