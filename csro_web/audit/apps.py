from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "csro_web.audit"

    def ready(self) -> None:
        """Django says by signals who signs in and out."""
        from csro_web.audit import sign_ins

        sign_ins.connect()
