"""Whose run it is, and what follows for those who look."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from csro_web.accounts import ownership
from csro_web.accounts.models import Role, Team, User
from csro_web.accounts.permissions import TABLE
from csro_web.runs.models import Run
from tests.web import objects


@pytest.fixture
def team(db: None) -> Team:
    return Team.objects.create(name="Auditors", slug="auditors")


@pytest.fixture
def member(person: Callable[[str], User], team: Team) -> Callable[[str], User]:
    """The person of a role, who is in the team."""

    def make(role: str) -> User:
        found = person(role)
        team.members.add(found)
        return found

    return make


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.django_db
def test_runs_of_nobody_are_seen_by_everybody(viewer: Client) -> None:
    run = objects.run_of(None, "everybody's")
    assert viewer.get(f"/runs/{run.pk}").status_code == 200
    assert "everybody&#x27;s run" in viewer.get("/").content.decode()


@pytest.mark.django_db
def test_leaving_a_team_takes_its_runs_away_at_once(
    member: Callable[[str], User], team: Team
) -> None:
    user = member(Role.REVIEWER)
    run = objects.run_of(team, "ours")
    client = client_of(user)
    assert client.get(f"/runs/{run.pk}").status_code == 200
    team.members.remove(user)
    assert client.get(f"/runs/{run.pk}").status_code == 404


@pytest.mark.django_db
def test_a_row_of_several_runs_is_listed_once(member: Callable[[str], User], team: Team) -> None:
    ours = objects.run_of(team, "ours")
    Run.objects.filter(pk=objects.run_of(team, "too").pk).update(set=ours.set_id)
    sets = ours.set.__class__.objects.all()
    assert list(ownership.visible(sets, member(Role.VIEWER), path="runs")) == [ours.set]


@pytest.mark.django_db
def test_a_switched_off_account_holds_no_right(person: Callable[..., User], team: Team) -> None:
    administrator = person(Role.ADMINISTRATOR)
    administrator.is_active = False
    administrator.save()
    objects.run_of(team, "ours")
    assert not any(administrator.has_perm(name) for name in TABLE)
    assert not ownership.visible_runs(administrator).exists()
