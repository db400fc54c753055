"""Plays a re-evaluation: the policy against the mixtures it met and the held-out opponents."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from django.utils import timezone

from csro_web.approvals.models import Reevaluation
from csro_web.approvals.reevaluations import KIND, is_proved
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.jobs.kinds import JobRefused, Result, Surroundings, handles
from csro_web.jobs.models import Job
from csro_web.policies.models import Policy
from csro_web.policies.players import player_of
from csro_web.runs.matches import MATCHES_AT_ONCE, DatabaseMatchStore
from games.match import MatchSpec
from games.players import CodePlayer
from oracles.config import RunConfig
from oracles.matches import PlayedMatch, play_matches
from oracles.population import game_of
from oracles.reevaluated import MIXTURES, Played, found_in
from oracles.reevaluation import held_out_specs, opponent_spec

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
    if not is_proved(asked, policy) or asked.seed != inputs["seed"]:
        raise JobRefused(
            "the seed does not follow from the signature of this program by a key of this "
            "installation"
        )
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
    found = found_in(
        config,
        index=policy.index,
        held_out=[_as_played(played[name]) for name in held_out],
        opponents=inputs["opponents"],
        against=[_as_played(played[name]) for name in against],
        claimed=inputs["claims"],
    )
    rows = zip(members, inputs["opponents"], found["opponents"], strict=True)
    return {
        **found,
        "tracebacks": _tracebacks(list(played.values())),
        "opponents": [
            {
                "policy": member.pk,
                "name": member.name,
                **{mixture: row[mixture] for mixture in MIXTURES},
                **figures,
                "seed": against[f"{member.pk}"].seed,
                "match": played[f"{member.pk}"].key,
            }
            for member, row, figures in rows
        ],
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


def _as_played(match: PlayedMatch) -> Played:
    return Played(match.spec.seed, match.result, match.bound)


def _tracebacks(played: list[PlayedMatch]) -> list[str]:
    found = dict.fromkeys(text for match in played for text in match.to_json()["tracebacks"])
    return list(found)[:TRACEBACKS_KEPT]
