"""From the state of a run to the request that a write step makes of its writer."""

from __future__ import annotations

from collections.abc import Sequence

from games.tournament import derive_seed
from oracles import plan
from oracles.config import ContextMode, RunConfig
from oracles.context import opponent_context
from oracles.failures import remembered_failures
from oracles.feedback import feedback_of
from oracles.population import game_of
from oracles.prompt import HISTORY_SHOWN, Inspiration, render_messages
from oracles.prompt_parts import WRITE_PARTS, prompt_version
from oracles.state import CandidateRecord, RunState
from oracles.steps import StepSpec
from oracles.task import WriteRequest


def write_request(config: RunConfig, state: RunState, step: StepSpec) -> WriteRequest:
    """What the writer is asked at a write step: a pure function of what is known of the run."""
    iteration, attempt = step.inputs["iteration"], step.inputs["attempt"]
    game = game_of(config)
    sigma = state.iterations[iteration - 1].sigma
    context = opponent_context(config, state.population[: len(sigma)], sigma)
    hidden = config.context is ContextMode.NONE
    known = _known_attempts(state, step)
    history = tuple(
        feedback_of(record, hide_names=hidden, text=record.feedback or None) for record in known
    )
    untold = [*_earlier_iterations(state, iteration), *known[:-HISTORY_SHOWN]]
    parent = step.inputs["incumbent"]
    incumbent = _source(state.candidate(parent)) if parent else None
    lent = [state.candidate(borrowed) for borrowed in step.inputs.get("inspirations", ())]
    inspirations = [
        Inspiration(_source(record), record.score.mean if record.score else None) for record in lent
    ]
    key = plan.candidate_key(iteration, attempt)
    return WriteRequest(
        game=game,
        context=config.context,
        opponents=context.views,
        incumbent=incumbent,
        history=history,
        messages=render_messages(
            game,
            opponents=None if hidden else context.describe(),
            incumbent=incumbent,
            history=history,
            inspirations=inspirations,
            failures=remembered_failures(untold, hide_names=hidden),
            edited=config.prompts,
        ),
        seed=derive_seed(config.seed, f"{key}/write"),
        key=key,
        inspirations=tuple(inspiration.source for inspiration in inspirations),
        model=config.model,
        prompt_version=prompt_version(WRITE_PARTS, config.prompts),
        context_use=context.to_json(),
    )


def _known_attempts(state: RunState, step: StepSpec) -> Sequence[CandidateRecord]:
    """The attempts of the same task that the writer is told about."""
    knows = step.inputs.get("knows", step.inputs["attempt"] - 1)
    return [
        record
        for record in state.candidates
        if record.iteration == step.inputs["iteration"] and record.attempt <= knows
    ]


def _earlier_iterations(state: RunState, iteration: int) -> Sequence[CandidateRecord]:
    return [record for record in state.candidates if record.iteration < iteration]


def _source(record: CandidateRecord) -> str:
    assert record.source is not None, f"{record.key} was refused and has no program"
    return record.source
