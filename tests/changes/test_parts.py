"""The list of what is somebody else's says what the policies' own pages say, in any history."""

from __future__ import annotations

import random

import pytest

from csro_web.accounts.models import Role, User
from csro_web.changes.models import BroughtProgram, Change, PendingImport, Trial
from csro_web.changes.parts import without_part
from csro_web.changes.people import people_behind
from csro_web.jobs.models import Job
from csro_web.policies.models import Origin, Policy
from csro_web.runs.models import Run
from games.players import source_sha256
from tests.changes.test_people_behind import answered
from tests.web import builders

pytestmark = pytest.mark.django_db
WRITERS = ("grammar", "manual", "replay")


def text(rng: random.Random) -> str:
    """One of few programs, so that the same one turns up again, in one of few dresses."""
    return builders.refined(builders.FIRST, rng.randrange(2)) + "#" * rng.randrange(2) + "\n"


def history(rng: random.Random, people: list[User]) -> None:
    """What people and searches did, in a random order."""
    runs: list[Run] = []
    for writer in rng.choices(WRITERS, k=4):
        recording = str(rng.choice(runs).pk) if runs else ""
        run = builders.make_run(writer=writer, recording=recording)
        run.launched_by = rng.choice([None, *people])
        run.save()
        builders.add_policy(run, builders.FIRST + f"# {run.pk}\n", name="initial")
        runs.append(run)
    for number in range(24):
        run, person, source = rng.choice(runs), rng.choice(people), text(rng)
        deed = rng.choice(("search", "search", "commit", "commit", "try", "bring"))
        if deed == "search":
            candidate = builders.add_candidate(run, number, 1, source=source)
            if run.writer == "manual":
                answered(run, candidate.key, person)
            if rng.random() < 0.6:
                builders.add_policy(run, source, name=f"p{number}", candidate=candidate)
        elif deed == "commit":
            parent = rng.choice([None, *Policy.objects.all()])
            commit(run, person, source, parent, rng.choice([None, *PendingImport.objects.all()]))
        elif deed == "try":
            Trial.objects.create(
                run=run, policy=run.policies.first(), person=person, source=source, episodes=2,
                sha256=source_sha256(source), job=Job.objects.create(kind="trial"),
            )  # fmt: skip
        else:
            pending = PendingImport.objects.create(run=run, person=person)
            BroughtProgram.objects.create(
                pending=pending, person=person, created_at=pending.created_at,
                sha256=source_sha256(source),
            )  # fmt: skip


def commit(
    run: Run, person: User, source: str, parent: Policy | None, pending: PendingImport | None
) -> None:
    number = run.changes.count() + 1
    origin = Origin.IMPORTED if parent is None else Origin.EDITED
    policy = builders.add_policy(run, source, name=f"change {number}", origin=origin)
    Change.objects.create(
        run=run, number=number, kind="commit", author=person, reason="to test", policy=policy,
        parent=parent, source=source, sha256=policy.sha256, name=policy.name, origin=origin,
        outcome="joined", provenance={} if pending is None else {"import": pending.pk},
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_the_list_leaves_out_exactly_what_the_conditions_would_refuse(seed: int) -> None:
    people = [User.objects.create_user(name, role=Role.ADMINISTRATOR) for name in "abc"]
    history(random.Random(seed), people)
    every = list(Policy.objects.select_related("run", "candidate__run"))
    behind = {policy.pk: people_behind(policy) for policy in every}
    named = 0
    for person in people:
        own = {pk for pk, found in behind.items() if person.pk in found}
        named += len(own)
        left = set(without_part(Policy.objects.all(), person).values_list("pk", flat=True))
        assert left == behind.keys() - own
    assert 0 < named < len(people) * len(every)
