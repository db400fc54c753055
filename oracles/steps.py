"""The unit of durable work. A run is nothing but its configuration and the results of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

StepResult = Mapping[str, Any]
"""What a step found, as plain JSON data. With the configuration it decides what comes next."""


class StepKind(StrEnum):
    PLAY = "play"
    """Cells of the payoff matrix."""
    SOLVE = "solve"
    """The mixture over the population, with its bootstrap range."""
    WRITE = "write"
    """One completion of the writer, read and checked.

    Its result is one of three: ``{"messages", "completion", "extraction", "fingerprint"}``;
    ``{"messages", "failed"}`` when the model gave no answer (the attempt is spent);
    ``{"exhausted"}`` when the budget, the time or a person ended the search (it proposes no more).
    Both of the latter hold the ``requests`` that were sent to models in vain, where any were.
    """
    SUMMARISE = "summarise"
    """A machine-written summary of one policy, made once: ``{"text", ...}`` or as of WRITE."""
    TRAIN = "train"
    """A best response trained by reinforcement learning (PSRO-IMPALA)."""
    COMPUTE = "compute"
    """A policy computed from the game itself (CFR+)."""
    AGENT = "agent"
    """Episodes of a language model that is asked at every turn against one opponent."""
    SCORE = "score"
    """One candidate against the support of the mixture."""
    EVALUATE = "evaluate"
    """A part of the held-out evaluation at the end."""
    CHANGE = "change"
    """What a person changed in the population (:mod:`oracles.changes`); never asked of a worker."""


@dataclass(frozen=True)
class StepSpec:
    """A piece of work that can be done now.

    ``key`` is unique within its run and fixes the step's seed, so that neither the order of
    execution nor the number of workers can change a number. ``inputs`` is plain JSON data.
    """

    key: str
    kind: StepKind
    inputs: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    """What a person reads while it runs, e.g. ``"iteration 2: playing refinement 3"``."""
