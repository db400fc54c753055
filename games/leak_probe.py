"""Whether a policy carries something from one episode of a batch into another.

Every episode gets a fresh instance, but module-level state (a global list, the global generator of
``random``) is shared by the episodes of one process. Such a policy gives other numbers in batches
of one, where nothing can leak.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from games.engine import MatchEngine
from games.match import DEFAULT_BATCH_SIZE, MatchSpec


@dataclass(frozen=True)
class LeakReport:
    """``differing`` lists the episodes whose payoffs depend on the batch they were played in.

    ``faults_differ`` says that the forfeits of side ``a`` do. ``conclusive`` is false when a time
    limit decided something in either play, so that a difference may be the machine's.
    """

    episodes: int
    differing: tuple[int, ...]
    faults_differ: bool
    conclusive: bool

    @property
    def leaks(self) -> bool:
        return bool(self.differing) or self.faults_differ


def probe(
    engine: MatchEngine, spec: MatchSpec, *, batch_size: int = DEFAULT_BATCH_SIZE
) -> LeakReport:
    """Play the match in batches of one and of ``batch_size``, on the same seeds, and compare.

    Raises:
        ValueError: when everything would be in batches of one anyway.
    """
    if min(batch_size, spec.episodes) < 2:
        raise ValueError("a leak needs at least two episodes in a batch to show")
    alone, together = engine.play(
        [replace(spec, batch_size=1), replace(spec, batch_size=batch_size)]
    )
    pairs = enumerate(zip(alone.payoffs, together.payoffs, strict=True))
    return LeakReport(
        episodes=spec.episodes,
        differing=tuple(episode for episode, (first, second) in pairs if first != second),
        faults_differ=dict(alone.a.counts) != dict(together.a.counts),
        conclusive=alone.reproducible and together.reproducible,
    )
