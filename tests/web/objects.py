"""A real object for every kind of URL argument, all of them of one run.

The tests of permissions walk the URL configuration with them: an argument that has no builder here
fails those tests, so that no page goes untried.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib.sessions.backends.db import SessionStore
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from csro_web.accounts import tokens
from csro_web.accounts.models import Scope, SignedIn, Team, User
from csro_web.calls.jobs import MODEL_TEST
from csro_web.calls.models import ModelCall
from csro_web.changes import trials
from csro_web.changes.models import Change, PendingImport
from csro_web.exports.models import Export, ExportFile, ExportKind
from csro_web.jobs.models import Job
from csro_web.runs import leases, results, services, steps, tools
from csro_web.runs.models import Match, Run, RunSet, RunState, Step, StepState
from oracles import loop
from oracles.config import RunConfig
from oracles.steps import StepKind, StepSpec
from tests.bundles.made import small_bundle
from tests.web import builders, review_builders

Build = Callable[[Run, User], int]


def all_patterns(resolver: URLResolver | None = None) -> list[URLPattern]:
    """Every address of the application."""
    found: list[URLPattern] = []
    for entry in (resolver or get_resolver()).url_patterns:
        found += all_patterns(entry) if isinstance(entry, URLResolver) else [entry]
    return found


def pages() -> list[URLPattern]:
    """Addresses for browsers."""
    return [one for one in all_patterns() if not hasattr(one.callback, "is_api")]


def operations() -> list[URLPattern]:
    """Addresses of the API."""
    return [one for one in all_patterns() if hasattr(one.callback, "is_api")]


def run_of(team: Team | None, mark: str) -> Run:
    """A finished run of the team whose every text holds ``mark``.

    Its programs and matches are the same whatever the mark: what one team finds, another finds too.
    """
    config = RunConfig.from_json({"game": "rrps", "oracle": "alpha_evolve"}).to_json()
    run = builders.populated_run(
        **{**config, "iterations": 2}, state=RunState.FINISHED, name=f"{mark} run"
    )
    Run.objects.filter(pk=run.pk).update(team=team, set=RunSet.objects.create(words=f"{mark} set"))
    for policy in run.policies.all():
        run.policies.filter(pk=policy.pk).update(name=f"{mark} {policy.index}")
    run.candidates.update(completion=f"{mark} completion", feedback=f"{mark} feedback")
    run.refresh_from_db()
    return run


def share_matches(run: Run, other: Run) -> None:
    """Give ``other`` the matches of ``run`` but one, as runs have that found the same programs."""
    for cell in list(run.cells.all())[:-1]:
        other.cells.filter(row=cell.row, column=cell.column).update(match=cell.match_id)


def waiting_step(run: Run, person: User) -> int:
    """A request to people, of a run of the same team."""
    config = RunConfig.from_json(
        {
            "game": "rrps",
            "oracle": "zero_shot",
            "writer": "manual",
            "iterations": 1,
            "episodes": 2,
            "evaluation_episodes": 1,
            "initial": ["uniform"],
            "seed": 3,
        }
    )
    asking = services.create_run(config=config, team=run.team, name=run.name, announce=False)
    solve = asking.steps.get()
    owner = leases.claim(solve.pk)
    assert owner is not None
    spec = StepSpec(key=solve.key, kind=StepKind(solve.kind), inputs=solve.inputs, label="")
    without_engine: Any = None
    surroundings = tools.make(asking.pk, config, without_engine, lambda: False)
    found = loop.execute(config, steps.known_state(asking), spec, surroundings)
    results.record_result(step_id=solve.pk, owner=owner, result=found, announce=False)
    return Step.objects.get(run=asking, state=StepState.WAITING).pk


def call(run: Run, person: User) -> int:
    now = timezone.now()
    return ModelCall.objects.create(
        run=run,
        key="it1/attempt0",
        purpose="write",
        attempt=1,
        model_asked=f"{run.name} model",
        messages=[{"role": "user", "content": f"{run.name} prompt"}],
        outcome="answered",
        reserved_tokens=1,
        owner="w",
        overdue_at=now,
        ended_at=now,
    ).pk


def job(run: Run, person: User) -> int:
    return Job.objects.create(kind="export", run=run, asked_by=person).pk


def change(run: Run, person: User) -> int:
    return Change.objects.create(
        run=run,
        number=run.changes.count() + 1,
        kind="withdraw",
        author=person,
        reason=f"{run.name} reason",
        policy=run.policies.last(),
    ).pk


def thread(run: Run, person: User) -> Any:
    return review_builders.add_thread(
        run.policies.last(), person, first=2, body=f"{run.name} comment"
    )


def export(run: Run, person: User) -> int:
    """One that was made; its file is a bundle that no run of this database stands behind."""
    data = small_bundle()
    made = Export.objects.create(
        run=run,
        kind=ExportKind.APPROVED,
        draft=False,
        asked_by=person,
        name=f"csro-export-run-{run.pk}.zip",
        made_at=timezone.now(),
        summary={"policies": [], "left_out": [], "mixture": None, "sandbox_level": None},
    )
    sha256 = hashlib.sha256(data).hexdigest()
    ExportFile.objects.create(export=made, data=data, sha256=sha256, size=len(data))
    return made.pk


def session(run: Run, person: User) -> int:
    """A session of the person, beside the one that looks."""
    store = SessionStore()
    store.create()
    return SignedIn.objects.create(session_id=store.session_key, person=person).pk


def token(run: Run, person: User) -> int:
    return tokens.make(person=person, name="nightly", scopes=[Scope.READ])[0].pk


def other_person(run: Run, person: User) -> int:
    return User.objects.get_or_create(username=f"colleague of {run.pk}")[0].pk


def other_team(run: Run, person: User) -> int:
    return Team.objects.get_or_create(slug=f"beside-{run.pk}", name=f"beside {run.pk}")[0].pk


def trial(run: Run, person: User) -> int:
    """An edit that ``person`` tries; it waits for a worker."""
    policy = run.policies.exclude(source="").last()
    return trials.ask(policy=policy, person=person, text=policy.source + "# edited\n").pk


BUILDERS: Mapping[str, Build] = {
    "run_id": lambda run, person: run.pk,
    "set_id": lambda run, person: run.set_id,
    "step_id": waiting_step,
    "match_id": lambda run, person: Match.objects.filter(cells__run=run).latest("pk").pk,
    "policy_id": lambda run, person: run.policies.last().pk,
    "old_policy_id": lambda run, person: run.policies.first().pk,
    "new_policy_id": lambda run, person: run.policies.last().pk,
    "candidate_id": lambda run, person: run.candidates.last().pk,
    "old_candidate_id": lambda run, person: run.candidates.first().pk,
    "new_candidate_id": lambda run, person: run.candidates.last().pk,
    "call_id": call,
    "job_id": job,
    "change_id": change,
    "trial_id": trial,
    "import_id": lambda run, person: PendingImport.objects.create(run=run, person=person).pk,
    "thread_id": lambda run, person: thread(run, person).pk,
    "comment_id": lambda run, person: thread(run, person).comments.get().pk,
    "review_id": lambda run, person: thread(run, person).review_id,
    "export_id": export,
    "session_id": session,
    "token_id": token,
    "person_id": other_person,
    "team_id": other_team,
}

SPECIAL: Mapping[tuple[str, str], Build] = {
    ("model-test-live", "job_id"): lambda run, person: (
        Job.objects.create(kind=MODEL_TEST, asked_by=person).pk
    ),
}
"""What certain addresses take instead, where only some objects of a kind will do."""
PERSONAL = {"model-test-live", "comment-discard", "session-end", "token-revoke"}
"""Addresses of what one person alone sees; administrators neither."""

QUERIES: Mapping[str, Callable[[Run], Mapping[str, Any]]] = {
    "policy-diff-choose": lambda run: {
        "a": run.policies.first().pk,
        "b": run.policies.last().pk,
    },
}
"""What an address needs after its question mark to be an address of anything."""


def address(pattern: URLPattern, run: Run, person: User) -> str:
    """The address of real objects of ``run``; ``person`` is who made them.

    Raises:
        KeyError: for an argument that has no builder.
    """
    arguments = {
        name: SPECIAL.get((str(pattern.name), name), BUILDERS[name])(run, person)
        for name in pattern.pattern.converters
    }
    query = QUERIES.get(str(pattern.name), lambda run: {})(run)
    found = reverse(str(pattern.name), kwargs=arguments)
    return f"{found}?{urlencode(query)}" if query else found
