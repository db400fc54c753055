"""How long to wait before a request is sent again."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from games.engine import MatchCancelled
from games.tournament import derive_seed

POLL_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Waits:
    """Exponential backoff with jitter, and the patience with servers that ask for more."""

    first: float = 1.0
    """Seconds before the second request, before jitter; doubled each time."""
    longest: float = 60.0
    """Seconds that doubling ends at."""
    patience: float = 600.0
    """Seconds; a server that asks to be left alone for longer is not asked again."""

    def seconds(self, *, seed: int, attempt: int, retries: int, retry_after: float | None) -> float:
        """The wait after request ``attempt`` of its key, the ``retries``-th wait for its model.

        The jitter is drawn with the request's seed. What the server asked for is never cut short;
        the jitter comes on top, so that many workers do not return at the same moment.
        """
        jitter = derive_seed(seed, f"wait/{attempt}") / 2**63
        step = min(self.longest, self.first * 2.0 ** min(retries - 1, 30))
        if retry_after is None:
            return step * (0.5 + 0.5 * jitter)
        return max(retry_after, step * 0.5) + step * 0.5 * jitter


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asked to wait for, given as seconds or as a date; None if not."""
    milliseconds, text = headers.get("retry-after-ms", ""), headers.get("retry-after", "").strip()
    for value, scale in ((milliseconds, 0.001), (text, 1.0)):
        try:
            seconds = float(value) * scale
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    then = _timestamp(text)
    if then is None:
        return None
    now = _timestamp(headers.get("date", ""))  # its own clock, which need not be ours
    return max(0.0, then - (time.time() if now is None else now))


def _timestamp(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def pause(seconds: float, should_stop: Callable[[], bool]) -> None:
    """Wait, but no longer than it is wanted.

    Raises:
        MatchCancelled: soon after ``should_stop`` said so.
    """
    until = time.monotonic() + seconds
    while True:
        if should_stop():
            raise MatchCancelled("stopped while waiting to ask a model again")
        left = until - time.monotonic()
        if left <= 0:
            return
        time.sleep(min(left, POLL_SECONDS))
