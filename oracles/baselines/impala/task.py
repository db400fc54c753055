"""What a training is asked for, and how a worker gets it done in another process."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from games import wire
from games.base import Game
from games.batches import player_from_json, player_to_json
from games.engine import EngineError, MatchCancelled
from games.match import SandboxLevel
from games.players import MixturePlayer
from games.referee_handle import RefereeHandle
from games.registry import get_game
from oracles.baselines.impala import missing
from oracles.options import Impala

_POLL_SECONDS = 0.1
_FINISH_SECONDS = 1.0


@dataclass(frozen=True)
class Task:
    """A best response to ``opponents``; with the seed, everything that decides the weights."""

    game: Game
    opponents: MixturePlayer
    settings: Impala
    seed: int

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "params": dict(self.game.params),
            "opponents": [
                [weight, player_to_json(player)] for weight, player in self.opponents.components
            ],
            "settings": asdict(self.settings),
            "seed": self.seed,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Task:
        components = tuple((w, player_from_json(player)) for w, player in data["opponents"])
        return cls(
            game=get_game(data["game"], data["params"]),
            opponents=MixturePlayer(components),
            settings=Impala.from_json(data["settings"]),
            seed=data["seed"],
        )


def train(
    task: Task,
    *,
    required: SandboxLevel,
    should_stop: Callable[[], bool] | None = None,
    should_finish: Callable[[], bool] | None = None,
) -> dict[str, Any]:
    """The result of :meth:`oracles.baselines.impala.trainer.Training.run` for ``task``.

    ``should_finish`` ends the training early and keeps what was learnt; ``should_stop`` drops it.

    Raises:
        MatchCancelled: soon after ``should_stop`` returned true.
        EngineError: when PyTorch is missing, the training failed or its process died.
        SandboxUnavailable: when the machine does not reach ``required``.
    """
    lack = missing()
    if lack is not None:
        raise EngineError(lack)
    trainer = RefereeHandle(required, module="oracles.baselines.impala.process")
    told, asked = False, time.monotonic()
    try:
        wire.send(trainer.connection, task.to_json())
        with selectors.DefaultSelector() as selector:
            selector.register(trainer.connection, selectors.EVENT_READ)
            while True:
                if should_stop is not None and should_stop():
                    raise MatchCancelled("the training was stopped before it ended")
                if should_finish is not None and time.monotonic() - asked > _FINISH_SECONDS:
                    asked = time.monotonic()
                    if not told and should_finish():
                        wire.send(trainer.connection, {"finish": True})
                        told = True
                if not selector.select(_POLL_SECONDS):
                    continue
                answer = trainer.answer()
                if "error" in answer:
                    raise EngineError(f"training: {answer['error']}\n{answer['traceback']}")
                if "result" in answer:
                    result: dict[str, Any] = answer["result"]
                    return result
    except (EOFError, OSError) as error:
        raise EngineError(f"the training ended its process: {trainer.last_words()}") from error
    finally:
        trainer.kill()
