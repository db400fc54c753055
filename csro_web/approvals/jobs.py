"""Plays a re-evaluation: the policy against the mixtures it met and the held-out opponents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any

from django.utils import timezone

from csro_web.approvals.models import Reevaluation
from csro_web.approvals.reevaluations import KIND
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.jobs.kinds import JobRefused, Result, Surroundings, handles
from csro_web.jobs.models import Job
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from csro_web.runs.matches import MATCHES_AT_ONCE, DatabaseMatchStore
from games.match import MatchSpec, SandboxLevel
from games.metrics import Estimate
from games.players import CodePlayer
from oracles.config import RunConfig
from oracles.estimates import estimate, weighted_mean
from oracles.held_out import score_subject
from oracles.matches import PlayedMatch, play_matches
from oracles.population import game_of, total_faults
from oracles.reevaluation import (
    Claim,
    held_out_specs,
    opponent_spec,
    seed_from_signature,
    verdict_in_words,
)

TRACEBACKS_KEPT = 3


def save(job: Job, result: Result) -> None:
    """Inside the transaction that saves the job's result."""
    asked = Reevaluation.objects.select_related("policy").get(job=job)
    asked.found = dict(result)
    asked.done_at = timezone.now()
    asked.engine_version = result["engine_version"]
    asked.sandbox_level = result["sandbox_level"]
    asked.faults = result["faults"]
    asked.save()
    record(
        Action.REEVALUATION_DONE,
        actor=None,
        subject=asked.policy,
        run_id=asked.policy.run_id,
        detail={"reevaluation": asked.pk, "sha256": asked.sha256, "words": result["words"]},
    )


@handles(KIND, words="a re-evaluation", long=True, save=save)
def reevaluate(job: Job, around: Surroundings) -> Result:
    """Plain JSON data; the same whenever and wherever it is done again.

    Raises:
        JobRefused: when what is stored is not what the re-evaluation was asked for.
    """
    asked = Reevaluation.objects.select_related("policy__run").get(job=job)
    inputs, policy = job.inputs, asked.policy
    player = CodePlayer(policy.source)
    if player.sha256 != inputs["sha256"]:
        raise JobRefused("the stored program is not the one that this was asked for")
    if seed_from_signature(bytes.fromhex(asked.signature)) != inputs["seed"]:
        raise JobRefused("the seed does not follow from the signature that is kept with it")
    config = RunConfig.from_json(policy.run.config)
    game = game_of(config)
    members = _members(inputs["opponents"])
    held_out = held_out_specs(player, game, episodes=inputs["episodes"], seed=inputs["seed"])
    against = {
        f"{member.pk}": opponent_spec(
            player,
            player_of(member),
            game=game.name,
            params=game.params,
            episodes=inputs["episodes"],
            seed=inputs["seed"],
        )
        for member in members
    }
    played = _play({**held_out, **against}, around)
    mine = [match for name, match in played.items() if name in held_out]
    scored = score_subject(
        config, "policy", policy.index, [{"matches": [match.to_json() for match in mine]}]
    )
    means = {
        mixture: _mean_against(inputs["opponents"], played, mixture)
        for mixture in ("newest", "made_for")
    }
    found = {
        "score": means["made_for"],
        "gain": means["made_for"],
        "row": means["newest"],
        "pop_return": scored.pop_return,
        "pop_expl": scored.pop_expl,
        "agg_score": scored.agg_score,
    }
    claims = _claims(inputs["claims"], found)
    return {
        **{mixture: None if mean is None else asdict(mean) for mixture, mean in means.items()},
        **_circumstances(list(played.values())),
        "held_out": asdict(scored),
        "opponents": [
            {
                "policy": member.pk,
                "name": member.name,
                **{key: row[key] for key in ("newest", "made_for")},
                "estimate": asdict(
                    estimate(
                        played[f"{member.pk}"].result.payoffs, bound=played[f"{member.pk}"].bound
                    )
                ),
                "seed": against[f"{member.pk}"].seed,
                "match": played[f"{member.pk}"].key,
            }
            for member, row in zip(members, inputs["opponents"], strict=True)
        ],
        "claims": [_claim_json(claim) for claim in claims],
        "words": verdict_in_words(claims),
    }


def _members(rows: list[dict[str, Any]]) -> list[Policy]:
    found = Policy.objects.in_bulk([row["policy"] for row in rows])
    for row in rows:
        member = found.get(row["policy"])
        if member is None or player_of(member).key != row["key"]:
            raise JobRefused(
                f"policy {row['policy']} is not stored any more as it was when this was asked for"
            )
    return [found[row["policy"]] for row in rows]


def _play(specs: Mapping[str, MatchSpec], around: Surroundings) -> dict[str, PlayedMatch]:
    waiting, played = iter(specs.items()), dict[str, PlayedMatch]()
    while some := dict(islice(waiting, MATCHES_AT_ONCE)):
        around.report(done=len(played), total=len(specs), words="matches on unseen seeds")
        around.give_way()
        done = play_matches(some, around.engine(), DatabaseMatchStore(), around.should_stop)
        played.update({match.name: match for match in done})
    return played


def _mean_against(
    rows: list[dict[str, Any]], played: Mapping[str, PlayedMatch], mixture: str
) -> Estimate | None:
    """None where there is no such mixture. Its weight on the policy itself wins nothing."""
    used = [row for row in rows if row[mixture] > 0]
    if not used:
        return None
    matches = [played[f"{row['policy']}"] for row in used]
    return weighted_mean(
        [match.result.payoffs for match in matches],
        [row[mixture] for row in used],
        bounds=[match.bound for match in matches],
    )


def _claims(claimed: Mapping[str, Any], found: Mapping[str, Estimate | None]) -> list[Claim]:
    return [
        Claim(name, Estimate(**value), measured, lower_is_better=name == "pop_expl")
        for name, value in claimed.items()
        if (measured := found[name]) is not None
    ]


def _claim_json(claim: Claim) -> dict[str, Any]:
    return {
        "name": claim.name,
        "claimed": asdict(claim.claimed),
        "found": asdict(claim.found),
        "difference": asdict(claim.difference),
        "lower_is_better": claim.lower_is_better,
        "verdict": str(claim.verdict),
    }


def _circumstances(played: list[PlayedMatch]) -> dict[str, Any]:
    levels = list(SandboxLevel)
    results = [match.result for match in played]
    tracebacks = dict.fromkeys(text for match in played for text in match.to_json()["tracebacks"])
    return {
        "engine_version": min(result.engine_version for result in results),
        "sandbox_level": str(max((result.sandbox_level for result in results), key=levels.index)),
        "reproducible": all(result.reproducible for result in results),
        "decisions": sum(result.decisions for result in results),
        "faults": total_faults(result.a.counts for result in results),
        "opponent_faults": total_faults(result.b.counts for result in results),
        "tracebacks": list(tracebacks)[:TRACEBACKS_KEPT],
    }
