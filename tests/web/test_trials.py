"""Trying an edit: paired with its parent, live, hostile code included, and nothing of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from csro_web.accounts.models import Role
from csro_web.audit.models import AuditEvent
from csro_web.changes import trials
from csro_web.changes.edit_models import EditDraft, Trial
from csro_web.jobs import work
from csro_web.jobs.models import Job, JobState
from csro_web.leases.outcome import Outcome
from csro_web.leases.rows import LeasedRows
from csro_web.policies.models import Policy
from csro_web.runs.models import Cell, Iteration, Run, Step
from csro_web.runs.worker import Worker
from games.metrics import estimate
from games.players import CodePlayer
from tests.web import builders

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = (
    "class Policy:\n    def __init__(self, player, num_players, game, seed):\n        self.n = 0\n"
)
HOSTILE = {
    "raises": (HEAD + "    def act(self, obs):\n        raise KeyError('mine')\n", "exception"),
    "does not construct": (
        HEAD + "        raise ValueError('no')\n    def act(self, obs):\n        return 0\n",
        "constructor",
    ),
    "loops for ever": (
        HEAD + "    def act(self, obs):\n        while True:\n            pass\n",
        "timeout",
    ),
    "allocates": (HEAD + "    def act(self, obs):\n        return 'x' * 10**10\n", "exception"),
    "forks": (
        HEAD + "    def act(self, obs):\n        import random\n"
        "        return random._os.fork() or 0\n",
        "exception",
    ),
    "prints gigabytes": (
        HEAD + "    def act(self, obs):\n        self.n += 1\n"
        "        print('x' * 10**6)\n        return 7\n",
        "illegal action",
    ),
}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=2, announce=False)
    yield made
    made.close()


@pytest.fixture
def policy() -> Policy:
    run = builders.populated_run(iterations=1, state="finished")
    return run.policies.get(name="best response 1")


def edited(policy: Policy) -> str:
    return policy.source.replace("(throw + 1) % 3", "(throw + 2) % 3")


def begin(client: Client, policy: Policy, text: str, **more: Any) -> Trial:
    sent = {"source": text, "tab": "t", "episodes": "4", **more}
    response = client.post(f"/policies/{policy.pk}/edit/try", sent)
    assert response.status_code == 302, response.content.decode()
    return Trial.objects.get(pk=int(response.url.rsplit("/", 1)[1]))


def everything_of(run: Run) -> dict[str, Any]:
    """All rows that belong to the run."""
    models = (Step, Cell, Policy, Iteration)
    rows = {model.__name__: list(model.objects.filter(run=run).values()) for model in models}
    return {**rows, "run": Run.objects.filter(pk=run.pk).values().get()}


def test_a_trial_shows_paired_differences_and_leaves_the_run_as_it_is(
    worker: Worker, policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    before = everything_of(policy.run)
    trial = begin(client, policy, edited(policy))
    assert work.perform(trial.job_id, worker) is Outcome.SAVED
    assert everything_of(policy.run) == before
    trial.refresh_from_db()
    result = trial.job.result
    assert [row["weight"] for row in result["rows"]] == sorted(policy.run.final_sigma, reverse=True)
    assert len(result["rows"]) == policy.run.policies.count()
    assert result["level"] in ("full", "kernel")
    page = client.get(f"/trials/{trial.pk}").content.decode()
    assert "Change against the mixture" in page
    assert str(result["rows"][0]["seed"]) in page
    assert trial.sha256 in page
    assert AuditEvent.objects.get(action="edit.tried").detail["sha256"] == trial.sha256
    assert EditDraft.objects.get().text == edited(policy)
    edit_page = client.get(f"/policies/{policy.pk}/edit").content.decode()
    assert "You tried this" in edit_page


def test_the_difference_is_that_of_the_same_episodes_played_one_by_one(
    worker: Worker, policy: Policy, person: Any
) -> None:
    trial = trials.ask(policy=policy, person=person(Role.REVIEWER), text=edited(policy), episodes=6)
    work.perform(trial.job_id, worker)
    trial.refresh_from_db()
    plan = trials.plan_of(trial.job.inputs)
    row = trial.job.result["rows"][1]
    opponent = plan.opponents[1]
    assert row["seed"] == plan.seed_against(opponent)
    pair = {name: spec for name, spec in plan.specs().items() if name.startswith("1/")}
    assert {spec.seed for spec in pair.values()} == {row["seed"]}
    after, before = worker.engine().play([pair["1/after"], pair["1/before"]])
    paired = estimate([b - a for a, b in zip(before.payoffs, after.payoffs, strict=True)])
    assert row["difference"]["mean"] == paired.mean
    assert row["difference"]["low"] == paired.low
    assert row["before"]["mean"] == estimate(before.payoffs).mean


def test_an_unchanged_text_differs_from_its_parent_by_nothing(
    worker: Worker, policy: Policy, person: Any
) -> None:
    trial = trials.ask(policy=policy, person=person(Role.REVIEWER), text=policy.source, episodes=3)
    work.perform(trial.job_id, worker)
    trial.refresh_from_db()
    assert {row["difference"]["mean"] for row in trial.job.result["rows"]} == {0.0}
    assert trial.job.result["mixture"]["difference"]["high"] == 0.0


def test_the_mixture_is_met_whole_and_a_policy_that_it_does_not_know_has_no_weight(
    worker: Worker, policy: Policy, person: Any
) -> None:
    run = policy.run
    heaviest = max(range(len(run.final_sigma)), key=lambda index: run.final_sigma[index])
    run.policies.filter(index=heaviest).update(withdrawn_by=1)  # no newer mixture is solved yet
    builders.add_policy(run, edited(policy) + "# joined since\n", name="joined since")
    trial = trials.ask(policy=policy, person=person(Role.REVIEWER), text=edited(policy), episodes=2)
    plan = trials.plan_of(trial.job.inputs)
    assert plan.opponents[0].index == heaviest
    assert {one.weight for one in plan.opponents if one.index >= len(run.final_sigma)} == {None}
    work.perform(trial.job_id, worker)
    trial.refresh_from_db()
    result = trial.job.result
    parts = [(row["weight"] or 0.0) * row["difference"]["mean"] for row in result["rows"]]
    assert result["mixture"]["difference"]["mean"] == pytest.approx(sum(parts))
    few = replace(plan, opponents=plan.opponents[:1])
    played = dict(zip(few.specs(), worker.engine().play(list(few.specs().values())), strict=True))
    row = few.report(played)["rows"][0]
    assert few.report(played)["mixture"]["after"]["mean"] == pytest.approx(row["after"]["mean"])


def test_more_episodes_are_played_on_fresh_seeds_and_edits_share_their_parents_matches(
    policy: Policy, person: Any
) -> None:
    reviewer = person(Role.REVIEWER)
    one, other = (
        trials.plan_of(trials.ask(policy=policy, person=reviewer, text=text, episodes=4).job.inputs)
        for text in (edited(policy), edited(policy) + "# again\n")
    )
    more = trials.plan_of(
        trials.ask(policy=policy, person=reviewer, text=edited(policy), episodes=16).job.inputs
    )
    assert one.specs()["0/before"] == other.specs()["0/before"]
    assert one.specs()["0/after"] != other.specs()["0/after"]
    seeds = {spec.seed for spec in one.specs().values()}
    assert not seeds & {spec.seed for spec in more.specs().values()}
    assert len(seeds) == len(one.opponents)


@pytest.mark.parametrize("name", HOSTILE)
def test_an_edit_that_misbehaves_is_shown_as_faults_and_the_worker_lives(
    name: str, worker: Worker, policy: Policy, as_role: Callable[[str], Client]
) -> None:
    text, kind = HOSTILE[name]
    client = as_role(Role.REVIEWER)
    trial = begin(client, policy, text, episodes="2")
    assert work.perform(trial.job_id, worker) is Outcome.SAVED
    trial.refresh_from_db()
    assert trial.job.result["faults"][kind] > 0
    page = client.get(f"/trials/{trial.pk}").content.decode()
    assert kind in page
    assert "refused when its row is played" in page
    for ours in ("games/sandbox", "site-packages", str(settings.BASE_DIR), "csro_web"):
        assert ours not in "".join(trial.job.result.get("tracebacks", []))
    assert trials.faulted(trial)
    match = trials.plan_of(trial.job.inputs).smoke()
    well = type(match)(
        **{**match.__dict__, "a": CodePlayer(policy.source), "seed": 99, "episodes": 1}
    )
    assert worker.engine().play([well])[0].a.total == 0


def test_rows_are_seen_while_others_still_play(
    worker: Worker, policy: Policy, as_role: Callable[[str], Client], monkeypatch: Any
) -> None:
    client = as_role(Role.REVIEWER)
    trial = begin(client, policy, edited(policy))
    seen: list[str] = []
    report = work._report

    def reported(mine: LeasedRows, **news: Any) -> None:
        report(mine, **news)
        seen.append(client.get(f"/trials/{trial.pk}/live").content.decode())

    monkeypatch.setattr(work, "_report", reported)
    assert Job.objects.get(pk=trial.job_id).state == JobState.READY
    work.perform(trial.job_id, worker)
    counts = [page.count("<strong><span") for page in seen]
    assert counts == sorted(counts)
    assert 0 < counts[len(counts) // 2] < len(trial.job.inputs["opponents"])
    assert all("hx-trigger" in page for page in seen)
    over = client.get(f"/trials/{trial.pk}/live").content.decode()
    assert "hx-trigger" not in over


def test_a_person_has_a_few_trials_at_a_time_and_may_call_one_off(
    worker: Worker, policy: Policy, as_role: Callable[[str], Client]
) -> None:
    client = as_role(Role.REVIEWER)
    begun = [begin(client, policy, edited(policy), episodes=str(4 + i)) for i in range(3)]
    refused = client.post(
        f"/policies/{policy.pk}/edit/try", {"source": edited(policy), "version": "3"}
    )
    assert refused.status_code == 422
    assert "3 of your trials wait or play already" in refused.content.decode()
    assert as_role(Role.OPERATOR).post(f"/trials/{begun[0].pk}/cancel").status_code == 403
    client.post(f"/trials/{begun[0].pk}/cancel")
    assert Job.objects.get(pk=begun[0].job_id).state == JobState.CANCELLED
    assert AuditEvent.objects.get(action="job.cancelled").actor == begun[0].person
    assert work.perform(begun[0].job_id, worker) is Outcome.NOT_TO_BE_HAD
    begin(client, policy, edited(policy), version="4")


def test_a_trial_of_what_cannot_be_played_is_not_begun(
    policy: Policy, as_role: Callable[[str], Client]
) -> None:
    response = as_role(Role.REVIEWER).post(
        f"/policies/{policy.pk}/edit/try", {"source": "class Policy:\n    def act(self, obs)\n"}
    )
    assert response.status_code == 422
    assert "Line 2" in response.content.decode()
    assert not Trial.objects.exists()
    assert EditDraft.objects.get().text == "class Policy:\n    def act(self, obs)\n"


def test_a_viewer_sees_trials_but_begins_none(policy: Policy, person: Any, viewer: Client) -> None:
    trial = trials.ask(policy=policy, person=person(Role.REVIEWER), text=edited(policy))
    assert viewer.get(f"/trials/{trial.pk}").status_code == 200
    assert viewer.get(f"/policies/{policy.pk}/edit").status_code == 403
    assert viewer.post(f"/policies/{policy.pk}/edit/try", {"source": "x"}).status_code == 403
