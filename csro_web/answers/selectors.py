"""Requests that wait for a person, and what answering one would do."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from csro_web.accounts.models import User
from csro_web.accounts.ownership import Somebody, visible
from csro_web.answers.models import Answer
from csro_web.policies.models import Candidate
from csro_web.runs import steps
from csro_web.runs.models import ENDED, Step, StepState
from oracles import loop
from oracles.config import RunConfig, WriterName
from oracles.execute import write_request, write_result
from oracles.search import Proposal
from oracles.state import CandidateRecord
from oracles.steps import StepKind, StepResult, StepSpec
from oracles.task import Completion, WriteRequest
from oracles.written import written_record


@dataclass(frozen=True)
class Trial:
    """What the run would make of an answer: nothing is saved."""

    result: StepResult
    candidate: CandidateRecord
    """As the run would record it; refused with its reason when it cannot be played."""


def waiting(user: Somebody) -> QuerySet[Step]:
    """Requests of runs that go on and that ``user`` may see, in the order they were asked."""
    return (
        visible(Step.objects.filter(state=StepState.WAITING), user)
        .exclude(run__state__in=ENDED)
        .select_related("run")
        .defer("result", "inputs")
        .order_by("run_id", "order")
    )


def request_of(step: Step) -> WriteRequest:
    """What the person is asked: the same prompt that a language model would get."""
    config = RunConfig.from_json(step.run.config)
    return write_request(config, steps.known_state(step.run), _spec(step))


def try_answer(step: Step, text: str) -> Trial:
    """The run as it would be with this answer: refusals and repeats are known before it is sent."""
    config = RunConfig.from_json(step.run.config)
    known = steps.known_results(step.run_id)
    request = write_request(config, loop.fold(config, known), _spec(step))
    result = write_result(request, Completion(text=text))
    after = loop.fold(config, {**known, step.key: result})
    found = next((record for record in after.candidates if record.key == request.key), None)
    # An earlier request of the same task is open: what a repeat is of is not known before that.
    return Trial(result, found or written_record(*_asked_for(step), result))


def draft_of(step: Step, person: User) -> Answer | None:
    return Answer.objects.filter(step=step, person=person).first()


def written_by(candidate: Candidate) -> str:
    """Who gave the answer that a candidate was read from, in words."""
    if candidate.run.writer != WriterName.MANUAL:
        return f"written by a machine: {candidate.model or candidate.run.writer.replace('_', ' ')}"
    sent = Answer.objects.filter(
        step__run_id=candidate.run_id, step__key=f"{candidate.key}/write", sent_at__isnull=False
    )
    names = sent.values_list("person__username", flat=True)
    return f"answered by hand: {next(iter(names), 'unknown')}"


def others_at_work(step: Step, person: User) -> list[str]:
    """Names of other people who have begun an answer."""
    drafts = Answer.objects.filter(step=step, sent_at=None).exclude(person=person).exclude(text="")
    return [draft.person.get_username() for draft in drafts.select_related("person")]


def _asked_for(step: Step) -> tuple[int, Proposal]:
    """Iteration and proposal of a request; of its parent, an answer's reading needs nothing."""
    return step.inputs["iteration"], Proposal(step.inputs["attempt"], parent=None)


def _spec(step: Step) -> StepSpec:
    return StepSpec(key=step.key, kind=StepKind(step.kind), inputs=step.inputs, label=step.label)
