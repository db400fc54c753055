"""Playing a policy again on seeds that no search could see, and holding it against its claims.

The seed comes from the installation's Ed25519 signature of the game and the program
(:func:`seed_message`). Ed25519 is deterministic (RFC 8032): nobody can compute the seed without the
private key, everybody can check it with the public one, and the same program always gets the same.
Which program it is, its fingerprint says (:mod:`oracles.fingerprint`): a new comment or another
layout draws no new seed.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from games.base import Game
from games.evaluate import evaluation_specs
from games.match import MatchSpec
from games.metrics import Estimate
from games.players import BotPlayer, CodePlayer
from games.tournament import derive_seed
from oracles.config import defaults_for

PURPOSE = b"csro re-evaluation\0"


def seed_message(*, game: str, params: Mapping[str, Any], program: str) -> bytes:
    """What is signed. ``program``: the fingerprint, 64 hex digits; ``params``: all, with defaults.

    The fields stand as JSON with sorted keys, without blanks, in ASCII.
    """
    fields = {"game": game, "params": dict(params), "program": program}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return PURPOSE + text.encode("ascii")


def seed_from_signature(signature: bytes) -> int:
    """The first 63 bits of the signature's SHA-256: in [0, 2**63)."""
    return int.from_bytes(hashlib.sha256(signature).digest()[:8], "big") >> 1


def episodes_for(game: str) -> int:
    """Against each opponent: twice what a run's held-out evaluation of the game plays by default.

    Fixed for a game: a number that could be chosen could be chosen until the result pleases.
    """
    return 2 * int(defaults_for(game).get("evaluation_episodes", 100))


def held_out_specs(
    player: CodePlayer, game: Game, *, episodes: int, seed: int
) -> dict[str, MatchSpec]:
    """Against every held-out opponent of the game, in order, by the names that runs use too."""
    specs = evaluation_specs(game, player, episodes=episodes, seed=seed)
    names = [f"evaluate/{name}" for name in game.evaluation_population()]
    return dict(zip(names, specs, strict=True))


def opponent_spec(
    player: CodePlayer,
    opponent: CodePlayer | BotPlayer,
    *,
    game: str,
    params: Mapping[str, Any],
    episodes: int,
    seed: int,
) -> MatchSpec:
    """``player`` against a member of a population. The opponent's content decides the match's seed,
    so that the same two programs meet on the same episodes in any run."""
    name = f"against/{opponent.key}"
    if isinstance(opponent, BotPlayer):
        name = f"evaluate/{opponent.name}"  # the same match as the held-out evaluation has
    return MatchSpec(
        game=game,
        a=player,
        b=opponent,
        episodes=episodes,
        seed=derive_seed(seed, name),
        params=dict(params),
    )


class Verdict(StrEnum):
    """What fresh episodes say of a claim, at 95 %."""

    HOLDS = "holds"
    """The difference is within its noise, or in the policy's favour."""
    WORSE = "worse"
    """The policy is worse than claimed, beyond noise."""
    UNKNOWN = "unknown"
    """An interval is unknown."""


@dataclass(frozen=True)
class Claim:
    """A figure that the run shows for the policy, before and on fresh seeds."""

    name: str
    claimed: Estimate
    found: Estimate
    lower_is_better: bool = False

    @property
    def difference(self) -> Estimate:
        """Found minus claimed, with its interval."""
        return difference(self.found, self.claimed)

    @property
    def verdict(self) -> Verdict:
        """WORSE when the whole interval of the difference lies on the bad side of zero."""
        low, high = self.difference.low, self.difference.high
        if low is None or high is None:
            return Verdict.UNKNOWN
        worse = low > 0 if self.lower_is_better else high < 0
        return Verdict.WORSE if worse else Verdict.HOLDS


def difference(a: Estimate, b: Estimate) -> Estimate:
    """a - b of independent estimates; the interval is recovered from the two intervals (MOVER).

    Zou and Donner 2008, "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27:1693: it needs no symmetric intervals. Unknown when either
    interval is.
    """
    mean, episodes = a.mean - b.mean, a.episodes + b.episodes
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Estimate(mean, None, None, episodes)
    low = mean - math.hypot(a.mean - a.low, b.high - b.mean)
    high = mean + math.hypot(a.high - a.mean, b.mean - b.low)
    return Estimate(mean, low, high, episodes)


def verdict_in_words(claims: Sequence[Claim]) -> str:
    """One sentence on all claims together."""
    worse = sum(claim.verdict is Verdict.WORSE for claim in claims)
    unknown = sum(claim.verdict is Verdict.UNKNOWN for claim in claims)
    if not claims:
        return "The run claimed nothing about this policy that could be compared."
    if worse:
        return f"{worse} of {len(claims)} figures are worse than claimed, beyond noise."
    if unknown == len(claims):
        return "Whether the claims hold is unknown: their intervals are."
    left = f"; {unknown} unknown" if unknown else ""
    return f"No figure is worse than claimed beyond noise ({len(claims) - unknown} compared{left})."
