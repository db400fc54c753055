"""What an edit changes: its payoffs and its parent's on the same seeds, opponent by opponent.

Both meet an opponent with the same seed (common random numbers): episode i has the same deals and
the same generators on both sides of the comparison, so the difference of the two is estimated from
paired episodes, and its interval is far smaller than those of the two payoffs.

The seeds follow from the run's seed, the parent, the opponent and the number of episodes, not from
the edit: all edits of a policy are compared with the same parent's payoffs, and asking for another
number of episodes gives fresh ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from games.fixed import payoff_bound
from games.match import MatchResult, MatchSpec, SeatReport
from games.metrics import Estimate, difference_bound, estimate, weighted_mean
from games.players import BotPlayer, CodePlayer
from games.sandbox.text import own_frames
from games.tournament import derive_seed
from oracles.fingerprint import fingerprint
from oracles.population import total_faults
from oracles.text import storable

BEFORE, AFTER = "before", "after"
SMOKE = "smoke"
MOST_TRACEBACKS = 3
LONGEST_OUTPUT = 2_000
"""Characters of what an edit printed that are kept."""


@dataclass(frozen=True)
class Opponent:
    """A member of the population; ``weight`` in the newest mixture, None where that has none."""

    index: int
    player: CodePlayer | BotPlayer
    weight: float | None


@dataclass(frozen=True)
class EditTrial:
    """``edit`` and ``parent`` against the same opponents, ``episodes`` each; ``seed`` the run's."""

    game: str
    params: Mapping[str, Any]
    parent: CodePlayer
    edit: CodePlayer
    opponents: tuple[Opponent, ...]
    episodes: int
    seed: int

    def seed_against(self, opponent: Opponent) -> int:
        name = f"trial/{self.parent.sha256}/{opponent.index}/{opponent.player.key}/{self.episodes}"
        return derive_seed(self.seed, name)

    def smoke(self) -> MatchSpec:
        """One episode of the edit against its first opponent: does it play at all, in time?"""
        return self._spec(self.edit, self.opponents[0], 1)

    def specs(self) -> dict[str, MatchSpec]:
        """All matches by name, those of one opponent next to each other, in order."""
        found = {}
        for place, opponent in enumerate(self.opponents):
            found[f"{place}/{AFTER}"] = self._spec(self.edit, opponent, self.episodes)
            found[f"{place}/{BEFORE}"] = self._spec(self.parent, opponent, self.episodes)
        return found

    def _spec(self, player: CodePlayer, opponent: Opponent, episodes: int) -> MatchSpec:
        return MatchSpec(
            game=self.game,
            a=player,
            b=opponent.player,
            episodes=episodes,
            seed=self.seed_against(opponent),
            params=dict(self.params),
        )

    def report(self, results: Mapping[str, MatchResult]) -> dict[str, Any]:
        """What is known from the matches among :meth:`specs` that were played, as JSON data."""
        pairs = {
            place: (results[f"{place}/{BEFORE}"], results[f"{place}/{AFTER}"])
            for place in range(len(self.opponents))
            if f"{place}/{BEFORE}" in results and f"{place}/{AFTER}" in results
        }
        rows = [self._row(place, *pair) for place, pair in pairs.items()]
        whole = len(rows) == len(self.opponents)
        return {
            "episodes": self.episodes,
            "rows": rows,
            "mixture": self._against_mixture(pairs) if whole else None,
            "faults": total_faults(row["faults"] for row in rows),
            "level": next((str(after.sandbox_level) for _, after in pairs.values()), ""),
            "engine_version": next((after.engine_version for _, after in pairs.values()), ""),
        }

    def _row(self, place: int, before: MatchResult, after: MatchResult) -> dict[str, Any]:
        opponent = self.opponents[place]
        bounds = self._bounds(place, before, after)
        return {
            "index": opponent.index,
            "weight": opponent.weight,
            "seed": self.seed_against(opponent),
            BEFORE: _json(estimate(before.payoffs, bound=bounds[BEFORE])),
            AFTER: _json(estimate(after.payoffs, bound=bounds[AFTER])),
            "difference": _json(estimate(_differences(before, after), bound=bounds["difference"])),
            "opponent_faults": dict(after.b.counts),
            "parent_faults": dict(before.a.counts),
            "reproducible": before.reproducible and after.reproducible,
            **faults_of(after.a),
        }

    def _bounds(self, place: int, before: MatchResult, after: MatchResult) -> dict[str, float]:
        """Of the payoffs (:mod:`games.metrics`) against an opponent, and of their difference."""
        found = {
            name: payoff_bound(
                self._spec(player, self.opponents[place], self.episodes),
                reproducible=result.reproducible,
            )
            for name, player, result in (
                (BEFORE, self.parent, before),
                (AFTER, self.edit, after),
            )
        }
        return {
            **found,
            "difference": 0.0 if self._is_same_program else difference_bound(*found.values()),
        }

    @property
    def _is_same_program(self) -> bool:
        """Whether the edit changed layout and comments alone: then no episode can differ."""
        try:
            return fingerprint(self.edit.source) == fingerprint(self.parent.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):  # one of them is no program
            return self.edit.sha256 == self.parent.sha256

    def _against_mixture(
        self, pairs: Mapping[int, tuple[MatchResult, MatchResult]]
    ) -> dict[str, Any] | None:
        """Payoff against the mixture, before and after; None while no mixture is known.

        Where light members are not among the opponents, the others' weights make up for them.
        """
        known = [opponent.weight or 0.0 for opponent in self.opponents]
        total = math.fsum(known)
        if not total:
            return None
        weights = [weight / total for weight in known]
        both = [pairs[place] for place in range(len(self.opponents))]
        bounds = [self._bounds(place, *pair) for place, pair in enumerate(both)]
        payoffs: dict[str, list[Sequence[float]]] = {
            BEFORE: [before.payoffs for before, _ in both],
            AFTER: [after.payoffs for _, after in both],
            "difference": [_differences(*pair) for pair in both],
        }
        return {
            name: _json(weighted_mean(met, weights, bounds=[one[name] for one in bounds]))
            for name, met in payoffs.items()
        }


def faults_of(side: SeatReport) -> dict[str, Any]:
    """Faults, tracebacks without the harness's own frames, and output, fit to be stored."""
    return {
        "faults": dict(side.counts),
        "tracebacks": [storable(own_frames(text)) for text in side.tracebacks[:MOST_TRACEBACKS]],
        "output": storable(side.output[:LONGEST_OUTPUT]),
    }


def hopeless(side: SeatReport) -> str:
    """Why the rest need not be played: it does not start, or does not answer in time."""
    if side.never_ready:
        return "The edit could not be loaded or constructed, so no opponent was played."
    if side.counts.get("timeout"):
        return "The edit did not answer in time, so no opponent was played."
    return ""


def _differences(before: MatchResult, after: MatchResult) -> Sequence[float]:
    return [b - a for a, b in zip(before.payoffs, after.payoffs, strict=True)]


def _json(value: Estimate) -> dict[str, Any]:
    return asdict(value)
