"""Evaluation throughput of two workers over that of one."""

from __future__ import annotations

import time

from games.base import Game
from games.benchmarks.rows import Row, policy_source
from games.evaluate import evaluate
from games.local_engine import LocalEngine
from games.players import CodePlayer
from games.registry import get_game

_REPEATS = 3


def scaling(name: str, *, target: float, episodes: int) -> Row:
    """Throws per second of an evaluation against all bots: an engine of two workers, and of one.

    Both engines are warm and take turns; each counts with its best try.
    """
    game = get_game("rrps")
    player = CodePlayer(policy_source("predictors32"))
    best = {1: 0.0, 2: 0.0}
    with LocalEngine(workers=1) as one, LocalEngine(workers=2) as two:
        engines = {1: one, 2: two}
        for engine in engines.values():
            evaluate(engine, game, player, episodes=1, seed=0)
        for attempt in range(_REPEATS):
            for workers, engine in engines.items():
                speed = _throws_per_second(engine, game, player, episodes, seed=attempt + 1)
                best[workers] = max(best[workers], speed)
        level = one.level
    return Row(
        name=name,
        ours=best[2],
        peer=best[1],
        ratio=best[2] / best[1],
        target=target,
        unit="throws/s",
        note=(
            f"predictors32 policy against 43 bots, {episodes} episodes each, at sandbox level "
            f"{level}; two workers against one, which needs two idle cores"
        ),
    )


def _throws_per_second(
    engine: LocalEngine, game: Game, player: CodePlayer, episodes: int, *, seed: int
) -> float:
    started = time.perf_counter()
    evaluate(engine, game, player, episodes=episodes, seed=seed)
    throws = 1000 * episodes * len(game.evaluation_population())
    return throws / (time.perf_counter() - started)
