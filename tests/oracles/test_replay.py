"""A recorded run can be repeated without its writer, and a gap in the recording is named."""

from __future__ import annotations

import pytest

from games.local_engine import LocalEngine
from oracles.execute import write_request
from oracles.loop import Tools, execute, fold
from oracles.steps import StepResult
from oracles.writers import LazyWriters, make_writer
from oracles.writers.replay import MissingRecording, ReplayWriter, recordings_of
from tests.oracles.conftest import FinishedRun


def test_a_run_repeats_from_what_it_recorded(finished: FinishedRun, engine: LocalEngine) -> None:
    writers = LazyWriters(lambda: recordings_of(finished.results))
    tools = Tools(engine=engine, writers=writers, matches=finished.store)
    results: dict[str, StepResult] = {}
    state = fold(finished.config, results)
    while not state.finished:
        for step in state.pending:
            results[step.key] = execute(finished.config, state, step, tools)
        state = fold(finished.config, results)
    assert state == finished.state


def test_missing_recording_names_the_key(finished: FinishedRun) -> None:
    known = {k: v for k, v in finished.results.items() if k.startswith(("initial", "it1/solve"))}
    state = fold(finished.config, known)
    request = write_request(finished.config, state, state.pending[0])
    with pytest.raises(MissingRecording, match="it1/attempt1"):
        ReplayWriter(dict).write(request)


def test_every_writer_can_be_made_by_name() -> None:
    for name in LazyWriters():
        assert make_writer(name).name == str(name)
