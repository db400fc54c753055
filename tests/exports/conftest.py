"""A real run that has ended, people around it, and a worker that makes its bundles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from csro_web.accounts.models import Role, User
from csro_web.approvals import decisions
from csro_web.exports import services
from csro_web.exports.models import Export
from csro_web.jobs import work
from csro_web.policies.models import Policy
from csro_web.runs.models import Match, Run, RunState
from csro_web.runs.services import create_run
from csro_web.runs.worker import Worker
from csro_web.solving.drive import work_on
from oracles.config import RunConfig
from tests.approvals.conftest import with_result

CONFIG = {
    "game": "rrps",
    "initial": ["mostly_paper", "last_reaction", "uniform"],
    "iterations": 1,
    "refinements": 1,
    "episodes": 4,
    "evaluation_episodes": 2,
    "seed": 11,
}


@pytest.fixture(autouse=True)
def _own_key(settings: Any, tmp_path: Path) -> None:
    settings.SIGNING_KEY_FILE = str(tmp_path / "signing-key.pem")
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    made = Worker(engine_workers=2, announce=False)
    yield made
    made.close()


@pytest.fixture(scope="session")
def played() -> list[dict[str, Any]]:
    """Matches that a test before has played: the same ones are not played again."""
    return []


@pytest.fixture
def run(transactional_db: None, worker: Worker, played: list[dict[str, Any]]) -> Run:
    """Made by the loop itself, step by step, with every match in the sandbox."""
    Match.objects.bulk_create(Match(**row) for row in played)
    launcher = User.objects.create_user("ada", "ada@example.org", "ada", role=Role.OPERATOR)
    made = create_run(
        config=RunConfig.from_json(CONFIG), launched_by=launcher, name="small", announce=False
    )
    ended = work_on(made.pk, worker, lambda _run, _words: None)
    assert ended.state == RunState.FINISHED, ended.failure
    remember(played)
    return ended


def remember(played: list[dict[str, Any]]) -> None:
    rows = Match.objects.values()
    played[:] = [{key: value for key, value in row.items() if key != "id"} for row in rows]


@pytest.fixture
def approver(db: None) -> User:
    return User.objects.create_user("grace", "grace@example.org", "grace", role=Role.APPROVER)


@pytest.fixture
def approve(approver: User) -> Callable[[Policy], None]:
    def do(policy: Policy) -> None:
        with_result(policy)
        decisions.approve(
            policy=policy,
            person=approver,
            seen_sha256=policy.sha256,
            statement="I read all of it.",
        )

    return do


@pytest.fixture
def made(run: Run, worker: Worker, played: list[dict[str, Any]]) -> Callable[..., Export]:
    """Asks for an export and has the worker make it."""

    def do(*, policy: Policy | None = None, draft: bool = False, person: User | None = None) -> Any:
        export = services.ask(run=run, policy=policy, draft=draft, person=person)
        outcome = work.perform(export.job_id, worker)  # type: ignore[arg-type]
        export.refresh_from_db()
        assert outcome is work.Outcome.SAVED, export.job.failure  # type: ignore[union-attr]
        remember(played)
        return export

    return do
