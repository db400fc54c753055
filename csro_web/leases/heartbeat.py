"""Keeps a lease while a step is in work, and notices that the work has lost its purpose."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import DatabaseError, connection

logger = logging.getLogger(__name__)

BEATS_PER_LEASE = 5


class Heartbeat:
    """``with Heartbeat(...) as heartbeat``: a thread of its own, with a connection of its own."""

    def __init__(self, renew: Callable[[], bool], *, what: str) -> None:
        """``renew`` extends the lease and says whether the work is still wanted; ``what`` is its
        name in the log."""
        self._renew, self._what = renew, what
        self.in_vain = False
        """True once the lease was lost or the work is not wanted: nothing found will be saved."""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        renewed = time.monotonic()
        try:
            while not self._over.wait(settings.LEASE_SECONDS / BEATS_PER_LEASE):
                try:
                    going_on = self._renew()
                    renewed = time.monotonic()
                except DatabaseError as error:
                    # The lease lasts a while without us; the database may come back before it ends.
                    logger.warning("cannot renew the lease of %s: %s", self._what, error)
                    connection.close()
                    going_on = time.monotonic() - renewed < settings.LEASE_SECONDS
                if not going_on:
                    self.in_vain = True
                    return
        finally:
            connection.close()
