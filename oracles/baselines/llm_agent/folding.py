"""What is known of an agent's run, from the episodes that were played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from games.metrics import PopulationScore, estimate, population_score
from games.tournament import derive_seed
from oracles.asking import Asking
from oracles.config import RunConfig
from oracles.estimates import bound_of
from oracles.population import game_of
from oracles.state import AgentCounts, HeldOut, HeldOutOpponent, RunState, Usage
from oracles.steps import StepKind, StepResult, StepSpec

WHOLE = {"rrps": ("throws", 1000), "leduc": ("hands", 100)}
"""By game: what is counted, and how many of them are an episode."""


def drawn_opponents(config: RunConfig) -> list[str]:
    """The opponents that are met: drawn with the run's seed, in the population's order."""
    names = list(game_of(config).evaluation_population())
    count = min(config.agent.opponents, len(names))
    generator = np.random.default_rng(derive_seed(config.seed, "agent/opponents"))
    return [names[i] for i in sorted(generator.choice(len(names), count, replace=False))]


def planned(config: RunConfig) -> list[StepSpec]:
    """A step for each opponent and episode."""
    return [
        StepSpec(
            f"agent/{name}/{episode}",
            StepKind.AGENT,
            {"opponent": name, "episode": episode},
            f"asking the model at every turn against opponent {number}, episode {episode + 1}",
        )
        for number, name in enumerate(drawn_opponents(config), start=1)
        for episode in range(config.agent.episodes)
    ]


def fold(config: RunConfig, results: Mapping[str, StepResult]) -> RunState:
    """No policy, no mixture: episodes, and at their end the scores over those that were played."""
    steps = Asking(results)
    plan = planned(config)
    found = steps.ask(plan)
    played = [(step, result) for step, result in zip(plan, found, strict=True) if result]
    finished = not steps.pending
    counts = _counts(config, played)
    return RunState(
        population=(),
        cells=(),
        iterations=(),
        candidates=(),
        final_sigma=None,
        final_sigma_low=None,
        final_sigma_high=None,
        best_policy=None,
        held_out=_scored(config, played) if finished else (),
        sandbox_level=None,
        pending=tuple(steps.pending),
        finished=finished,
        stop_reason=_why(counts) if finished else "",
        steps_done=steps.done,
        steps_expected=len(plan),
        usage=sum((_usage(result) for _, result in played), Usage()),
        decisions=None,
        agent=counts,
    )


def _why(counts: AgentCounts) -> str:
    if counts.stopped:
        return f"some turns were not asked: {counts.stopped[0]}"
    return "every turn of the sample was asked"


def _counts(config: RunConfig, played: Sequence[tuple[StepSpec, StepResult]]) -> AgentCounts:
    unit, whole = WHOLE[config.game]
    results = [result for _, result in played]
    counting = [(step, result) for step, result in played if payoff_of(config, result) is not None]
    return AgentCounts(
        opponents=len({step.inputs["opponent"] for step, _ in counting}),
        opponents_planned=len(drawn_opponents(config)),
        opponents_of=len(game_of(config).evaluation_population()),
        episodes=len(counting),
        turns_asked=sum(result["turns"] for result in results),
        calls=sum(result["calls"] for result in results),
        asked_again=sum(result["asked_again"] for result in results),
        forfeits=sum(result["forfeits"] for result in results),
        unit=unit,
        units=sum(play["units"] for _, result in counting for play in result["plays"]),
        units_per_episode=whole,
        stopped=tuple(dict.fromkeys(r["stopped"] for r in results if r["stopped"])),
    )


def payoff_of(config: RunConfig, result: StepResult) -> float | None:
    """The payoff of an episode, scaled from what was played of it to the whole; seats averaged.

    None when at one of the seats nothing was played to its end.
    """
    _, whole = WHOLE[config.game]
    plays: Sequence[Mapping[str, Any]] = result["plays"]
    if any(play["units"] == 0 for play in plays):
        return None
    return float(sum(play["payoff"] * whole / play["units"] for play in plays) / len(plays))


def _scored(
    config: RunConfig, played: Sequence[tuple[StepSpec, StepResult]]
) -> tuple[HeldOut, ...]:
    """The scores over the opponents that were met; none when nothing was played."""
    payoffs: dict[str, list[float]] = {}
    bounds: dict[str, float] = {}
    forfeits: dict[str, int] = {}
    seeds: dict[str, int] = {}
    for step, result in played:
        name, payoff = step.inputs["opponent"], payoff_of(config, result)
        if payoff is not None:
            payoffs.setdefault(name, []).append(payoff)
            forfeits[name] = forfeits.get(name, 0) + result["forfeits"]
            seeds[name] = result["seed"]
            bounds[name] = bound_of(result)
    if not payoffs:
        return ()
    score = population_score(list(payoffs.values()), bounds=list(bounds.values()))
    if len(payoffs) < len(game_of(config).evaluation_population()):
        score = _of_a_sample(score, payoffs, max(bounds.values()))
    return (
        HeldOut(
            subject="agent",
            policy=None,
            pop_return=score.pop_return,
            pop_expl=score.pop_expl,
            agg_score=score.agg_score,
            opponents=tuple(
                HeldOutOpponent(
                    name=name,
                    estimate=estimate(values, bound=bounds[name]),
                    faults={"unreadable answer": forfeits[name]} if forfeits[name] else {},
                    seed=seeds[name],
                )
                for name, values in payoffs.items()
            ),
        ),
    )


def _of_a_sample(
    score: PopulationScore, payoffs: Mapping[str, Sequence[float]], bound: float
) -> PopulationScore:
    """The score with what is not known of it, as some opponents of the population were not met.

    PopReturn gets a t interval over opponents: they are a random sample, so their differences are
    part of the uncertainty, and what episodes add to it is in their means already. How much worse
    the worst of those that were not drawn is, nothing tells: PopExpl and AggScore have no interval.
    """
    means = estimate([sum(values) / len(values) for values in payoffs.values()], bound=bound)
    return PopulationScore(
        replace(score.pop_return, low=means.low, high=means.high),
        replace(score.pop_expl, low=None, high=None),
        replace(score.agg_score, low=None, high=None),
    )


def _usage(result: StepResult) -> Usage:
    return Usage(
        result["calls"], result["prompt_tokens"], result["completion_tokens"], result["usd"]
    )
