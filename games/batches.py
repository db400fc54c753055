"""How a match is cut into batches: by its key alone, never by the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from games.base import Game
from games.behaviour import Tally
from games.match import MatchResult, MatchSpec, SandboxLevel, SeatReport
from games.players import BotPlayer, CodePlayer, MixturePlayer, Player
from games.seeds import Stream, episode_uniform

MAX_TRACEBACKS = 5
MAX_OUTPUT = 4096

Single = CodePlayer | BotPlayer


@dataclass(frozen=True)
class Batch:
    """Episodes of one match that are played in lockstep, with ``a`` at seat 1 if ``swapped``.

    Seat-swapped plays of the same deals are another batch, so that no policy process ever meets
    the same cards from both sides.
    """

    game: str
    params: Mapping[str, Any]
    seed: int
    a: Single
    b: Single
    episodes: tuple[int, ...]
    swapped: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "params": dict(self.params),
            "seed": self.seed,
            "a": player_to_json(self.a),
            "b": player_to_json(self.b),
            "episodes": list(self.episodes),
            "swapped": self.swapped,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Batch:
        return cls(
            game=data["game"],
            params=data["params"],
            seed=data["seed"],
            a=player_from_json(data["a"]),
            b=player_from_json(data["b"]),
            episodes=tuple(data["episodes"]),
            swapped=data["swapped"],
        )


@dataclass(frozen=True)
class BatchResult:
    """A batch that was played. ``payoffs`` are those of ``a``, in the order of its episodes."""

    payoffs: tuple[float, ...]
    a: SeatReport
    b: SeatReport
    decisions: int
    reproducible: bool
    seconds: float
    cpu_seconds: float | None
    records: list[Any] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        data = dict(vars(self))
        return {**data, "a": self.a.to_json(), "b": self.b.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BatchResult:
        reports = {side: SeatReport.from_json(data[side]) for side in ("a", "b")}
        return cls(**{**data, "payoffs": tuple(data["payoffs"]), **reports})


def cut(game: Game, spec: MatchSpec) -> list[Batch]:
    """The batches of a match, in the order in which their results are merged."""
    groups: dict[tuple[str, str], tuple[Single, Single, list[int]]] = {}
    for episode in range(spec.episodes):
        a = component(spec.a, spec.seed, episode, Stream.COMPONENT_A)
        b = component(spec.b, spec.seed, episode, Stream.COMPONENT_B)
        groups.setdefault((a.key, b.key), (a, b, []))[2].append(episode)
    return [
        Batch(
            spec.game, spec.params, spec.seed, a, b, tuple(episodes[start:][: spec.batch_size]), s
        )
        for a, b, episodes in groups.values()
        for start in range(0, len(episodes), spec.batch_size)
        for s in ((False,) if game.seats_symmetric else (False, True))
    ]


def component(player: Player, seed: int, episode: int, stream: Stream) -> Single:
    """Who plays this episode: the player itself, or the drawn component of a mixture."""
    if not isinstance(player, MixturePlayer):
        return player
    threshold = episode_uniform(seed, episode, stream)
    chosen = player.components[-1][1]
    for weight, candidate in player.components:
        threshold -= weight
        if weight > 0:
            chosen = candidate
            if threshold < 0:
                break
    return chosen


def merge(
    game: Game,
    spec: MatchSpec,
    batches: list[Batch],
    results: list[BatchResult],
    level: SandboxLevel,
) -> MatchResult:
    """One result out of those of all batches; seats are averaged where they differ."""
    totals = [0.0] * spec.episodes
    for batch, result in zip(batches, results, strict=True):
        for episode, payoff in zip(batch.episodes, result.payoffs, strict=True):
            totals[episode] += payoff
    plays = 1 if game.seats_symmetric else 2
    cpu = [result.cpu_seconds for result in results]
    return MatchResult(
        payoffs=tuple(total / plays for total in totals),
        a=merge_reports([result.a for result in results]),
        b=merge_reports([result.b for result in results]),
        decisions=sum(result.decisions for result in results),
        seconds=sum(result.seconds for result in results),
        sandbox_level=level,
        reproducible=all(result.reproducible for result in results),
        cpu_seconds=None if None in cpu else sum(c for c in cpu if c is not None),
    )


def merge_reports(reports: list[SeatReport]) -> SeatReport:
    """Counts and tallies added up, a few distinct tracebacks, the first of the output."""
    counts: dict[str, int] = {}
    tracebacks: dict[str, None] = {}
    for report in reports:
        for kind, count in report.counts.items():
            counts[kind] = counts.get(kind, 0) + count
        tracebacks.update(dict.fromkeys(report.tracebacks))
    output = "".join(report.output for report in reports)[:MAX_OUTPUT]
    tally = _sum_of_tallies([report.tally for report in reports])
    return SeatReport(
        dict(sorted(counts.items())), tuple(tracebacks)[:MAX_TRACEBACKS], output, tally
    )


def _sum_of_tallies(tallies: list[Tally | None]) -> Tally | None:
    total = Counter[str]()
    for tally in tallies:
        if tally is None:
            return None
        total.update(tally)
    return dict(total)


def player_to_json(player: Single) -> dict[str, str]:
    """Plain JSON data; :func:`player_from_json` is its inverse."""
    if isinstance(player, BotPlayer):
        return {"bot": player.name}
    return {"source": player.source}


def player_from_json(data: Mapping[str, str]) -> Single:
    return BotPlayer(data["bot"]) if "bot" in data else CodePlayer(data["source"])
