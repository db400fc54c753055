"""AlphaEvolve against Best-of-N and LinearRefinement at equal decisions played, on RRPS.

For each seed, AlphaEvolve makes its proposals with the built-in grammar; the other two may then
play as many episodes in their search as it did. The one policy that each of them finds meets the
bots that none of the searches met. Nothing else differs: opponents, weights, seeds, writer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from games.benchmarks.rows import Row
from games.engine import MatchEngine
from games.evaluate import evaluate
from games.local_engine import LocalEngine
from games.metrics import Estimate, estimate
from games.registry import get_game
from games.rrps import Rrps
from oracles.config import BOT_PREFIX, OracleName, RunConfig, SolverName
from oracles.execute import Tools, execute
from oracles.loop import fold
from oracles.matches import MemoryMatchStore
from oracles.options import Evolution
from oracles.steps import StepResult, StepSpec
from oracles.writers import LazyWriters

EVERY = 7
"""Every seventh bot of the list is an opponent of the search; the others score its result."""
METHODS = (OracleName.ALPHA_EVOLVE, OracleName.BEST_OF_N, OracleName.LINEAR_REFINEMENT)
MOST_PROPOSALS = 10_000
"""Of the other searches: more than the decisions of an evolution can pay for."""
_SEARCH = ("/smoke", "/screen/", "/score/")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is played. ``seeds`` are 1, 2, ..."""

    seeds: int = 5
    proposals: int = 40
    episodes: int = 3
    screen_episodes: int = 1
    evaluation_episodes: int = 4


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one search came to."""

    method: str
    seed: int
    proposals: int
    episodes: int
    """Played in the search, of 1000 decisions each."""
    utility: float
    """Mean payoff of its policy against the search's opponents, on episodes of their own."""
    agg_score: float
    """AggScore of its policy on the bots that the search did not meet."""


def run(plan: Plan, say: Callable[[str], None]) -> list[Row]:
    """Two rows: AlphaEvolve's mean AggScore over the seeds against each of the others'."""
    found: list[Found] = []
    with LocalEngine(workers=2) as engine:
        for seed in range(1, plan.seeds + 1):
            episodes = None
            for method in METHODS:
                one = _found_by(engine, plan, method, seed, episodes)
                episodes = one.episodes if episodes is None else episodes
                found.append(one)
                say(
                    f"seed {seed}, {method}: {one.proposals} proposals, {one.episodes} episodes,"
                    f" utility {one.utility:.1f}, AggScore {one.agg_score:.1f}"
                )
    return [_row(plan, found, peer) for peer in METHODS[1:]]


def _found_by(
    engine: MatchEngine, plan: Plan, method: OracleName, seed: int, budget: int | None
) -> Found:
    """One best response by ``method``, which proposes no more once ``budget`` episodes are over."""
    config = _config(plan, method, seed)
    results: dict[str, StepResult] = {}

    def exhausted() -> str | None:
        spent = _episodes(results)
        return f"{spent} episodes were played" if budget is not None and spent >= budget else None

    tools = Tools(
        engine=engine, writers=LazyWriters(), matches=MemoryMatchStore(), exhausted=exhausted
    )
    state = fold(config, results)
    while not state.stop_reason:
        step = _next(state.pending)
        results[step.key] = execute(config, state, step, tools)
        state = fold(config, results)
    (iteration,) = state.iterations
    if iteration.policy is None or iteration.gain is None:
        raise RuntimeError(f"{method} found no policy with seed {seed}: {iteration.note}")
    met = {name.removeprefix(BOT_PREFIX) for name in config.initial}
    game = get_game(config.game)
    scored = evaluate(
        engine,
        game,
        state.population[iteration.policy].player,
        episodes=plan.evaluation_episodes,
        seed=seed,
        opponents=[name for name in game.evaluation_population() if name not in met],
    )
    return Found(
        method=str(method),
        seed=seed,
        proposals=len(state.candidates),
        episodes=_episodes(results),
        utility=iteration.gain.mean,
        agg_score=scored.score.agg_score.mean,
    )


def _next(pending: Sequence[StepSpec]) -> StepSpec:
    """What plays comes before what proposes, so that no proposal is made on a spent budget."""
    return min(pending, key=lambda step: step.key.endswith("/write"))


def _episodes(results: Mapping[str, StepResult]) -> int:
    return sum(
        len(match["payoffs"])
        for key, result in results.items()
        if any(part in key for part in _SEARCH)
        for match in result["matches"]
    )


def _config(plan: Plan, method: OracleName, seed: int) -> RunConfig:
    bots = get_game("rrps").evaluation_population()
    return RunConfig(
        game="rrps",
        oracle=method,
        training_solver=SolverName.UNIFORM,
        initial=tuple(BOT_PREFIX + name for name in bots[::EVERY]),
        iterations=1,
        episodes=plan.episodes,
        proposals=plan.proposals if method is OracleName.ALPHA_EVOLVE else MOST_PROPOSALS,
        refinements=100,
        target=1000.0,
        evolution=Evolution(
            islands=2,
            window=4 if method is OracleName.ALPHA_EVOLVE else 1,
            migration=10,
            screen_episodes=plan.screen_episodes,
        ),
        seed=seed,
    )


def _row(plan: Plan, found: Sequence[Found], peer: OracleName) -> Row:
    mine = _by_seed(found, OracleName.ALPHA_EVOLVE)
    theirs = _by_seed(found, peer)
    ours, other = _mean([one.agg_score for one in mine]), _mean([one.agg_score for one in theirs])
    pairs = list(zip(mine, theirs, strict=True))
    largest = Rrps.largest_payoff
    # AggScore is a difference of two payoffs itself.
    score = estimate([a.agg_score - b.agg_score for a, b in pairs], bound=4 * largest)
    utility = estimate([a.utility - b.utility for a, b in pairs], bound=2 * largest)
    return Row(
        name=f"evolution-{peer}".replace("_", "-"),
        ours=ours,
        peer=other,
        ratio=ours / other if other > 0 else None,
        target=None,
        unit="AggScore",
        note=(
            f"alpha_evolve against {peer}, {plan.seeds} seeds, equal episodes in the search:"
            f" difference of AggScore {_told(score)}, of utility against the opponents of the"
            f" search {_told(utility)}"
        ),
        details={
            "plan": asdict(plan),
            "difference": asdict(score),
            "utility_difference": asdict(utility),
            "found": [asdict(one) for one in (*mine, *theirs)],
        },
    )


def _by_seed(found: Sequence[Found], method: OracleName) -> list[Found]:
    return [one for one in found if one.method == method]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _told(value: Estimate) -> str:
    if value.low is None or value.high is None:
        return f"{value.mean:+.1f} (interval unknown)"
    return f"{value.mean:+.1f} ({value.low:+.1f} to {value.high:+.1f})"
