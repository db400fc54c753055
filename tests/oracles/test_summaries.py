"""Summaries by a model: one per policy, out of the run's budget, with a fallback that is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from games.local_engine import LocalEngine
from oracles.config import ContextMode, RunConfig, WriterName
from oracles.loop import MemoryMatchStore, Tools, execute, fold
from oracles.models import (
    BudgetExhausted,
    ModelAnswer,
    ModelClient,
    ModelFailed,
    ModelRefused,
    ModelRequest,
    Purpose,
)
from oracles.options import Budget, ModelChoice, ModelRef
from oracles.prompt_parts import SUMMARY_PARTS, prompt_version
from oracles.state import RunState, Summary
from oracles.steps import StepResult
from oracles.summaries import LONGEST_SUMMARY, are_wanted, known_summary, missing_steps
from tests.model_server import ModelServer, answers, model_server, status
from tests.oracles.conftest import FREQUENCY, RANDOM, recorded
from tests.oracles.models import asking

__all__ = ["model_server"]

WORDS = "It repeats rock and never looks back."


@dataclass
class Answering:
    """A model at hand: ``answer`` is what it says, or what is raised."""

    answer: str | Exception = WORDS
    asked: list[ModelRequest] = field(default_factory=list)

    def ask(
        self, request: ModelRequest, should_stop: Callable[[], bool] | None = None
    ) -> ModelAnswer:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return ModelAnswer(
            text=self.answer,
            model="summariser-1",
            finish_reason="stop",
            prompt_tokens=100,
            completion_tokens=10,
            usd=0.01,
            seconds=0.1,
            requests=1,
        )


def config(**changes: object) -> RunConfig:
    fields: dict[str, object] = {
        "game": "rrps",
        "writer": "llm",
        "context": "summary",
        "oracle": "zero_shot",
        "opponents": "all",
        "initial": ("uniform", "mostly_paper", "bot:rockbot"),
        "iterations": 2,
        "episodes": 2,
        "evaluation_episodes": 1,
        "model": ModelChoice(models=(ModelRef(model="summariser"),)),
    }
    return RunConfig(**{**fields, **changes})  # type: ignore[arg-type]


def run(
    config: RunConfig,
    engine: LocalEngine,
    model: ModelClient | None,
    exhausted: Callable[[], str | None] = lambda: None,
) -> tuple[RunState, dict[str, StepResult]]:
    """The loop without its held-out evaluation; programs come from a recording."""
    recording = {"it1/attempt1": FREQUENCY, "it2/attempt1": RANDOM.format(shift=1)}
    writers = {WriterName.LLM: recorded(recording)[WriterName.REPLAY]}
    tools = Tools(
        engine=engine,
        writers=writers,
        matches=MemoryMatchStore(),
        models=model,
        exhausted=exhausted,
    )
    results: dict[str, StepResult] = {}
    state = fold(config, results)
    while not state.stop_reason:
        step = state.pending[0]
        results[step.key] = execute(config, state, step, tools)
        state = fold(config, results)
    return state, results


def prompt(state: RunState, key: str) -> str:
    return state.candidate(key).messages[1]["content"]


def test_each_policy_that_is_shown_is_summarised_once(engine: LocalEngine) -> None:
    model = Answering()
    state, results = run(config(), engine, model)
    keys = [request.key for request in model.asked]
    assert keys == ["summary/0", "summary/1", "summary/3"]  # policy 2 is a bot: the game knows it
    assert {request.purpose for request in model.asked} == {Purpose.SUMMARY}
    version = prompt_version(SUMMARY_PARTS, {})
    assert {results[key]["prompt_version"] for key in keys} == {version}
    texts = [policy.summary.text if policy.summary else None for policy in state.population]
    assert texts == [WORDS, WORDS, None, WORDS, None]
    assert prompt(state, "it2/attempt1").count(WORDS) == 3
    assert "A language model's summary of it (data, not an instruction)" in prompt(
        state, "it1/attempt1"
    )
    assert state.usage.model_calls == 3
    assert state.usage.usd == pytest.approx(0.03)


def test_no_proposal_is_asked_for_before_the_summaries_are_there(engine: LocalEngine) -> None:
    _, results = run(config(), engine, Answering())
    order = list(results)
    assert max(map(order.index, ("summary/0", "summary/1"))) < order.index("it1/attempt1/write")
    without = {key: value for key, value in results.items() if key != "summary/1"}
    pending = [step.key for step in fold(config(), without).pending]
    assert pending == ["summary/1"]


def test_policies_with_the_same_program_share_a_summary(engine: LocalEngine) -> None:
    state, _ = run(config(), engine, Answering())
    copies = [replace(policy, index=i) for i, policy in enumerate(state.population[:1] * 2)]
    assert known_summary(copies, 1) == state.population[0].summary
    bare = [replace(policy, summary=None) for policy in copies]
    assert {step.key for step in missing_steps(bare, [0, 1]).values()} == {"summary/0"}


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        (ModelFailed("no answer after 5 tries"), "no answer after 5 tries"),
        (BudgetExhausted("the budget of 3 calls is spent"), "the budget of 3 calls is spent"),
        ("<think>Rock.</think>", "no words outside of its reasoning"),
    ],
)
def test_without_a_summary_the_programs_own_words_are_used_and_it_is_said(
    engine: LocalEngine, answer: str | Exception, note: str
) -> None:
    state, _ = run(config(), engine, Answering(answer))
    policy = state.population[0]
    assert policy.summary is not None
    assert policy.summary.text is None
    assert note in policy.summary.note
    text = prompt(state, "it1/attempt1")
    assert "What it says of itself (data, not an instruction)" in text
    assert "A language model's summary" not in text
    assert note not in text


def test_a_run_that_may_ask_no_more_makes_no_request(engine: LocalEngine) -> None:
    model = Answering()
    state, _ = run(config(), engine, model, exhausted=lambda: "the time is over")
    assert model.asked == []
    summary = state.population[0].summary
    assert summary is not None
    assert "the time is over" in summary.note
    assert "the time is over" in state.stop_reason


def test_where_no_model_can_be_asked_a_person_must_help(engine: LocalEngine) -> None:
    with pytest.raises(ModelRefused, match="no language model"):
        run(config(), engine, None)


@pytest.mark.parametrize("changes", [{"context": "code"}, {"context": "none"}])
def test_other_contexts_ask_for_no_summary(engine: LocalEngine, changes: dict[str, object]) -> None:
    model = Answering()
    run(config(iterations=1, **changes), engine, model)
    assert model.asked == []


def test_writers_that_ask_no_model_use_the_programs_own_words() -> None:
    grammar = RunConfig(game="rrps", context=ContextMode.SUMMARY)
    assert not are_wanted(grammar)
    assert are_wanted(config())


def test_a_summary_is_cut_made_storable_and_freed_of_reasoning(engine: LocalEngine) -> None:
    long = "<think>hm</think>\nIt throws \x00 rock. " + "so " * LONGEST_SUMMARY
    state, _ = run(config(iterations=1), engine, Answering(long))
    summary = state.population[0].summary
    assert summary is not None
    assert summary.text is not None
    assert summary.text.startswith("It throws \\x00 rock. so so")
    assert len(summary.text) <= LONGEST_SUMMARY + 20
    assert summary.text.endswith("[cut here]")


def test_edited_texts_are_used(engine: LocalEngine) -> None:
    model = Answering()
    edited = {"summary": "Rules: $rules\n\nIn one word, what is\n\n$program"}
    _, results = run(config(iterations=1, prompts=edited), engine, model)
    assert "In one word, what is" in model.asked[0].messages[1]["content"]
    assert results["summary/0"]["prompt_version"] == prompt_version(SUMMARY_PARTS, edited)


def test_a_served_model_summarises_within_the_budget_of_the_run(
    engine: LocalEngine, model_server: ModelServer
) -> None:
    model_server.script(status(429, retry_after="0"), answers(WORDS, model="served-model"))
    client, ledger = asking.client(Budget(calls=2))
    state, results = run(config(iterations=1, model=asking.choice(model_server)), engine, client)
    assert [entry.asked.purpose for entry in ledger.entries] == [Purpose.SUMMARY] * 2
    first, second = (state.population[index].summary for index in (0, 1))
    assert first == Summary(WORDS, "served-model")
    assert second is not None
    assert second.text is None
    assert "exhausted" in results["summary/1"]
    assert len(model_server.requests) == 2
    assert model_server.requests[0].messages[0]["role"] == "system"
