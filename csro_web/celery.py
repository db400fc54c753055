"""The Celery application. Celery only carries hints: the database is the record of all work."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import setup_logging

from csro_web import file_broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
file_broker.register()

app = Celery("csro")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**_kwargs: object) -> None:
    """Django has set the logging up; a receiver here keeps Celery from doing it again."""
