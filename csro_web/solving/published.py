"""Published results, shown beside our own.

Sources: D. Hennes, Z. Li, J. Schultz, M. Lanctot, Code-Space Response Oracles, arXiv:2603.10098
(repeated RPS: 1000 throws against the 43 tournament bots of OpenSpiel; repeated Leduc: chips per
100 hands, seats averaged, against CFR+, AlwaysCall and AlwaysFold); M. Lanctot et al.,
Population-based Evaluation in Repeated Rock-Paper-Scissors, arXiv:2303.03196 (PopRL, and the cross
table that the bots' figures are computed from).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedRow:
    method: str
    pop_return: float
    pop_expl: float
    agg_score: float


PUBLISHED: dict[str, tuple[PublishedRow, ...]] = {
    "rrps": (
        PublishedRow("PSRO-IMPALA", -108.9, 423.2, -532.1),
        PublishedRow("CSRO, ZeroShot", 130.2, 66.7, 63.5),
        PublishedRow("CSRO, LinearRefinement", 159.8, 37.7, 122.1),
        PublishedRow("CSRO, AlphaEvolve", 50.5, 25.2, 25.4),
        PublishedRow("LLM agent, called every turn", 193.2, 67.2, 126.0),
        PublishedRow("PopRL", 258.0, 10.98, 247.02),
        PublishedRow("best tournament bot, greenberg", 288.153, 3.648, 284.505),
    ),
    "leduc": (
        PublishedRow("PSRO-IMPALA", 13.3, 58.4, -45.0),
        PublishedRow("CFR+", 39.8, 0.0, 39.8),
        PublishedRow("CSRO, ZeroShot", 40.4, 19.6, 20.7),
        PublishedRow("CSRO, LinearRefinement", 43.8, 9.8, 34.0),
        PublishedRow("CSRO, AlphaEvolve", 49.3, 4.4, 44.9),
    ),
}
"""By game, in the papers' order; AggScore is PopReturn minus PopExpl up to their rounding."""
