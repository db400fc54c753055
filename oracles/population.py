"""A run's population and payoff matrix, read from its configuration and step results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from games.base import Game
from games.players import BotPlayer, CodePlayer
from games.registry import get_game
from oracles.challenge import frozen_population
from oracles.choices import UNTRAINED
from oracles.config import BOT_PREFIX, RunConfig
from oracles.estimates import bound_of, estimate
from oracles.splits import training_bots
from oracles.state import CellRecord, PolicyRecord
from oracles.steps import StepResult, StepSpec


@lru_cache(maxsize=64)
def _cached_game(name: str, params: str) -> Game:
    return get_game(name, json.loads(params))


def game_of(config: RunConfig) -> Game:
    """The run's game with its parameters fixed."""
    return _cached_game(config.game, json.dumps(dict(config.params), sort_keys=True))


def initial_population(config: RunConfig) -> list[PolicyRecord]:
    """The policies that the run starts from: those of ``config.initial``, then its split's bots.

    Those of a challenge are its frozen opponents.
    """
    if config.challenge:
        return frozen_population(config)
    game = game_of(config)
    sources = {policy.name: policy.source for policy in game.initial_population()}
    names = list(config.initial or sources)
    if config.split is not None:
        names += [BOT_PREFIX + bot for bot in training_bots(game, config.split)]
    population = []
    for index, name in enumerate(names):
        is_bot = name.startswith(BOT_PREFIX)
        population.append(
            PolicyRecord(
                index=index,
                name=name.removeprefix(BOT_PREFIX),
                origin="bot" if is_bot else "initial",
                player=BotPlayer(name.removeprefix(BOT_PREFIX))
                if is_bot
                else CodePlayer(sources[name]),
                iteration=None,
                candidate_key=None,
            )
        )
    return population


def trained_against(config: RunConfig) -> frozenset[str]:
    """Names of the reference bots that the run met before its held-out evaluation."""
    if config.oracle in UNTRAINED:
        return frozenset()
    return frozenset(
        policy.name for policy in initial_population(config) if isinstance(policy.player, BotPlayer)
    )


def cells_of(steps: Sequence[StepSpec], results: Sequence[StepResult | None]) -> list[CellRecord]:
    """The cells that the play steps with a result have found."""
    return [
        _cell(step.inputs["row"], column, match)
        for step, result in zip(steps, results, strict=True)
        if result is not None
        for column, match in zip(step.inputs["columns"], result["matches"], strict=True)
    ]


def _cell(row: int, column: int, match: Mapping[str, object]) -> CellRecord:
    payoffs = match["payoffs"]
    assert isinstance(payoffs, list)
    return CellRecord(
        row=row,
        column=column,
        estimate=estimate(payoffs, bound=bound_of(match)),
        match_key=str(match["key"]),
        seed=int(str(match["seed"])),
        faults_row=dict(match["faults_a"]),  # type: ignore[call-overload]
        faults_column=dict(match["faults_b"]),  # type: ignore[call-overload]
        payoffs=tuple(payoffs),
        bound=bound_of(match),
    )


def total_faults(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Faults by kind, summed; without the kinds that did not occur."""
    total = Counter[str]()
    for count in counts:
        total.update(count)
    return {kind: number for kind, number in total.items() if number}


def best_policy(population: Sequence[PolicyRecord], cells: Sequence[CellRecord]) -> int | None:
    """Index of the policy with the highest mean payoff against the population.

    Every pair counts once, its payoff against itself not at all; the worst cell breaks ties.
    Withdrawn policies are left out on both sides, and reference bots are not the run's own work;
    None when nothing else is there.
    """
    members = [policy for policy in population if policy.withdrawn_by is None]
    payoffs: dict[int, list[float]] = {policy.index: [] for policy in members}
    for cell in cells:
        if cell.row in payoffs and cell.column in payoffs:
            payoffs[cell.row].append(cell.estimate.mean)
            payoffs[cell.column].append(-cell.estimate.mean)
    own = [policy.index for policy in members if not isinstance(policy.player, BotPlayer)]

    def strength(index: int) -> tuple[float, float, int]:
        values = payoffs[index] or [0.0]
        return sum(values) / len(values), min(values), -index

    return max(own, key=strength, default=None)
