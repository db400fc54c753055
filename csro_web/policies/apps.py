from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class PoliciesConfig(AppConfig):
    name = "csro_web.policies"

    def ready(self) -> None:
        """Every app may add to the pages of policies in a module ``policy_pages``."""
        autodiscover_modules("policy_pages")
