"""What a writer's answer becomes before it is played: the first record of a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oracles import plan
from oracles.search import Proposal
from oracles.state import CandidateRecord, Evolved, Stage, Usage
from oracles.steps import StepResult

_NO_ANSWER: Mapping[str, Any] = {
    "completion": {"text": "", "model": None, "finish_reason": None},
    "extraction": {
        "accepted": False, "line": None, "source": None, "sha256": None, "repairs": [],
    },
}  # fmt: skip


def written_record(iteration: int, proposal: Proposal, written: StepResult) -> CandidateRecord:
    """The candidate out of the result of its write step, refused if the model gave no answer."""
    failed = written.get("failed")
    result = written if failed is None else _NO_ANSWER
    completion, extraction = result["completion"], result["extraction"]
    reason = extraction["reason"] if failed is None else f"the model gave no answer: {failed}"
    return CandidateRecord(
        key=plan.candidate_key(iteration, proposal.attempt),
        iteration=iteration,
        attempt=proposal.attempt,
        messages=tuple(written["messages"]),
        completion=completion["text"],
        model=completion["model"],
        accepted=extraction["accepted"],
        reason=reason,
        line=extraction["line"],
        source=extraction["source"],
        sha256=extraction["sha256"],
        repairs=tuple(extraction["repairs"]),
        parent=plan.parent_key(iteration, proposal),
        score=None,
        per_opponent=(),
        faults={},
        tracebacks=(),
        feedback="",
        improved=None,
        paired_difference=None,
        finish_reason=completion["finish_reason"],
        mark=written.get("fingerprint"),
        prompt_version=written.get("prompt_version"),
        context_use=written.get("context", {}),
        training=written.get("training"),
        usage=_usage(completion) if failed is None else vain(written),
        evolved=_evolved(iteration, proposal),
    )


def _evolved(iteration: int, proposal: Proposal) -> Evolved | None:
    if proposal.island is None:
        return None
    inspirations = tuple(
        plan.candidate_key(iteration, index + 1) for index in proposal.inspirations
    )
    return Evolved(proposal.island, inspirations, Stage.REFUSED)


def vain(result: StepResult) -> Usage:
    """What was asked of models without an answer: how often is known, what it cost is not."""
    calls = result.get("requests", 0)
    return Usage(calls, None, None, None) if calls else Usage()


def _usage(completion: Mapping[str, Any]) -> Usage:
    if not completion["model_call"]:
        return Usage()
    calls = max(completion.get("requests", 0), 1)  # older results do not hold their number
    return Usage(
        calls, completion["prompt_tokens"], completion["completion_tokens"], completion["usd"]
    )
