"""Recorded completions instead of new ones: for tests, demos and exact repetitions of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from oracles.state import RunState
from oracles.task import Completion, WriteRequest

Recordings = Callable[[], Mapping[str, Completion]]
"""Gives the completions of a recorded run by candidate key, when they are first needed."""


class MissingRecording(LookupError):
    """The recording has no completion for what is asked; the message names the key."""


def no_recordings() -> Mapping[str, Completion]:
    """For surroundings that hold no recorded runs: every key will be missing."""
    return {}


class ReplayWriter:
    """Answers each request with what was recorded under its key."""

    name = "replay"

    def __init__(self, recordings: Recordings) -> None:
        self._load = recordings
        self._completions: Mapping[str, Completion] | None = None

    def write(self, request: WriteRequest) -> Completion:
        """The recorded completion; no model is called for it and nothing is paid again.

        Raises:
            MissingRecording: when the recorded run never asked for this key.
        """
        if self._completions is None:
            self._completions = self._load()
        found = self._completions.get(request.key)
        if found is None:
            have = ", ".join(sorted(self._completions)[:5]) or "nothing"
            raise MissingRecording(
                f"the recording has no completion for {request.key!r} (it has {have} ...);"
                " repeat the run with the configuration that was recorded"
            )
        return Completion(
            text=found.text, model=found.model, finish_reason=found.finish_reason, model_call=False
        )


def recorded_completions(state: RunState) -> dict[str, Completion]:
    """The completions of a run, by candidate key."""
    return {
        record.key: Completion(
            text=record.completion, model=record.model, finish_reason=record.finish_reason
        )
        for record in state.candidates
    }


def completion_from_json(data: Mapping[str, Any]) -> Completion:
    """A completion out of the result of a write step."""
    known = {item.name for item in fields(Completion)}
    return Completion(**{key: value for key, value in data.items() if key in known})
