"""Several calls at the same moment, as of several windows or people."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Each in a thread with a connection of its own: what it gave, or the exception it raised."""
    together = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def do(place: int) -> None:
        together.wait()
        try:
            results[place] = calls[place]()
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(place,)) for place in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def raised_at_once(*calls: Callable[[], Any]) -> list[BaseException]:
    """Likewise, but only what was raised."""
    return [one for one in at_once(*calls) if isinstance(one, BaseException)]
