"""Matches as a manifest lists them: everything needed to play them again, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.fixed import payoff_bound
from games.match import MatchResult, MatchSpec
from games.metrics import Estimate, estimate
from games.players import BotPlayer, CodePlayer, MixturePlayer, Player

Row = Mapping[str, Any]


class NoSource(LookupError):
    """A program that a match needs is not in the bundle."""


def describe(player: Player) -> dict[str, Any]:
    """``{"bot": name}``, ``{"code": sha256}`` or ``{"mixture": [[weight, ...], ...]}``."""
    if isinstance(player, BotPlayer):
        return {"bot": player.name}
    if isinstance(player, CodePlayer):
        return {"code": player.sha256}
    return {"mixture": [[weight, describe(one)] for weight, one in player.components]}


def player_of(described: Row, sources: Mapping[str, str]) -> Player:
    """The inverse of :func:`describe`; ``sources`` are programs by their hash.

    Raises:
        NoSource: when a program is not among them.
    """
    if "mixture" in described:
        parts = [(float(w), player_of(one, sources)) for w, one in described["mixture"]]
        singles = tuple((w, p) for w, p in parts if not isinstance(p, MixturePlayer))
        return MixturePlayer(singles)
    if "bot" in described:
        return BotPlayer(str(described["bot"]))
    source = sources.get(described["code"])
    if source is None:
        raise NoSource(f"the program {str(described['code'])[:12]} is not in the bundle")
    return CodePlayer(source)


@dataclass(frozen=True)
class Sample:
    """The payoffs of a match, and what equal ones say (:mod:`games.metrics`)."""

    payoffs: tuple[float, ...]
    bound: float

    @classmethod
    def of(cls, row: Row) -> Sample:
        """Of a match as a manifest lists it. Without a ``bound`` its intervals are from before it
        was asked whether equal episodes may have been chance."""
        return cls(tuple(row["payoffs"]), row.get("bound", 0.0))

    @property
    def estimate(self) -> Estimate:
        return estimate(self.payoffs, bound=self.bound)


Samples = Mapping[str, Sample]
"""By match key."""


def bound_row(spec: MatchSpec, result: MatchResult, *, judged: Row | None = None) -> dict[str, Any]:
    """``{"bound"}`` of a match; ``judged`` is an interval that it was shown with before.

    Empty where that interval has width 0 though episodes may differ: it was made before this was
    asked, and is computed anew as it was then.
    """
    bound = payoff_bound(spec, reproducible=result.reproducible)
    old = judged is not None and judged["low"] is not None and judged["low"] == judged["high"]
    return {} if bound and old else {"bound": bound}


def match_row(spec: MatchSpec, result: MatchResult, *, judged: Row | None = None) -> dict[str, Any]:
    """A played match: what decides its numbers, its payoffs to ``a``, and their mean.

    ``judged``: as for :func:`bound_row`.
    """
    row = {"payoffs": list(result.payoffs), **bound_row(spec, result, judged=judged)}
    return {
        "key": spec.key(result.sandbox_level, engine_version=result.engine_version),
        "a": describe(spec.a),
        "b": describe(spec.b),
        "episodes": spec.episodes,
        "seed": spec.seed,
        "batch_size": spec.batch_size,
        "sandbox_level": str(result.sandbox_level),
        "engine_version": result.engine_version,
        "reproducible": result.reproducible,
        **row,
        "decisions": result.decisions,
        "faults": {"a": dict(result.a.counts), "b": dict(result.b.counts)},
        **estimate_row(Sample.of(row).estimate),
    }


def spec_of(row: Row, sources: Mapping[str, str], game: Row) -> MatchSpec:
    """The match to be played again. Raises NoSource, and ValueError on numbers that cannot be."""
    return MatchSpec(
        game=str(game["name"]),
        params=dict(game["params"]),
        a=player_of(row["a"], sources),
        b=player_of(row["b"], sources),
        episodes=row["episodes"],
        seed=row["seed"],
        batch_size=row["batch_size"],
    )


def estimate_row(value: Estimate) -> dict[str, float | None]:
    """``{"mean", "low", "high"}``; an unknown interval is None."""
    return {"mean": value.mean, "low": value.low, "high": value.high}


def full_estimate_row(value: Estimate) -> dict[str, float | int | None]:
    return {**estimate_row(value), "episodes": value.episodes}
