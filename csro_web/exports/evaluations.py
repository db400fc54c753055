"""Scores on the evaluation population: those of the run, and those of the exported mixture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from csro_web.bundles.matches import Sample
from csro_web.bundles.scoring import FIGURES, opponent_row, score_rows
from csro_web.exports.played import MatchBook, stored
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from csro_web.runs import steps
from csro_web.runs.matches import MATCHES_AT_ONCE, DatabaseMatchStore
from csro_web.runs.models import Run
from games.base import Game
from games.engine import MatchEngine
from games.evaluate import evaluation_specs
from games.match import MatchSpec
from games.players import MixturePlayer, Player
from games.tournament import derive_seed
from oracles import plan
from oracles.config import RunConfig
from oracles.mixture import support, support_weights
from oracles.population import trained_against
from oracles.steps import StepResult

EXPORTED = "exported_mixture"


def mixture_player(members: Sequence[Policy], weights: Sequence[float]) -> Player:
    """The mixture as a player; a single policy plays as itself."""
    played = support(weights)
    players = [player_of(members[index]) for index in played]
    if len(players) == 1:
        return players[0]
    return MixturePlayer(tuple(zip(support_weights(weights), players, strict=True)))


def run_evaluations(
    run: Run, config: RunConfig, game: Game, members: Sequence[Policy], book: MatchBook
) -> list[dict[str, Any]]:
    """The held-out scores of an ended run, each with the matches that it rests on.

    The match of an opponent is None where its record is not kept; then the scores stand as the run
    has them and cannot be computed anew from this bundle.
    """
    if not run.search_is_over or not run.held_out:
        return []
    known = steps.known_results(run.pk)
    found = []
    for scores in run.held_out:
        sigma = _mixture(run, known)
        subject = _subject(scores, members, sigma)
        specs = [] if subject is None else _specs(config, game, subject)
        results = stored(specs, _kept_keys(known, scores, sigma, len(specs)))
        judged = {one["name"]: one["estimate"] for one in scores["opponents"]}
        by_name = {
            name: book.put(spec, result, judged=judged.get(name))
            for spec, result in zip(specs, results, strict=True)
            if result is not None and (name := spec.b.key.removeprefix("bot:"))
        }
        found.append(
            {
                "subject": scores["subject"],
                "policy": scores["policy"],
                **{name: scores[name] for name in FIGURES},
                "opponents": [
                    {
                        "name": one["name"],
                        "match": by_name.get(one["name"]),
                        "seed": one["seed"],
                        "seen": bool(one.get("seen")),
                        **{part: one["estimate"][part] for part in ("mean", "low", "high")},
                        "episodes": one["estimate"]["episodes"],
                    }
                    for one in scores["opponents"]
                ],
            }
        )
    return found


def _mixture(run: Run, known: Mapping[str, StepResult]) -> Sequence[float]:
    """As it was when the search ended; empty when none was solved."""
    solved = known.get("final/solve")
    return (solved["sigma"] if solved else run.final_sigma) or ()


def _subject(
    scores: dict[str, Any], members: Sequence[Policy], sigma: Sequence[float]
) -> Player | None:
    if scores["subject"] == "final_mixture":
        return mixture_player(members, sigma) if sigma else None
    index = scores["policy"]
    return None if index is None else player_of(members[index])


def _kept_keys(
    known: Mapping[str, StepResult], scores: dict[str, Any], sigma: Sequence[float], count: int
) -> list[str | None]:
    """Of the ``count`` matches that the scores were made of, whichever engine played them."""
    player = scores["policy"]
    if scores["subject"] == "final_mixture":
        played = support(sigma)
        player = played[0] if len(played) == 1 else plan.MIXTURE
    results = [known.get(step.key) for step in plan.evaluate(player, count)]
    if player is None or None in results:
        return [None] * count
    return [match["key"] for result in results if result for match in result["matches"]]


def _specs(config: RunConfig, game: Game, subject: Player) -> list[MatchSpec]:
    """As the run played them: the seed comes from the run's and the opponent's name."""
    return evaluation_specs(game, subject, episodes=config.evaluation_episodes, seed=config.seed)


def play_exported(
    run: Run,
    config: RunConfig,
    game: Game,
    subject: Player,
    book: MatchBook,
    *,
    engine: Callable[[], MatchEngine],
    should_stop: Callable[[], bool],
    give_way: Callable[[], None],
    report: Callable[[int, int], None],
) -> dict[str, Any]:
    """Score what is handed over, on seeds of its own. A match that was played is not played again.

    ``report(done, total)`` counts matches; ``give_way()`` is called between every few of them.
    """
    seed = derive_seed(config.seed, "export/evaluation")
    specs = evaluation_specs(game, subject, episodes=config.evaluation_episodes, seed=seed)
    results = stored(specs)
    missing = [index for index, result in enumerate(results) if result is None]
    done = len(specs) - len(missing)
    report(done, len(specs))
    keep = DatabaseMatchStore()
    while piece := missing[:MATCHES_AT_ONCE]:
        del missing[:MATCHES_AT_ONCE]

        def save(at: int, result: Any, piece: Sequence[int] = piece) -> None:
            nonlocal done
            spec = specs[piece[at]]
            keep.put({spec.key(result.sandbox_level): (spec, result)})
            done += 1
            report(done, len(specs))

        give_way()
        played = engine().play(
            [specs[index] for index in piece], on_result=save, should_stop=should_stop
        )
        for index, result in zip(piece, played, strict=True):
            results[index] = result
    seen = trained_against(config)
    opponents = []
    for name, spec, result in zip(game.evaluation_population(), specs, results, strict=True):
        assert result is not None
        key = book.put(spec, result)
        sample = Sample.of(book.rows[key])
        opponents.append(opponent_row(name, key, sample, seed=spec.seed, seen=name in seen))
    return {
        "subject": EXPORTED,
        "policy": None,
        "opponents": opponents,
        **score_rows(opponents, book.samples()),
    }
