"""A run that has ended, small enough to be played again in seconds, and the people around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from csro_web.accounts.models import Role, User
from csro_web.approvals import reevaluations
from csro_web.approvals.models import Reevaluation
from csro_web.jobs import work
from csro_web.policies.models import Policy
from csro_web.runs.models import Run, RunState
from csro_web.runs.worker import Worker
from oracles import config
from tests.web.builders import FIRST, add_cells, add_policy, make_run

EPISODES = 4
_FIGURE = {"mean": 1.5, "low": 1.0, "high": 2.0, "episodes": 8}
FOUND = {
    "words": "The run claimed nothing about this policy that could be compared.",
    "claims": [],
    "newest": None,
    "opponents": [],
    "held_out": {
        **dict.fromkeys(("pop_return", "pop_expl", "agg_score"), _FIGURE),
        "opponents": [],
        "seen": None,
    },
}
COPIES = '''"""Plays what the opponent played last."""


class Policy:
    def __init__(self, player, num_players, game, seed):
        pass

    def act(self, obs):
        theirs = obs["opponent_actions"]
        return theirs[-1] if theirs else 0
'''


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = str(tmp_path / "signing-key.pem")
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _few_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice two: the game's own number would take half a minute for each test."""
    monkeypatch.setitem(config._GAME_DEFAULTS["rrps"], "evaluation_episodes", EPISODES // 2)


@pytest.fixture
def someone(db: None) -> Callable[..., User]:
    def make(name: str, role: str = Role.REVIEWER, **fields: Any) -> User:
        return User.objects.create_user(name, f"{name}@example.org", name, role=role, **fields)

    return make


@pytest.fixture
def launcher(someone: Callable[..., User]) -> User:
    return someone("launcher", Role.OPERATOR)


@pytest.fixture
def approver(someone: Callable[..., User]) -> User:
    return someone("grace", Role.APPROVER)


@pytest.fixture
def run(launcher: User) -> Run:
    made = make_run(state=RunState.FINISHED, name="small")
    made.launched_by = launcher
    made.save()
    add_policy(made, COPIES, name="copies")
    add_cells(add_policy(made, FIRST, name="counts habits"))
    made.final_sigma = [0.25, 0.75]
    made.save()
    return made


@pytest.fixture
def policy(run: Run) -> Policy:
    found: Policy = run.policies.get(name="counts habits")
    return found


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=2, announce=False)
    yield made
    made.close()


@pytest.fixture
def re_evaluate(worker: Worker) -> Callable[[Policy], Reevaluation]:
    """Asks and has a real worker play it, in the sandbox."""

    def do(policy: Policy) -> Reevaluation:
        asked = reevaluations.ask(policy=policy, person=None)
        outcome = work.perform(asked.job_id, worker)
        asked.refresh_from_db()
        assert outcome is work.Outcome.SAVED, asked.job.failure
        return asked

    return do


@pytest.fixture
def evaluated(policy: Policy) -> Policy:
    """The policy with a result, written down rather than played, for tests of decisions alone."""
    return with_result(policy)


def with_result(policy: Policy, **fields: Any) -> Policy:
    from django.utils import timezone

    from csro_web.jobs.models import JobState
    from games.match import ENGINE_VERSION

    asked = reevaluations.ask(policy=policy, person=None)
    type(asked.job).objects.filter(pk=asked.job_id).update(
        state=JobState.DONE, result={}, ended_at=timezone.now()
    )
    values = {
        "found": FOUND,
        "done_at": timezone.now(),
        "engine_version": ENGINE_VERSION,
        "sandbox_level": "full",
        **fields,
    }
    Reevaluation.objects.filter(pk=asked.pk).update(**values)
    return policy
