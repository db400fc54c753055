"""A training as a step of a run: its result has the shape of a written proposal's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from games.match import SandboxLevel
from games.players import source_sha256
from oracles.baselines.impala.task import Task, train
from oracles.candidate import Extraction
from oracles.fingerprint import fingerprint
from oracles.task import Completion


def train_step(
    task: Task,
    *,
    level: SandboxLevel,
    should_stop: Callable[[], bool] | None,
    exhausted: Callable[[], str | None],
) -> dict[str, Any]:
    """As of :attr:`oracles.steps.StepKind.WRITE`, with ``training`` beside the program.

    ``training`` is what :meth:`oracles.baselines.impala.trainer.Training.run` returns, without the
    source, and ``ended_early``: why fewer frames were played than asked for, or "".

    Raises:
        MatchCancelled, EngineError: see :func:`oracles.baselines.impala.task.train`.
    """
    why = exhausted()
    if why is not None:
        return {"exhausted": why}
    reasons: list[str] = []

    def should_finish() -> bool:
        reason = exhausted()
        if reason is not None:
            reasons.append(reason)
        return reason is not None

    trained = train(task, required=level, should_stop=should_stop, should_finish=should_finish)
    source = trained.pop("source")
    accepted = Extraction(True, "", None, source, source_sha256(source), ())
    early = reasons[-1] if reasons and trained["frames"] < task.settings.frames else ""
    return {
        "messages": [],
        "completion": asdict(Completion(text="", seconds=trained["seconds"])),
        "extraction": accepted.to_json(),
        "fingerprint": fingerprint(source),
        "training": {**trained, "ended_early": early},
    }
