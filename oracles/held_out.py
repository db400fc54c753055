"""The held-out evaluation at the end of a run: opponents that the search never met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from games.metrics import PopulationScore, population_score
from oracles import plan
from oracles.asking import Ask
from oracles.config import BASELINES, RunConfig, WriterName
from oracles.estimates import bound_of, estimate
from oracles.mixture import support
from oracles.population import game_of, trained_against
from oracles.state import HeldOut, HeldOutOpponent
from oracles.steps import StepResult
from oracles.writers.grammar.tuning import TUNED_ON


def held_out_scores(
    config: RunConfig,
    ask: Ask,
    *,
    final: Sequence[float],
    best: int | None,
    last: int | None,
) -> tuple[HeldOut, ...]:
    """The three subjects' scores; empty while a step of any of them has no result.

    A subject that is the same player as another one is played once.
    """
    played = support(final)
    mixture: int | str = played[0] if len(played) == 1 else plan.MIXTURE
    players: dict[str, int | str | None] = {
        "final_mixture": mixture,
        "best_policy": best,
        "last_policy": last,
    }
    names = list(game_of(config).evaluation_population())
    found = {
        player: ask(plan.evaluate(player, len(names)))
        for player in dict.fromkeys(players.values())
        if player is not None
    }
    if any(result is None for results in found.values() for result in results):
        return ()
    return tuple(
        score_subject(config, subject, player, [result for result in found[player] if result])
        for subject, player in players.items()
        if player is not None
    )


def score_subject(
    config: RunConfig, subject: str, player: int | str, results: Sequence[StepResult]
) -> HeldOut:
    """The figures of one subject; ``results`` hold its matches against all held-out opponents, in
    the population's order."""
    names = list(game_of(config).evaluation_population())
    matches = [match for result in results for match in result["matches"]]
    met = list(zip(names, matches, strict=True))
    seen = trained_against(config)
    opponents = tuple(
        HeldOutOpponent(
            name=name,
            estimate=estimate(match["payoffs"], bound=bound_of(match)),
            faults=dict(match["faults_a"]),
            seed=match["seed"],
            seen=name in seen,
        )
        for name, match in met
    )
    fresh = [m for name, m in met if name not in seen]
    known = [m for name, m in met if name in seen]
    grammar = config.writer is WriterName.GRAMMAR and config.oracle not in BASELINES
    tuned = TUNED_ON.get(config.game, frozenset()) if grammar else frozenset()
    untuned = [m for name, m in met if name not in seen and name not in tuned]
    score = _score(fresh)
    return HeldOut(
        subject=subject,
        policy=None if subject == "final_mixture" else int(player),
        pop_return=score.pop_return,
        pop_expl=score.pop_expl,
        agg_score=score.agg_score,
        opponents=opponents,
        seen=_score(known) if known else None,
        untuned=_score(untuned) if 0 < len(untuned) < len(fresh) else None,
    )


def _score(matches: Sequence[Mapping[str, Any]]) -> PopulationScore:
    return _population_score(
        tuple(tuple(match["payoffs"]) for match in matches),
        tuple(bound_of(match) for match in matches),
    )


@lru_cache(maxsize=256)
def _population_score(
    payoffs: tuple[tuple[float, ...], ...], bounds: tuple[float, ...]
) -> PopulationScore:
    """Cached by content: a run is folded again after each of its steps."""
    return population_score(payoffs, bounds=bounds)
