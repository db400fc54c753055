"""What a re-evaluation found, from its matches alone: the same where it was played, and where
somebody checks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from games.match import MatchResult, SandboxLevel
from games.metrics import Estimate
from oracles.config import RunConfig
from oracles.estimates import estimate, weighted_mean
from oracles.held_out import score_subject
from oracles.population import total_faults
from oracles.reevaluation import Claim, verdict_in_words

MIXTURES = ("newest", "made_for")
"""The run's newest mixture, and the one that the policy was made to beat."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Played:
    """A match of a re-evaluation: its seed, its result, and the bound of what equal episodes leave
    unseen (:func:`games.fixed.payoff_bound`)."""

    seed: int
    result: MatchResult
    bound: float

    def row(self) -> dict[str, Any]:
        """As :func:`oracles.held_out.score_subject` reads a match."""
        return {
            "payoffs": list(self.result.payoffs),
            "bound": self.bound,
            "faults_a": dict(self.result.a.counts),
            "seed": self.seed,
        }


def found_in(
    config: RunConfig,
    *,
    index: int,
    held_out: Sequence[Played],
    opponents: Sequence[Row],
    against: Sequence[Played],
    claimed: Mapping[str, Row],
) -> dict[str, Any]:
    """The figures as plain JSON data.

    ``index`` is the policy's in its run. ``held_out`` are the matches against the held-out
    opponents, in the population's order; ``against`` those against ``opponents``, whose rows hold
    their weights in :data:`MIXTURES`. ``claimed``: the run's own figures as Estimate JSON, by name.
    """
    scored = score_subject(config, "policy", index, [{"matches": [one.row() for one in held_out]}])
    newest, made_for = (_mean_against(opponents, against, mixture) for mixture in MIXTURES)
    measured = {
        "score": made_for,
        "gain": made_for,
        "row": newest,
        "pop_return": scored.pop_return,
        "pop_expl": scored.pop_expl,
        "agg_score": scored.agg_score,
    }
    claims = [
        Claim(name, Estimate(**value), found, lower_is_better=name == "pop_expl")
        for name, value in claimed.items()
        if (found := measured[name]) is not None
    ]
    return {
        "newest": None if newest is None else asdict(newest),
        "made_for": None if made_for is None else asdict(made_for),
        **_circumstances([one.result for one in (*held_out, *against)]),
        "held_out": asdict(scored),
        "opponents": [
            {"estimate": asdict(estimate(one.result.payoffs, bound=one.bound))} for one in against
        ],
        "claims": [_claim_json(claim) for claim in claims],
        "words": verdict_in_words(claims),
    }


def _mean_against(rows: Sequence[Row], played: Sequence[Played], mixture: str) -> Estimate | None:
    """None where there is no such mixture. Its weight on the policy itself wins nothing."""
    used = [(row[mixture], one) for row, one in zip(rows, played, strict=True) if row[mixture] > 0]
    if not used:
        return None
    return weighted_mean(
        [one.result.payoffs for _, one in used],
        [weight for weight, _ in used],
        bounds=[one.bound for _, one in used],
    )


def _claim_json(claim: Claim) -> dict[str, Any]:
    return {
        "name": claim.name,
        "claimed": asdict(claim.claimed),
        "found": asdict(claim.found),
        "difference": asdict(claim.difference),
        "lower_is_better": claim.lower_is_better,
        "verdict": str(claim.verdict),
    }


def _circumstances(results: Sequence[MatchResult]) -> dict[str, Any]:
    levels = list(SandboxLevel)
    return {
        "engine_version": min(result.engine_version for result in results),
        "sandbox_level": str(max((result.sandbox_level for result in results), key=levels.index)),
        "reproducible": all(result.reproducible for result in results),
        "decisions": sum(result.decisions for result in results),
        "faults": total_faults(result.a.counts for result in results),
        "opponent_faults": total_faults(result.b.counts for result in results),
    }
