"""A run as the JSON that ``./csro solve`` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from games.metrics import Estimate, PopulationScore
from games.players import BotPlayer, source_sha256
from oracles.config import RunConfig
from oracles.state import AgentCounts, ExactFigures, HeldOut, RunState


def summary_json(
    config: RunConfig,
    state: RunState,
    *,
    run: int | str | None = None,
    paths: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> dict[str, Any]:
    """The keys that others rely on; what is unknown is None.

    ``run`` names the stored run, ``paths`` gives the file of a policy by its sha256.
    """
    scores = {score.subject: score for score in state.held_out}
    usage = state.usage
    tokens = (
        None
        if usage.prompt_tokens is None or usage.completion_tokens is None
        else usage.prompt_tokens + usage.completion_tokens
    )
    return {
        "run": run,
        "game": config.game,
        "game_params": dict(config.params),
        "oracle": str(config.oracle),
        "writer": str(config.writer),
        "seed": config.seed,
        "sandbox_level": state.sandbox_level,
        "iterations": [
            {
                "index": iteration.index,
                "policy": iteration.policy,
                "sigma": list(iteration.sigma),
                "quality": None if iteration.quality is None else asdict(iteration.quality),
                "gain": None if iteration.gain is None else estimate_json(iteration.gain),
                **_training(state, iteration.index),
            }
            for iteration in state.iterations
        ],
        "mixture_quality": None if state.quality is None else asdict(state.quality),
        "final_mixture": _metrics(scores.get("final_mixture")),
        "best_policy": _policy(state, scores.get("best_policy"), paths or {}),
        "last_policy": _policy(state, scores.get("last_policy"), paths or {}),
        "agent": None if state.agent is None else agent_json(state.agent, scores.get("agent")),
        "exact": None if state.exact is None else exact_json(state.exact),
        "model_calls": usage.model_calls,
        "tokens": tokens,
        "usd": usage.usd,
        "seconds": seconds,
        **_changes(state),
    }


def _changes(state: RunState) -> dict[str, Any]:
    """What people changed in the population; nothing where they changed nothing.

    The scores are those of the mixture at the end of the search, which revisions leave as it was.
    """
    if not state.changes:
        return {}
    told = [
        {
            "number": one.number,
            "change": str(one.kind),
            "policy": one.policy,
            "before": one.before,
            "outcome": str(one.outcome),
            "note": one.note,
            "sha256": source_sha256(one.source) if one.source else None,
        }
        for one in state.changes
    ]
    newest = None if state.final_sigma is None else list(state.final_sigma)
    return {"changes": told, "newest_mixture": newest}


def _training(state: RunState, iteration: int) -> dict[str, Any]:
    """How the iteration's best response was trained; nothing where it was not."""
    for record in state.candidates:
        if record.iteration == iteration and record.training is not None:
            return {"training": dict(record.training)}
    return {}


def estimate_json(estimate: Estimate) -> dict[str, float | None]:
    """``{"mean", "low", "high"}``; an unknown interval is None."""
    return {"mean": estimate.mean, "low": estimate.low, "high": estimate.high}


def exact_json(figures: ExactFigures) -> dict[str, Any]:
    """Plain JSON; ``opponents`` maps names to exact values."""
    return {**asdict(figures), "opponents": dict(figures.opponents)}


def agent_json(counts: AgentCounts, score: HeldOut | None) -> dict[str, Any]:
    """The scores (None when nothing was played) with what they rest on, and the opponents met."""
    figures = ("pop_return", "pop_expl", "agg_score", "untuned", "seen")
    met = () if score is None else score.opponents
    return {
        **(_metrics(score) or dict.fromkeys(figures)),
        **asdict(counts),
        "stopped": list(counts.stopped),
        "met": [
            {"name": one.name, **estimate_json(one.estimate), "episodes": one.estimate.episodes}
            for one in met
        ],
    }


def _metrics(score: HeldOut | None) -> dict[str, Any] | None:
    if score is None:
        return None
    parts = {"untuned": score.untuned, "seen": score.seen}
    apart = {name: None if part is None else _figures(part) for name, part in parts.items()}
    return {**_figures(score), **apart}


def _figures(score: HeldOut | PopulationScore) -> dict[str, Any]:
    return {
        "pop_return": estimate_json(score.pop_return),
        "pop_expl": estimate_json(score.pop_expl),
        "agg_score": estimate_json(score.agg_score),
    }


def _policy(
    state: RunState, score: HeldOut | None, paths: Mapping[str, str]
) -> dict[str, Any] | None:
    metrics = _metrics(score)
    if score is None or score.policy is None or metrics is None:
        return None
    player = state.population[score.policy].player
    if isinstance(player, BotPlayer):
        return {"sha256": None, "path": None, **metrics}
    return {"sha256": player.sha256, "path": paths.get(player.sha256), **metrics}
