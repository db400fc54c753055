"""A player against the game's evaluation population: the figures that papers report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.base import Game
from games.engine import MatchEngine
from games.fixed import payoff_bound
from games.match import DEFAULT_BATCH_SIZE, MatchResult, MatchSpec, SandboxLevel
from games.metrics import Estimate, PopulationScore, estimate, population_score
from games.players import BotPlayer, Player
from games.tournament import derive_seed


@dataclass(frozen=True)
class OpponentScore:
    """How the player did against one member of the population."""

    name: str
    estimate: Estimate
    faults: Mapping[str, int]
    """Forfeited decisions of the player, by kind."""
    seed: int
    result: MatchResult


@dataclass(frozen=True)
class Evaluation:
    """PopReturn, PopExpl and AggScore of a player, with what they were made of."""

    game: str
    params: Mapping[str, Any]
    episodes: int
    """Per opponent."""
    seed: int
    sandbox_level: SandboxLevel
    score: PopulationScore
    opponents: tuple[OpponentScore, ...]
    seconds: float
    """Wall time of the matches, added up."""
    decisions: int

    def to_json(self) -> dict[str, Any]:
        """The answer of ``./csro evaluate --json``, apart from what names the policy."""
        return {
            "game": self.game,
            "game_params": dict(self.params),
            "episodes": self.episodes,
            "seed": self.seed,
            "sandbox_level": str(self.sandbox_level),
            "pop_return": interval_json(self.score.pop_return),
            "pop_expl": interval_json(self.score.pop_expl),
            "agg_score": interval_json(self.score.agg_score),
            "opponents": [
                {
                    "name": opponent.name,
                    **interval_json(opponent.estimate),
                    "episodes": opponent.estimate.episodes,
                    "faults": sum(opponent.faults.values()),
                }
                for opponent in self.opponents
            ],
            "seconds": self.seconds,
            "decisions": self.decisions,
        }


def interval_json(value: Estimate) -> dict[str, float | None]:
    return {"mean": value.mean, "low": value.low, "high": value.high}


def evaluation_specs(
    game: Game,
    player: Player,
    *,
    episodes: int,
    seed: int,
    opponents: Sequence[str] | None = None,
    batch_size: int = DEFAULT_BATCH_SIZE,
) -> list[MatchSpec]:
    """One match per opponent, in the population's order.

    An opponent's seed depends on ``seed`` and its name alone, so that two players meet the same
    episodes.
    """
    names = list(game.evaluation_population()) if opponents is None else list(opponents)
    return [
        MatchSpec(
            game=game.name,
            a=player,
            b=BotPlayer(name),
            episodes=episodes,
            seed=derive_seed(seed, f"evaluate/{name}"),
            params=game.params,
            batch_size=batch_size,
        )
        for name in names
    ]


def summarise(
    game: Game, specs: Sequence[MatchSpec], results: Sequence[MatchResult], *, seed: int
) -> Evaluation:
    """The evaluation that the played specs of :func:`evaluation_specs` amount to."""
    opponents, bounds = [], []
    for spec, result in zip(specs, results, strict=True):
        if not isinstance(spec.b, BotPlayer):
            raise TypeError(f"the evaluation population has bots alone, got {spec.b.key}")
        bounds.append(payoff_bound(spec, reproducible=result.reproducible))
        scored = estimate(result.payoffs, bound=bounds[-1])
        opponents.append(OpponentScore(spec.b.name, scored, result.a.counts, spec.seed, result))
    levels = list(SandboxLevel)
    return Evaluation(
        game=game.name,
        params=game.params,
        episodes=specs[0].episodes,
        seed=seed,
        sandbox_level=max((result.sandbox_level for result in results), key=levels.index),
        score=population_score([result.payoffs for result in results], bounds=bounds),
        opponents=tuple(opponents),
        seconds=sum(result.seconds for result in results),
        decisions=sum(result.decisions for result in results),
    )


def evaluate(
    engine: MatchEngine,
    game: Game,
    player: Player,
    *,
    episodes: int,
    seed: int,
    opponents: Sequence[str] | None = None,
    on_result: Callable[[int, MatchResult], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Evaluation:
    """Play the player against the population and score it.

    Raises:
        MatchCancelled: when ``should_stop`` said so.
        GameError: on an unknown opponent.
    """
    specs = evaluation_specs(game, player, episodes=episodes, seed=seed, opponents=opponents)
    results = engine.play(specs, on_result=on_result, should_stop=should_stop)
    return summarise(game, specs, results, seed=seed)
