"""Recorded completions instead of new ones: for tests, demos and exact repetitions of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from oracles.models import BudgetExhausted, ModelFailed
from oracles.steps import StepResult
from oracles.task import Completion, WriteRequest

Recording = Completion | ModelFailed | BudgetExhausted
"""What a request was answered with, or why it was not."""
Recordings = Callable[[], Mapping[str, Recording]]
"""Gives what a run recorded, by candidate key, when it is first needed."""


class MissingRecording(LookupError):
    """The recording has no completion for what is asked; the message names the key."""


def no_recordings() -> Mapping[str, Recording]:
    """For surroundings that hold no recorded runs: every key will be missing."""
    return {}


class ReplayWriter:
    """Answers each request with what was recorded under its key."""

    name = "replay"

    def __init__(self, recordings: Recordings) -> None:
        self._load = recordings
        self._recorded: Mapping[str, Recording] | None = None

    def write(self, request: WriteRequest) -> Completion:
        """The recorded completion; no model is called for it and nothing is paid again.

        Raises:
            MissingRecording: when the recorded run never asked for this key.
            ModelFailed, BudgetExhausted: when the recorded run met the same.
        """
        if self._recorded is None:
            self._recorded = self._load()
        found = self._recorded.get(request.key)
        if found is None:
            have = ", ".join(sorted(self._recorded)[:5]) or "nothing"
            raise MissingRecording(
                f"the recording has no completion for {request.key!r} (it has {have} ...);"
                " repeat the run with the configuration that was recorded"
            )
        if not isinstance(found, Completion):
            raise found
        return Completion(
            text=found.text, model=found.model, finish_reason=found.finish_reason, model_call=False
        )


def recordings_of(results: Mapping[str, StepResult]) -> dict[str, Recording]:
    """What the write steps among ``results`` (by step key) were answered with."""
    written = {key: result for key, result in results.items() if key.endswith("/write")}
    return {key.removesuffix("/write"): _recording(result) for key, result in written.items()}


def _recording(result: StepResult) -> Recording:
    if "exhausted" in result:
        return BudgetExhausted(result["exhausted"])
    if "failed" in result:
        return ModelFailed(result["failed"])
    return completion_from_json(result["completion"])


def completion_from_json(data: Mapping[str, Any]) -> Completion:
    """A completion out of the result of a write step."""
    known = {item.name for item in fields(Completion)}
    return Completion(**{key: value for key, value in data.items() if key in known})
