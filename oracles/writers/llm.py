"""A language model proposes the code (the ``llm`` of CSRO, section 4)."""

from __future__ import annotations

from collections.abc import Callable

from oracles.config import ConfigError
from oracles.models.access import ModelClient, ModelRequest, Purpose
from oracles.task import Completion, WriteRequest


class LlmWriter:
    """Asks the models of the run's choice; the figures of its completions are the server's own."""

    name = "llm"

    def __init__(self, models: ModelClient, should_stop: Callable[[], bool] | None = None) -> None:
        self._models = models
        self._should_stop = should_stop

    def write(self, request: WriteRequest) -> Completion:
        """The answer to the request's messages, under the key of the candidate.

        Raises:
            ConfigError: when the request names no model.
            BudgetExhausted, ModelFailed, ModelRefused, MatchCancelled: see
                :class:`oracles.models.ModelClient`.
        """
        if request.model is None:
            raise ConfigError("model is missing; name the language model that is to be asked")
        answer = self._models.ask(
            ModelRequest(
                key=request.key,
                purpose=Purpose.WRITE,
                messages=request.messages,
                choice=request.model,
                seed=request.seed,
            ),
            self._should_stop,
        )
        return Completion(
            text=answer.text,
            model=answer.model,
            finish_reason=answer.finish_reason,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            usd=answer.usd,
            seconds=answer.seconds,
            model_call=True,
            requests=answer.requests,
        )
