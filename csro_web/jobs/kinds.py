"""What a job's kind means: a function that does it, named in the ``jobs`` module of its app."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from csro_web.jobs.models import Job
    from games.engine import MatchEngine

Result = Mapping[str, Any]
Save = Callable[["Job", Result], None]


class JobRefused(Exception):
    """The job cannot be done, however often it is tried; the message says why and what to do."""


class JobLater(Exception):
    """The job cannot be done now, through no fault of its own; try again after ``seconds``."""

    def __init__(self, message: str, *, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


@dataclass(frozen=True)
class Surroundings:
    """What a handler gets beside its job."""

    engine: Callable[[], MatchEngine]
    """This process's engine, started with the first match; of the required sandbox level."""
    should_stop: Callable[[], bool]
    """True once the work is in vain (cancelled, lease lost, worker ending): pass it to the engine,
    or raise :class:`games.engine.MatchCancelled`."""
    give_way: Callable[[], None]
    """Call it between the pieces of long work: what people wait for is done in between."""
    report: Callable[..., None]
    """``report(done=3, total=12, words="playing nash_uniform", partial=None)``: what pages show."""


@dataclass(frozen=True)
class Kind:
    name: str
    work: Callable[[Job, Surroundings], Result]
    """Does it outside any transaction and gives plain JSON data."""
    save: Save | None
    """Writes what follows from the result, in the transaction that saves it."""
    words: str = "a job"
    """What it is, for pages."""
    long: bool = False
    """Whether shorter ones go first (:mod:`csro_web.jobs.turns`)."""


_kinds: dict[str, Kind] = {}


def handles(
    name: str, *, words: str, long: bool = False, save: Save | None = None
) -> Callable[[Callable[[Job, Surroundings], Result]], Callable[[Job, Surroundings], Result]]:
    """Make the decorated function the handler of jobs of that kind.

    It may run more than once (a worker was killed), but one result alone is saved.
    """

    def register(
        work: Callable[[Job, Surroundings], Result],
    ) -> Callable[[Job, Surroundings], Result]:
        if name in _kinds:
            raise ValueError(f"two handlers for jobs of kind {name}")
        _kinds[name] = Kind(name, work, save, words, long)
        return work

    return register


def kind_of(name: str) -> Kind:
    """The kind of that name.

    Raises:
        JobRefused: when this version of the application knows none.
    """
    found = _kinds.get(name)
    if found is None:
        raise JobRefused(f"this version of the application does no {name} jobs")
    return found


def long_ones() -> list[str]:
    """The names of the kinds that shorter ones go before."""
    return [name for name, kind in _kinds.items() if kind.long]


def words_of(name: str) -> str:
    """What a job of that kind is, for pages; of an unknown kind too."""
    found = _kinds.get(name)
    return "a job" if found is None else found.words
