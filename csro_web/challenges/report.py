"""What ``./csro challenge`` says at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from csro_web.challenges.selectors import Report
from csro_web.cli.output import interval, number
from csro_web.runs import steps
from csro_web.solving.report import write_policies
from games.players import CodePlayer
from oracles.challenge import lower_bound
from oracles.config import RunConfig
from oracles.report import estimate_json
from oracles.state import RunState


def as_json(report: Report) -> dict[str, Any]:
    """The answer; what is unknown is None."""
    config = RunConfig.from_json(report.run.config)
    state = steps.known_state(report.run)
    bound = lower_bound(state)
    usage = state.usage
    unknown = usage.prompt_tokens is None or usage.completion_tokens is None
    return {
        "run": report.run.pk,
        "game": config.game,
        "game_params": dict(config.params),
        "target": report.challenge.title,
        "oracle": str(config.oracle),
        "writer": str(config.writer),
        "kind": "lower bound",
        "found": bound.found,
        "exploitability": bound.value,
        "gain": None if bound.gain is None else estimate_json(bound.gain),
        "exploiter": _exploiter(state, bound.policy),
        "tries": [
            {
                "index": item.index,
                "policy": item.policy,
                "gain": None if item.gain is None else estimate_json(item.gain),
                "note": item.note,
            }
            for item in state.iterations
        ],
        "effort": {
            "decisions": state.decisions,
            "proposals": report.proposals,
            "model_calls": usage.model_calls,
            "tokens": None if unknown else usage.prompt_tokens + usage.completion_tokens,  # type: ignore[operator]
            "usd": usage.usd,
            "seconds": report.seconds,
        },
        "seed": config.seed,
        "sandbox_level": state.sandbox_level,
    }


def _exploiter(state: RunState, policy: int | None) -> dict[str, Any] | None:
    if policy is None:
        return None
    player = state.population[policy].player
    assert isinstance(player, CodePlayer)
    return {"sha256": player.sha256, "path": write_policies(state)[player.sha256]}


def in_words(answer: Mapping[str, Any]) -> str:
    """The same for a person."""
    gain, effort = answer["gain"], answer["effort"]
    lines = [f"challenge of {answer['target']} ({answer['oracle']}, run {answer['run']})"]
    if gain is None:
        lines.append("no candidate was fit to be measured")
    else:
        measured = f"{number(gain['mean'])} per episode, {interval(gain['low'], gain['high'])}"
        lines.append(f"the best exploiter found gains {measured} on fresh seeds")
    if answer["found"]:
        estimate = f"{number(answer['exploitability'])} {interval(gain['low'], gain['high'])}"
        lines.append(f"exploitability: lower bound {estimate}")
        lines.append(f"exploiter: {answer['exploiter']['path']}")
    else:
        lines.append(
            "exploitability: lower bound 0. No exploiter was found with this effort; that does not"
            " make it unexploitable"
        )
    decisions = "unknown" if effort["decisions"] is None else f"{effort['decisions']:,}"
    usd = "unknown" if effort["usd"] is None else f"{effort['usd']:.4f}"
    lines.append(
        f"effort: {decisions} decisions played, {effort['proposals']} proposals,"
        f" {effort['model_calls']} model calls, USD {usd}, {effort['seconds'] or 0:.0f} s"
    )
    lines.append(f"seed: {answer['seed']}, sandbox level: {answer['sandbox_level'] or 'unknown'}")
    return "\n".join(lines)
