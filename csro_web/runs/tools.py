"""What a step needs from its surroundings: the engine, the writers, the match store."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from csro_web.pages.keys import row_number
from csro_web.runs import limits
from csro_web.runs.matches import DatabaseMatchStore
from csro_web.runs.models import Run, Step, StepState
from games.engine import MatchEngine
from oracles.baselines.impala import missing
from oracles.config import ConfigError, OracleName, RunConfig, WriterName
from oracles.loop import Tools
from oracles.models import ModelClient
from oracles.steps import StepKind
from oracles.writers import LazyWriters
from oracles.writers.replay import Recording, recordings_of

LONGEST_WAIT = 2.0
"""Seconds that a worker waits before it asks a model again; meanwhile it could do other work."""


def make(
    run_id: int, config: RunConfig, engine: MatchEngine, should_stop: Callable[[], bool]
) -> Tools:
    models = None if config.model is None else model_client(run_id, should_stop)
    return Tools(
        engine=engine,
        writers=LazyWriters(lambda: recordings(config.recording), models, should_stop),
        matches=DatabaseMatchStore(),
        should_stop=should_stop,
        models=models,
        exhausted=lambda: limits.why_exhausted(limits.now_of(run_id)),
    )


def model_client(run_id: int, should_stop: Callable[[], bool]) -> ModelClient:
    """The run's way to language models; litellm is imported by those who ask models alone."""
    from csro_web.calls import client

    return client.model_client(
        run_id,
        should_stop,
        lambda: limits.seconds_left(limits.now_of(run_id)),
        longest_wait=LONGEST_WAIT,
    )


def recorded_run(recording: str) -> Run:
    """The run that the writer ``replay`` repeats, by its number.

    Raises:
        ConfigError: when there is none.
    """
    number = row_number(recording)
    run = None if number is None else Run.objects.filter(pk=number).first()
    if run is None:
        raise ConfigError(no_recording(recording))
    return run


def no_recording(recording: str) -> str:
    """The message for a run that is not there, or not for the one who asks."""
    return f"recording is {recording!r}; it must be the number of a stored run"


def recordings(recording: str) -> Mapping[str, Recording]:
    """What a stored run recorded, by candidate key, exactly as it came."""
    written = Step.objects.filter(
        run=recorded_run(recording), kind=str(StepKind.WRITE), state=StepState.DONE
    )
    return recordings_of(dict(written.values_list("key", "result")))


def check(config: RunConfig) -> None:
    """What only the database and this machine can say about a configuration.

    Raises:
        ConfigError: when it names a recording that is not there or is of another game, or needs
            an extra that is not installed.
    """
    if config.oracle is OracleName.IMPALA and (lack := missing()) is not None:
        raise ConfigError(lack)
    if config.writer is WriterName.REPLAY:
        recorded = recorded_run(config.recording)
        if recorded.game != config.game:
            raise ConfigError(
                f"recording is {config.recording!r}, a run of {recorded.game}; its programs cannot"
                f" play {config.game}"
            )
