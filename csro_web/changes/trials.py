"""Asking for a trial of an edit, and what earlier ones say."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from csro_web.accounts.models import User
from csro_web.audit.actions import Action
from csro_web.audit.trail import record
from csro_web.changes import fingerprints
from csro_web.changes.edit_models import Trial
from csro_web.jobs import services as jobs
from csro_web.jobs.models import Job, JobState
from csro_web.policies.models import Origin, Policy
from csro_web.policies.players import player_of
from csro_web.policies.selectors import newest_mixture
from games.players import CodePlayer
from oracles.edit_trial import EditTrial, Opponent
from oracles.handwritten import judge

KIND = "trial"
MOST_IN_FLIGHT = 3
"""Trials of one person that wait or play at the same time."""
MOST_OPPONENTS = 100
"""Heaviest first; a larger population is not played whole."""
DEFAULT_EPISODES = 20
MOST_EPISODES = 400


class TrialRefused(Exception):
    """No trial was begun; the message says why and what to do."""


def ask(*, policy: Policy, person: User, text: str, episodes: int = DEFAULT_EPISODES) -> Trial:
    """Have a worker play ``text`` and the policy it was edited from against its population.

    Raises:
        TrialRefused: when the text is no program that may be played, the number of episodes is out
            of range, or too many trials of this person are under way.
    """
    found = judge(text)
    if found.source is None or found.sha256 is None:
        where = f"Line {found.line}: " if found.line else ""
        raise TrialRefused(f"This cannot be played yet. {where}{found.reason}")
    if not 2 <= episodes <= MOST_EPISODES:
        raise TrialRefused(f"A trial plays 2 to {MOST_EPISODES} episodes per opponent.")
    if policy.origin == Origin.BOT:
        raise TrialRefused("A reference bot of the game has no program to edit.")
    with transaction.atomic():
        # Two requests at the same moment wait for each other here (SQLite writes one at a time).
        # Without the key: whoever records an event of this person must not wait for it.
        User.objects.select_for_update(no_key=True).get(pk=person.pk)
        if in_flight(person).count() >= MOST_IN_FLIGHT:
            raise TrialRefused(
                f"{MOST_IN_FLIGHT} of your trials wait or play already. Wait for one to end, or"
                " cancel one."
            )
        job = jobs.enqueue(
            KIND, inputs=_inputs(policy, found.source, episodes), asked_by=person, run=policy.run
        )
        fingerprints.remember({found.sha256: found.source})
        trial = Trial.objects.create(
            run=policy.run,
            policy=policy,
            person=person,
            source=found.source,
            sha256=found.sha256,
            episodes=episodes,
            job=job,
        )
        record(
            Action.EDIT_TRIED,
            actor=person,
            subject=trial,
            run_id=policy.run_id,
            detail={"policy": policy.pk, "sha256": found.sha256, "episodes": episodes},
        )
    return trial


def in_flight(person: User) -> QuerySet[Job]:
    return Job.objects.filter(
        kind=KIND, asked_by=person, state__in=(JobState.READY, JobState.CLAIMED)
    )


def _inputs(policy: Policy, source: str, episodes: int) -> dict[str, Any]:
    """Everything that decides the result. The mixture is the one at this moment.

    A member that was withdrawn is met as long as that mixture still plays it; the weight of one
    that the mixture does not know yet is None.
    """
    weights = newest_mixture(policy.run)[0]
    played = [index for index, weight in enumerate(weights) if weight > 0]
    members = Policy.objects.filter(Q(withdrawn_by=None) | Q(index__in=played), run=policy.run)
    found = [
        (index, weights[index] if index < len(weights) else None, pk)
        for index, pk in members.order_by("index").values_list("index", "pk")
    ]
    found.sort(key=lambda one: (-(one[1] or 0.0), one[0]))
    return {
        "policy": policy.pk,
        "source": source,
        "episodes": episodes,
        "seed": policy.run.seed,
        "opponents": [{"policy": pk, "weight": weight} for _, weight, pk in found[:MOST_OPPONENTS]],
        "left_out": max(0, len(found) - MOST_OPPONENTS),
    }


def plan_of(inputs: dict[str, Any]) -> EditTrial:
    """What a job's inputs ask for. 2 queries."""
    parent = Policy.objects.select_related("run").get(pk=inputs["policy"])
    wanted = [one["policy"] for one in inputs["opponents"]]
    members = Policy.objects.in_bulk(wanted)
    return EditTrial(
        game=parent.run.game,
        params=parent.run.config["params"],
        parent=CodePlayer(parent.source),
        edit=CodePlayer(inputs["source"]),
        opponents=tuple(
            Opponent(members[one["policy"]].index, player_of(members[one["policy"]]), one["weight"])
            for one in inputs["opponents"]
        ),
        episodes=inputs["episodes"],
        seed=inputs["seed"],
    )


def of_text(policy: Policy, sha256: str | None) -> list[Trial]:
    """Trials of exactly this program in the policy's run, newest first; anybody's. 1 query."""
    if not sha256:
        return []
    same = Trial.objects.filter(run_id=policy.run_id, sha256=sha256, policy=policy)
    return list(same.select_related("job", "person").defer("source")[:5])


def recent(policy: Policy, person: User) -> list[Trial]:
    """This person's trials of edits of the policy, newest first. 1 query."""
    mine = Trial.objects.filter(policy=policy, person=person)
    return list(mine.select_related("job", "person").defer("source", "job__inputs")[:10])


def faulted(trial: Trial) -> bool:
    """Whether the edit is known to have faulted in it."""
    result = trial.job.result or trial.job.partial or {}
    return bool(result.get("faults") or result.get("hopeless"))
