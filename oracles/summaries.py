"""Summaries of policies that a language model writes: one per policy and run, asked for once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.base import Game
from games.players import CodePlayer
from games.tournament import derive_seed
from oracles.answer import read_answer
from oracles.choices import ContextMode, WriterName
from oracles.config import RunConfig
from oracles.models import (
    BudgetExhausted,
    ModelAnswer,
    ModelClient,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    Purpose,
)
from oracles.population import game_of
from oracles.prompt import fill
from oracles.prompt_parts import SUMMARY_PARTS, prompt_version
from oracles.state import PolicyRecord, RunState, Summary, Usage
from oracles.steps import StepKind, StepResult, StepSpec
from oracles.text import fenced, storable
from oracles.written import vain

LONGEST_SUMMARY = 2_000
"""Characters that are kept of a summary; what goes beyond is cut, and the cut is said."""


def are_wanted(config: RunConfig) -> bool:
    """Whether a run has summaries written. Writers that ask no model use the programs' own words.

    A run of the writer ``replay`` asks no model either.
    """
    return config.context is ContextMode.SUMMARY and config.writer is WriterName.LLM


def missing_steps(population: Sequence[PolicyRecord], shown: Sequence[int]) -> dict[int, StepSpec]:
    """A step for each policy that is shown and has a program but no summary, by its index.

    Policies with the same program share the step of the first.
    """
    steps: dict[str, StepSpec] = {}
    wanted: dict[int, StepSpec] = {}
    for index in sorted(shown):
        player = population[index].player
        if not isinstance(player, CodePlayer) or population[index].summary is not None:
            continue
        step = StepSpec(
            f"summary/{index}",
            StepKind.SUMMARISE,
            {"policy": index, "sha256": player.sha256},
            f"summarising {population[index].name}",
        )
        wanted[index] = steps.setdefault(player.sha256, step)
    return wanted


def known_summary(population: Sequence[PolicyRecord], index: int) -> Summary | None:
    """The summary of a policy with the same program, if one has been written."""
    key = population[index].player.key
    return next(
        (policy.summary for policy in population if policy.summary and policy.player.key == key),
        None,
    )


def summarise(
    config: RunConfig,
    state: RunState,
    step: StepSpec,
    *,
    models: ModelClient | None,
    exhausted: Callable[[], str | None],
    should_stop: Callable[[], bool] | None = None,
) -> StepResult:
    """Ask for one summary; see :class:`oracles.steps.StepKind` for what else may come of it.

    Raises:
        ModelRefused: when nothing will help but a person.
        MatchCancelled: when ``should_stop`` said so.
    """
    why = exhausted()
    if why is not None:
        return {"exhausted": storable(why)}
    if models is None or config.model is None:
        raise ModelRefused("a summary is wanted, but no language model can be asked from here")
    player = state.population[step.inputs["policy"]].player
    assert isinstance(player, CodePlayer)
    messages = summary_messages(game_of(config), player.source, config.prompts)
    request = ModelRequest(
        key=step.key,
        purpose=Purpose.SUMMARY,
        messages=messages,
        choice=config.model,
        seed=derive_seed(config.seed, step.key),
    )
    try:
        answer = models.ask(request, should_stop)
    except BudgetExhausted as error:
        return {"exhausted": storable(str(error)), "requests": error.requests}
    except ModelFailed as error:
        return {"failed": storable(str(error)), "requests": error.requests}
    return _result(answer, prompt_version(SUMMARY_PARTS, config.prompts))


def summary_messages(
    game: Game, source: str, edited: Mapping[str, str]
) -> tuple[Mapping[str, str], ...]:
    """The chat prompt for the summary of a program, which it quotes as data."""
    values = {"rules": game.rules().strip(), "program": fenced(source, "python")}
    return (
        {"role": "system", "content": fill("summary_system", edited, values)},
        {"role": "user", "content": fill("summary", edited, values)},
    )


def summary_of(result: StepResult) -> Summary:
    """What the result of a summary step says of its policy."""
    if "text" in result:
        return Summary(result["text"], result["model"])
    why = result.get("failed") or f"nothing more could be asked: {result['exhausted']}"
    return Summary(None, result.get("model"), f"No summary could be had: {why}")


def usage_of(result: StepResult) -> Usage:
    """What the summary cost; unknown when the model was asked in vain."""
    if "usage" not in result:
        return vain(result)
    usage = result["usage"]
    calls = max(result.get("requests", 0), 1)  # older results do not hold their number
    return Usage(
        calls, usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("usd")
    )


def _result(answer: ModelAnswer, version: str) -> dict[str, Any]:
    usage = {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "usd": answer.usd,
    }
    common = {
        "model": storable(answer.model),
        "prompt_version": version,
        "usage": usage,
        "requests": answer.requests,
    }
    text = "\n".join(read_answer(answer.text).visible).strip()
    if not text:
        return {"failed": "the answer had no words outside of its reasoning", **common}
    if len(text) > LONGEST_SUMMARY:
        text = f"{text[:LONGEST_SUMMARY]} [cut here]"
    return {"text": storable(text), **common}
