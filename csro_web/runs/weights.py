"""Each policy's weight in its run's newest mixture, as columns that a list can be ordered by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from csro_web.policies.models import UNKNOWN_URGENCY, Policy
from csro_web.runs.models import Run
from oracles.state import RunState


@dataclass(frozen=True)
class Mixture:
    """Weights by the policies' indices; the ends are empty where no range is known."""

    values: tuple[float, ...] = ()
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()


def newest(state: RunState) -> Mixture:
    """The final mixture, else that of the newest iteration; an empty one before the first."""
    if state.final_sigma is not None:
        return Mixture(state.final_sigma, state.final_sigma_low or (), state.final_sigma_high or ())
    if not state.iterations:
        return Mixture()
    last = state.iterations[-1]
    return Mixture(last.sigma, last.sigma_low, last.sigma_high)


def save(run: Run, mixture: Mixture) -> None:
    """Write the weights of the run's policies (inside a transaction). 2 queries."""
    policies = list(Policy.objects.filter(run=run).only("pk", "index"))
    for policy in policies:
        policy.weight = _at(mixture.values, policy.index)
        policy.weight_low = _at(mixture.lows, policy.index)
        policy.weight_high = _at(mixture.highs, policy.index)
        known = policy.weight_high is not None
        policy.urgency = policy.weight_high if known else UNKNOWN_URGENCY
    Policy.objects.bulk_update(
        policies, ["weight", "weight_low", "weight_high", "urgency"], batch_size=200
    )


def _at(values: Sequence[float], index: int) -> float | None:
    return values[index] if index < len(values) else None
