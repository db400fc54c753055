"""Published results, shown beside our own.

Sources: D. Hennes, Z. Li, J. Schultz, M. Lanctot, Code-Space Response Oracles, arXiv:2603.10098
(repeated RPS: 1000 throws against the 43 tournament bots of OpenSpiel; repeated Leduc: chips per
100 hands, seats averaged, against CFR+, AlwaysCall and AlwaysFold); M. Lanctot et al.,
Population-based Evaluation in Repeated Rock-Paper-Scissors, arXiv:2303.03196 (PopRL, and the cross
table that the bots' figures are computed from).
"""

from __future__ import annotations

from dataclasses import dataclass

from oracles.choices import OracleName


@dataclass(frozen=True)
class PublishedRow:
    """``*_pm`` is what the source prints behind a plus-minus sign; None where it prints nothing."""

    method: str
    pop_return: float
    pop_expl: float
    agg_score: float
    oracle: OracleName | None = None
    """The oracle or baseline of ours that is the same method; None for what CSRO cannot run."""
    pop_expl_pm: float | None = None
    agg_score_pm: float | None = None


PUBLISHED: dict[str, tuple[PublishedRow, ...]] = {
    "rrps": (
        PublishedRow("PSRO-IMPALA", -108.9, 423.2, -532.1, OracleName.IMPALA, agg_score_pm=41.5),
        PublishedRow("CSRO, ZeroShot", 130.2, 66.7, 63.5, OracleName.ZERO_SHOT),
        PublishedRow(
            "CSRO, LinearRefinement",
            *(159.8, 37.7, 122.1),
            OracleName.LINEAR_REFINEMENT,
            agg_score_pm=9.8,
        ),
        PublishedRow(
            "CSRO, AlphaEvolve", 50.5, 25.2, 25.4, OracleName.ALPHA_EVOLVE, pop_expl_pm=20.3
        ),
        PublishedRow("LLM agent, called every turn", 193.2, 67.2, 126.0, OracleName.LLM_AGENT),
        PublishedRow("PopRL", 258.0, 10.98, 247.02),
        PublishedRow("best tournament bot, greenberg", 288.153, 3.648, 284.505),
    ),
    "leduc": (
        PublishedRow("PSRO-IMPALA", 13.3, 58.4, -45.0, OracleName.IMPALA),
        PublishedRow("CFR+", 39.8, 0.0, 39.8, OracleName.CFR, agg_score_pm=0.3),
        PublishedRow("CSRO, ZeroShot", 40.4, 19.6, 20.7, OracleName.ZERO_SHOT),
        PublishedRow("CSRO, LinearRefinement", 43.8, 9.8, 34.0, OracleName.LINEAR_REFINEMENT),
        PublishedRow(
            "CSRO, AlphaEvolve", 49.3, 4.4, 44.9, OracleName.ALPHA_EVOLVE, agg_score_pm=4.1
        ),
    ),
}
"""By game, in the papers' order; AggScore is PopReturn minus PopExpl up to their rounding."""
