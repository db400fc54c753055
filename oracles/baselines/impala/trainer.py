"""Training a best response against a mixture. Needs PyTorch; runs in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from games.base import Game
from games.players import MixturePlayer
from games.sandbox import Sandbox
from oracles.baselines.impala.learner import Learner, Unrolls, Update
from oracles.baselines.impala.messages import messages_of
from oracles.baselines.impala.player import Network
from oracles.baselines.impala.program import program
from oracles.baselines.impala.rollout import Actor
from oracles.baselines.impala.tables import Tables
from oracles.options import Impala

CURVE_POINTS = 100


@dataclass(frozen=True)
class CurvePoint:
    """``mean_return`` is the mean payoff of the episodes since the last point."""

    frames: int
    mean_return: float
    entropy: float
    loss: float


class Training:
    """One training; ``run`` may be called once. The same arguments give the same weights."""

    def __init__(
        self,
        *,
        game: Game,
        opponents: MixturePlayer,
        settings: Impala,
        seed: int,
        sandbox: Sandbox,
    ) -> None:
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        self._game = game
        self._settings = settings
        messages = messages_of(game)
        network_seed, actor_seed, table_seed = np.random.SeedSequence(seed).generate_state(3)
        self._learner = Learner(
            inputs=messages.features,
            hidden=settings.hidden,
            actions=messages.actions,
            learning_rate=settings.learning_rate,
            entropy=settings.entropy,
            seed=int(network_seed),
        )
        self._actor = Actor(
            messages=messages,
            network=self._learner.actor(),
            episodes=settings.environments,
            length=settings.unroll,
            generator=np.random.default_rng(actor_seed),
            learn=self._learn,
        )
        self._tables = Tables(
            game=game,
            messages=messages,
            sandbox=sandbox,
            opponents=opponents,
            episodes=settings.environments,
            seed=int(table_seed),
        )
        self._updates: list[Update] = []
        self._payoffs: list[float] = []
        self._curve: list[CurvePoint] = []

    def run(
        self,
        *,
        on_point: Callable[[CurvePoint], None] | None = None,
        should_finish: Callable[[], bool] | None = None,
    ) -> dict[str, Any]:
        """Train for ``settings.frames`` decisions, to the end of the episodes then in play.

        ``should_finish`` is asked between rounds of episodes: true keeps what has been learnt.

        Returns:
            ``{"source", "curve", "frames", "episodes", "forfeits", "decisions", "seconds"}`` as
            JSON data.
        """
        started = time.monotonic()
        frames, forfeits, decisions, number = self._settings.frames, 0, 0, 0
        while self._actor.frames < frames and not (should_finish and number and should_finish()):
            played = self._tables.play(number, self._actor.act)
            self._actor.end(played.payoffs)
            self._payoffs += played.payoffs
            forfeits += played.forfeits
            decisions += played.decisions
            number += 1
            due = len(self._curve) < CURVE_POINTS * self._actor.frames / frames
            if due or self._actor.frames >= frames:
                self._add_point(on_point)
        if self._updates:
            self._add_point(on_point)
        return {
            "source": program(
                self._game,
                self._learner.numbers(),
                hidden=self._settings.hidden,
                frames=self._actor.frames,
            ),
            "curve": [asdict(point) for point in self._curve],
            "frames": self._actor.frames,
            "episodes": number * self._settings.environments,
            "forfeits": forfeits,
            "decisions": decisions,
            "seconds": time.monotonic() - started,
        }

    def _learn(self, unrolls: Unrolls) -> Network:
        progress = min(1.0, self._actor.frames / self._settings.frames)
        self._updates.append(self._learner.update(unrolls, progress=progress))
        return self._learner.actor()

    def _add_point(self, on_point: Callable[[CurvePoint], None] | None) -> None:
        if not self._updates:
            return
        point = CurvePoint(
            frames=self._actor.frames,
            mean_return=float(np.mean(self._payoffs)),
            entropy=float(np.mean([update.entropy for update in self._updates])),
            loss=float(np.mean([update.loss for update in self._updates])),
        )
        self._curve.append(point)
        self._updates.clear()
        self._payoffs.clear()
        if on_point is not None:
            on_point(point)
