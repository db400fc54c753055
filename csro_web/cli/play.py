"""Plays matches for a command: the engine with its errors as lines, and what faults look like."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from csro_web import environment
from csro_web.cli.errors import CommandFailure, one_line
from csro_web.cli.output import Progress, say
from games.base import Game
from games.engine import EngineError
from games.local_engine import LocalEngine
from games.match import MatchResult, MatchSpec, SandboxLevel, SeatReport


def required_level() -> SandboxLevel:
    """The level that policies need here, as :mod:`csro_web.settings` has it, without loading it."""
    from django.core.exceptions import ImproperlyConfigured

    try:
        default = "full" if environment.flag("CSRO_PRODUCTION") else "kernel"
        levels = tuple(str(level) for level in SandboxLevel)
        return SandboxLevel(environment.choice("CSRO_REQUIRED_LEVEL", default, levels))
    except ImproperlyConfigured as error:
        raise CommandFailure(str(error)) from error


@contextmanager
def open_engine() -> Iterator[LocalEngine]:
    """The engine of this machine, on all its cores; its processes end with the block."""
    try:
        with LocalEngine(required_level(), workers=environment.cores()) as engine:
            yield engine
    except EngineError as error:
        raise CommandFailure(f"{one_line(error)} (./csro doctor says more)") from error


def prepare(game: Game, opponents: Iterable[str]) -> None:
    """Solves what a reference opponent stands on, the first time on this machine, and says so."""
    if game.name != "leduc" or "cfr_plus" not in opponents:
        return
    from games.bots import cfr
    from games.cache import cache_directory

    if not (cache_directory() / f"leduc-cfr-plus-{cfr.ITERATIONS}.json").exists():
        say("solving Leduc with CFR+ for the reference opponent (once, under a minute)")
        cfr.cfr_plus()


def play_all(engine: LocalEngine, specs: Sequence[MatchSpec], label: str) -> list[MatchResult]:
    """All matches, with progress on stderr."""
    with Progress(label, len(specs)) as progress:
        return engine.play(specs, on_result=lambda _index, _result: progress.advance())


def check_that_it_starts(name: str, report: SeatReport) -> None:
    """Fails when the policy of this report could not even be loaded and constructed."""
    if report.never_ready:
        raise CommandFailure(f"{name} never made a decision: {_reason(report)}")


def _reason(report: SeatReport) -> str:
    """The last line of a traceback with the last line number that it names."""
    if not report.tracebacks:
        return "it could not be constructed"
    lines = [line.strip() for line in report.tracebacks[0].splitlines() if line.strip()]
    places = [line for line in lines if line.startswith("File ") and ", line " in line]
    where = places[-1].partition(", line ")[2].partition(",")[0] if places else ""
    return f"line {where}: {lines[-1]}" if where else lines[-1]


def describe_faults(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none"


def show_tracebacks(report: SeatReport) -> str:
    """The distinct tracebacks of a side, made safe for a terminal."""
    return "\n".join(printable(text.rstrip()) for text in report.tracebacks)


def printable(text: str) -> str:
    """Untrusted text without control characters: a policy must not drive the reader's terminal."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
