"""A run remembers what failed: the writer is told in short, and a repeat is refused unplayed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oracles.candidate import extract
from oracles.config import ContextMode, RunConfig
from oracles.failures import (
    LONGEST_FAILURE,
    MOST_FAILURES,
    remembered_failures,
    told_reason,
)
from oracles.feedback import feedback_text
from oracles.fingerprint import answer_mark
from oracles.loop import fold
from oracles.request import write_request
from oracles.state import CandidateRecord
from tests.oracles.conftest import FinishedRun

FORBIDDEN = """Here it is.
```python
import socket

class Policy:
    def act(self, obs):
        return 0
```"""
LAID_OUT_DIFFERENTLY = """```python
# Another try.
import socket
class Policy:

    def act(self, obs):

        return 0   # rock
```
I hope that it helps."""


def record(run: FinishedRun, key: str) -> CandidateRecord:
    return run.state.candidate(key)


def prompt_of(run: FinishedRun, key: str) -> str:
    return record(run, key).messages[1]["content"]


def test_later_iterations_are_told_what_was_refused_and_what_had_faults(
    finished: FinishedRun,
) -> None:
    text = prompt_of(finished, "it2/attempt1")
    assert "# What failed before" in text
    assert "1 x refused: no code: the answer holds no Python program" in text
    assert "1 x faults (illegal action); the program: Answers with a word." in text
    assert "# What failed before" not in prompt_of(finished, "it1/attempt2")


def test_the_same_refused_answer_is_recognised_in_a_later_iteration(finished: FinishedRun) -> None:
    again = record(finished, "it2/attempt4")
    assert not again.accepted
    assert again.reason.startswith(
        "duplicate: the same answer as it1/attempt1, which was refused: no code"
    )
    assert "it2/attempt4/smoke" not in finished.results


def test_a_refused_program_is_recognised_whatever_its_layout() -> None:
    assert not extract(FORBIDDEN).accepted
    assert answer_mark(FORBIDDEN) == answer_mark(LAID_OUT_DIFFERENTLY)
    assert answer_mark(FORBIDDEN) != answer_mark(FORBIDDEN.replace("socket", "os"))
    assert answer_mark("I  cannot\nhelp.") == answer_mark("I cannot help.")
    assert answer_mark("```python\nclass (:\n```") != answer_mark("```python\nclass )\n```")


def test_equal_failures_are_told_once_with_their_number(finished: FinishedRun) -> None:
    refused = record(finished, "it1/attempt1")
    faulty = record(finished, "it1/attempt2")
    lines = remembered_failures([refused, faulty, refused], hide_names=False)
    assert [line.partition(" x ")[0] for line in lines] == ["1", "2"]
    assert "refused: no code" in lines[1]


def test_the_memory_is_bounded_and_keeps_the_latest(finished: FinishedRun) -> None:
    refused = record(finished, "it1/attempt1")
    many = [replace(refused, reason=f"reason {number} " + "x" * 999) for number in range(50)]
    lines = remembered_failures(many, hide_names=False)
    assert len(lines) == MOST_FAILURES
    assert lines[-1].startswith("1 x refused: reason 49 ")
    assert all(len(line) < LONGEST_FAILURE + 20 for line in lines)


def test_what_was_fit_and_what_no_model_answered_is_no_failure(finished: FinishedRun) -> None:
    fit = record(finished, "it1/attempt3")
    unanswered = replace(record(finished, "it1/attempt1"), completion="", mark=None)
    assert remembered_failures([fit, unanswered], hide_names=False) == ()


@pytest.mark.parametrize(
    ("reason", "hidden"),
    [
        ("duplicate: the same program as mostly_paper, apart from its layout", True),
        ("duplicate: the same program as it1/attempt3, apart from its layout", False),
        ("duplicate: the same answer as it1/attempt1, which was refused: no code", False),
        ("duplicate: the same program as it1/attempt3's friend, apart from its layout", True),
        ("no code: the answer holds no Python program", False),
    ],
)
def test_hidden_opponents_are_not_named_as_the_original_of_a_duplicate(
    finished: FinishedRun, reason: str, hidden: bool
) -> None:
    refused = replace(record(finished, "it1/attempt1"), reason=reason)
    told = told_reason(refused, hide_names=True)
    assert (told != reason) is hidden
    assert told_reason(refused, hide_names=False) == reason
    assert told in feedback_text(refused, hide_names=True)


def test_nothing_of_an_opponent_leaks_into_a_prompt_that_hides_them(finished: FinishedRun) -> None:
    """The ablation: every prompt of a whole run, with every kind of feedback in it."""
    config = replace(finished.config, context=ContextMode.NONE)
    names = [policy.name for policy in finished.state.population]
    results = dict(finished.results)
    step = next(key for key in results if key == "it2/attempt5/write")
    del results[step]
    state = fold(config, results)
    pending = next(item for item in state.pending if item.key == step)
    request = write_request(config, state, pending)
    text = "\n".join(message["content"] for message in request.messages)
    assert "# What failed before" in text
    assert "opponent 1" in text
    assert not [name for name in names if name in text]
    assert request.opponents == ()
    assert all(name not in item.text for item in request.history for name in names)
    assert request.context_use["shown"] == []


def test_a_memory_of_the_run_is_the_same_wherever_it_is_folded(finished: FinishedRun) -> None:
    shuffled = dict(sorted(finished.results.items(), reverse=True))
    assert fold(finished.config, shuffled) == finished.state
    assert isinstance(finished.config, RunConfig)
