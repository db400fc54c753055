"""How far a run is and how long it may still take, without promising what nobody knows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from csro_web.pages.numbers import duration

LEAST_STEPS = 3
"""Finished steps before anything is said about the time left."""


@dataclass(frozen=True)
class Progress:
    done: int
    expected: int
    eta: str
    """In words; says why when there is none."""


def seconds_left(durations: Sequence[float], remaining: int, workers: int) -> float | None:
    """Mean step time over the last steps times the steps that remain, shared by the workers."""
    if len(durations) < LEAST_STEPS or remaining <= 0:
        return None
    return sum(durations) / len(durations) * remaining / max(1, workers)


def describe(
    *, state: str, done: int, expected: int, durations: Sequence[float], workers: int
) -> Progress:
    """``durations``: seconds of the last finished steps, for the pace."""
    if state == "paused":
        eta = "paused: no time can be given"
    elif state == "queued":
        eta = "waiting for a worker"
    elif state != "running":
        eta = ""
    else:
        left = seconds_left(durations, expected - done, workers)
        eta = (
            "time left: not known yet"
            if left is None
            else f"at most about {duration(left)} left at the present pace"
        )
    return Progress(done, max(done, expected), eta)


def elapsed(started: datetime | None, ended: datetime | None, now: datetime) -> float | None:
    """Seconds from start to end (or to now); None before the start."""
    return None if started is None else ((ended or now) - started).total_seconds()
