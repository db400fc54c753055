from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "csro_web.accounts"

    def ready(self) -> None:
        from csro_web.accounts import lockout

        lockout.connect()
