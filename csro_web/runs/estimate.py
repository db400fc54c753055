"""How large a run will be, before it is launched. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.registry import get_game
from oracles.config import BASELINES, ContextMode, OracleName, RunConfig, WriterName
from oracles.population import initial_population

SUBJECTS = 3
"""What is evaluated at the end: the final mixture, the best and the last policy."""

DECISIONS = {"rrps": 2000, "leduc": 920}
"""Decisions of both sides in one episode. RRPS: 1000 throws each. Leduc: 100 hands from both seats;
the 29 matches of a run had 523 to 921 (median 910): policies that fold much take fewer."""


@dataclass(frozen=True)
class Estimate:
    """Upper bounds. ``decisions`` is None for a game whose episodes have no known length.

    ``calls`` counts requests to models with all retries; ``seconds`` are those of one worker, None
    while its speed is unknown.
    """

    runs: int
    proposals: int
    matches: int
    episodes: int
    decisions: int | None
    calls: int
    seconds: float | None = None


def of_runs(configs: Sequence[RunConfig], decisions_per_second: float | None) -> Estimate:
    """All of ``configs`` together, which play one game."""
    each = [of_run(config) for config in configs]
    lengths = [one.decisions for one in each if one.decisions is not None]
    decisions = sum(lengths) if len(lengths) == len(each) else None
    known = decisions is not None and decisions_per_second
    return Estimate(
        runs=len(each),
        proposals=sum(one.proposals for one in each),
        matches=sum(one.matches for one in each),
        episodes=sum(one.episodes for one in each),
        decisions=decisions,
        calls=sum(one.calls for one in each),
        seconds=decisions / decisions_per_second if known else None,
    )


def of_run(config: RunConfig) -> Estimate:
    """At most so much is played: every proposal meets the whole population."""
    game = get_game(config.game, config.params)
    evaluation = len(game.evaluation_population())
    initial = len(initial_population(config))
    tries = _tries(config)
    grows = config.oracle not in (OracleName.CFR, OracleName.LLM_AGENT)
    sizes = range(initial, initial + config.iterations) if grows else range(0)
    pairs = initial * (initial - 1) // 2 + sum(sizes) if grows else 0
    scored = sum(tries * size for size in sizes)
    screened = scored if config.oracle is OracleName.ALPHA_EVOLVE else 0
    held_out = SUBJECTS * evaluation
    episodes = (
        (pairs + scored) * config.episodes
        + screened * min(config.evolution.screen_episodes, config.episodes)
        + held_out * config.evaluation_episodes
    )
    if config.oracle is OracleName.LLM_AGENT:
        held_out = min(config.agent.opponents, evaluation)
        episodes = held_out * config.agent.episodes
    per_episode = DECISIONS.get(config.game)
    return Estimate(
        runs=1,
        proposals=tries * len(sizes),
        matches=pairs + scored + screened + held_out,
        episodes=episodes,
        decisions=None if per_episode is None else episodes * per_episode,
        calls=_calls(config, proposals=tries * len(sizes), population=max(sizes, default=0) + 1),
    )


def _tries(config: RunConfig) -> int:
    """Proposals per best response."""
    match config.oracle:
        case OracleName.LINEAR_REFINEMENT:
            return config.refinements
        case OracleName.BEST_OF_N | OracleName.ALPHA_EVOLVE:
            return config.proposals
        case OracleName.ZERO_SHOT:
            return 1
        case _:
            return 0


def _calls(config: RunConfig, *, proposals: int, population: int) -> int:
    """Requests to models with all retries; the budget caps them."""
    if config.model is None:
        return 0
    if config.oracle is OracleName.LLM_AGENT:
        # every turn may be asked again once
        asked = 2 * config.agent.turns * config.agent.opponents * config.agent.episodes
    elif config.writer is WriterName.LLM and config.oracle not in BASELINES:
        summaries = population if config.context is ContextMode.SUMMARY else 0
        asked = proposals + summaries
    else:
        return 0
    most = asked * (1 + config.model.retries)
    return most if config.budget.calls is None else min(most, config.budget.calls)
