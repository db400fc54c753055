from django.apps import AppConfig


class ApprovalsConfig(AppConfig):
    name = "csro_web.approvals"

    def ready(self) -> None:
        """Reviews and changes say what happens; here it is heard."""
        from csro_web.approvals import receivers  # noqa: F401
