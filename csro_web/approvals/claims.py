"""What a run says of a policy that fresh episodes can confirm or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from csro_web.policies.models import Policy
from csro_web.policies.selectors import newest_mixture
from csro_web.runs.matches import stored_bound
from csro_web.runs.models import Cell, Iteration, Run
from games.metrics import Estimate
from oracles.estimates import weighted_mean
from oracles.mixture import support, support_weights

Weights = Mapping[int, float]
"""Population index -> weight of those that the mixture plays; summing to 1."""

HELD_OUT = ("pop_return", "pop_expl", "agg_score")


def newest_weights(run: Run) -> Weights:
    """Of the run's newest mixture; empty when none was solved."""
    return _weights(newest_mixture(run)[0])


def weights_it_was_made_for(policy: Policy) -> Weights:
    """Of the mixture that the search wanted to beat with it; empty for what no search made."""
    iteration = _iteration_of(policy)
    return {} if iteration is None else _weights(iteration.sigma)


def claims_of(policy: Policy) -> dict[str, dict[str, Any]]:
    """Claimed figures by name, as Estimate JSON; only those that the run has. At most 5 queries.

    ``score``: in the search, on the episodes that it was chosen by. ``gain``: when it joined, both
    against the mixture that it was made for. ``row``: its row of the payoff matrix against the
    newest mixture. ``pop_return``, ``pop_expl``, ``agg_score``: held out, at the run's end.
    """
    found: dict[str, Estimate | None] = {}
    iteration = _iteration_of(policy)
    candidate = policy.candidate
    if iteration is not None and candidate is not None and candidate.score_mean is not None:
        found["score"] = Estimate(
            candidate.score_mean,
            candidate.score_low,
            candidate.score_high,
            candidate.episodes or 0,
        )
    if iteration is not None and iteration.gain_mean is not None:
        found["gain"] = Estimate(
            iteration.gain_mean, iteration.gain_low, iteration.gain_high, _row_episodes(policy)
        )
    found["row"] = _row_against(policy, newest_weights(policy.run))
    claimed = {name: asdict(value) for name, value in found.items() if value is not None}
    for subject in policy.run.held_out or []:
        if subject["policy"] == policy.index:
            claimed.update({name: dict(subject[name]) for name in HELD_OUT})
    return claimed


def _weights(sigma: list[float]) -> Weights:
    return dict(zip(support(sigma), support_weights(sigma), strict=True))


def _iteration_of(policy: Policy) -> Iteration | None:
    return Iteration.objects.filter(run_id=policy.run_id, policy_index=policy.index).first()


def _row_episodes(policy: Policy) -> int:
    """Episodes of the cells that it joined with."""
    row = Cell.objects.filter(run_id=policy.run_id, row=policy.index)
    return sum(row.values_list("match__episodes", flat=True))


def _row_against(policy: Policy, weights: Weights) -> Estimate | None:
    """None when a member of the mixture has no cell with it. Against itself it wins nothing."""
    others = {index: weight for index, weight in weights.items() if index != policy.index}
    if not weights:
        return None
    cells = Cell.objects.filter(run_id=policy.run_id).select_related("match")
    payoffs: dict[int, list[float]] = {}
    bounds: dict[int, float] = {}
    for cell in cells.filter(row=policy.index, column__in=others):
        payoffs[cell.column] = list(cell.match.result["payoffs"])
        bounds[cell.column] = stored_bound(cell.match.game, cell.low, cell.high)
    for cell in cells.filter(column=policy.index, row__in=others):
        payoffs[cell.row] = [-value for value in cell.match.result["payoffs"]]
        bounds[cell.row] = stored_bound(cell.match.game, cell.low, cell.high)
    if payoffs.keys() != others.keys():
        return None
    return weighted_mean(
        [payoffs[index] for index in others],
        list(others.values()),
        bounds=[bounds[index] for index in others],
    )
