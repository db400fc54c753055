"""The CSRO loop: what is known of a run decides what to do next (docs/explanation/csro-loop.md).

``fold`` is pure; ``execute`` does one of the steps that it asks for. Whoever drives a run, a worker
with a database or a notebook, does nothing but execute pending steps and remember their results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from oracles.baselines import cfr
from oracles.baselines.llm_agent.folding import fold as fold_agent
from oracles.config import OracleName, RunConfig
from oracles.execute import Tools, execute
from oracles.matches import MatchStore, MemoryMatchStore
from oracles.reducer import Reducer
from oracles.report import summary_json
from oracles.state import RunState
from oracles.steps import StepResult, StepSpec

__all__ = [
    "MatchStore",
    "MemoryMatchStore",
    "Tools",
    "execute",
    "fold",
    "solve_in_memory",
    "summary_json",
]


def fold(config: RunConfig, results: Mapping[str, StepResult]) -> RunState:
    """What is known of a run whose finished steps gave ``results`` (by step key).

    Pure: the order in which results came does not matter, and keys that the run never asked for
    are ignored.
    """
    if config.oracle is OracleName.CFR:
        return cfr.fold(config, results)
    if config.oracle is OracleName.LLM_AGENT:
        return fold_agent(config, results)
    return Reducer(config, results).run()


def solve_in_memory(
    config: RunConfig,
    tools: Tools,
    on_step: Callable[[StepSpec, StepResult, RunState], None] | None = None,
) -> RunState:
    """A whole run in this process. ``on_step`` sees each step with the state after it."""
    results: dict[str, StepResult] = {}
    state = fold(config, results)
    while not state.finished:
        step = state.pending[0]
        results[step.key] = execute(config, state, step, tools)
        state = fold(config, results)
        if on_step is not None:
            on_step(step, results[step.key], state)
    return state
