"""Giving people access, and taking it away, as an administrator does it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from csro_web.accounts import people, tokens
from csro_web.accounts.models import Role, Scope, Team, User
from csro_web.audit.models import AuditEvent
from csro_web.runs.models import Run
from tests.web import builders

pytestmark = pytest.mark.django_db
LONG = "a long phrase of its own 7"


@pytest.fixture
def administrator(as_role: Callable[[str], Client]) -> Client:
    return as_role(Role.ADMINISTRATOR)


def actions() -> list[str]:
    return list(AuditEvent.objects.order_by("sequence").values_list("action", flat=True))


def once(response: object) -> str:
    found = re.search(r'class="once"[^>]*>([^<]+)<', response.content.decode())  # type: ignore[attr-defined]
    assert found
    return found[1]


def test_where_there_are_no_teams_the_form_says_what_that_means(administrator: Client) -> None:
    words = "There are none yet"
    assert words in administrator.get("/people").content.decode()
    Team.objects.create(name="Auditors", slug="auditors")
    assert words not in administrator.get("/people").content.decode()


def test_a_new_person_gets_a_password_for_once_and_must_choose_another(
    administrator: Client,
) -> None:
    team = Team.objects.create(name="Auditors", slug="auditors")
    page = administrator.post(
        "/people", {"username": "eva", "email": "", "role": "reviewer", "teams": [team.pk]}
    )
    password = once(page)
    eva = User.objects.get(username="eva")
    assert (eva.role, list(eva.teams.all())) == (Role.REVIEWER, [team])
    assert password not in str(list(AuditEvent.objects.values()))
    assert password not in administrator.get(f"/people/{eva.pk}").content.decode()
    client = Client()
    client.post("/sign-in", {"username": "eva", "password": password})
    assert client.get("/").url == "/account/password"
    assert client.get("/account").url == "/account/password"
    changed = {"old_password": password, "new_password1": LONG, "new_password2": LONG}
    assert client.post("/account/password", changed).url == "/account"
    assert client.get("/").status_code == 200
    assert "person.added" in actions()
    assert "person.password_changed" in actions()


def test_a_name_that_is_taken_is_refused_with_what_was_typed(administrator: Client) -> None:
    again = {"username": "administrator", "email": "x@example.org", "role": "viewer"}
    page = administrator.post("/people", again)
    assert page.status_code == 422
    assert "x@example.org" in page.content.decode()


@pytest.mark.parametrize("address", ["off", "role"])
def test_the_last_administrator_cannot_be_lost(
    address: str, administrator: Client, person: Callable[[str], User]
) -> None:
    last = person(Role.ADMINISTRATOR)
    if address == "off":
        page = administrator.post(f"/people/{last.pk}/off", follow=True)
    else:
        page = administrator.post(f"/people/{last.pk}", {"role": "viewer"}, follow=True)
    assert "is the last administrator" in page.content.decode()
    last.refresh_from_db()
    assert (last.is_active, last.role) == (True, Role.ADMINISTRATOR)
    other = User.objects.create_user("other", role=Role.ADMINISTRATOR)
    people.change_role(last, Role.VIEWER, actor=other)
    last.refresh_from_db()
    assert last.role == Role.VIEWER
    with pytest.raises(people.PeopleError):
        people.switch_off(other, actor=other)


def test_a_superuser_who_loses_the_role_loses_everything_that_went_with_it() -> None:
    first = User.objects.create_superuser("first", role=Role.ADMINISTRATOR)
    second = User.objects.create_user("second", role=Role.ADMINISTRATOR)
    people.change_role(first, Role.VIEWER, actor=second)
    first.refresh_from_db()
    assert not first.has_perm("people.manage")


def test_switching_off_ends_sessions_and_tokens_at_once(
    administrator: Client, as_role: Callable[[str], Client], person: Callable[[str], User]
) -> None:
    viewer, user = as_role(Role.VIEWER), person(Role.VIEWER)
    assert viewer.get("/").status_code == 200
    _, text = tokens.make(person=user, name="nightly", scopes=[Scope.READ])
    assert tokens.find(text) is not None
    administrator.post(f"/people/{user.pk}/off")
    assert viewer.get("/").url.startswith("/sign-in")
    assert not Session.objects.filter(pk=viewer.cookies["sessionid"].value).exists()
    administrator.post(f"/people/{user.pk}/on")
    assert viewer.get("/").url.startswith("/sign-in")
    assert tokens.find(text) is None
    assert actions()[-2:] == ["person.switched_off", "person.switched_on"]


def test_a_run_is_moved_to_a_team_and_that_is_recorded(
    administrator: Client, viewer: Client
) -> None:
    run, team = builders.populated_run(iterations=1), Team.objects.create(name="A", slug="a")
    assert viewer.get(f"/runs/{run.pk}").status_code == 200
    administrator.post(f"/runs/{run.pk}/team", {"team": team.pk})
    assert Run.objects.get(pk=run.pk).team == team
    assert viewer.get(f"/runs/{run.pk}").status_code == 404
    event = AuditEvent.objects.get(action="run.moved_to_team")
    assert (event.run_id, event.detail) == (run.pk, {"from": None, "to": "a"})


def test_who_joins_and_leaves_a_team_is_recorded(
    administrator: Client, person: Callable[[str], User]
) -> None:
    administrator.post("/teams", {"name": "Finance audit"})
    team = Team.objects.get(slug="finance-audit")
    member = person(Role.REVIEWER)
    administrator.post(f"/teams/{team.pk}", {"name": "Finance audit", "members": [member.pk]})
    administrator.post(f"/teams/{team.pk}", {"name": "Finance audit"})
    changes = AuditEvent.objects.filter(action="team.changed").order_by("sequence")
    assert [(one.detail["joined"], one.detail["left"]) for one in changes] == [
        (["reviewer"], []),
        ([], ["reviewer"]),
    ]


def test_nobody_launches_for_a_team_that_is_not_theirs(
    operator: Client, person: Callable[[str], User]
) -> None:
    other = Team.objects.create(name="Others", slug="others")
    own = Team.objects.create(name="Own", slug="own")
    person(Role.OPERATOR).teams.add(own)
    page = operator.get("/runs/new").content.decode()
    assert f'<option value="{own.pk}" selected>' in page
    assert "Others" not in page
    form = {"game": "rrps", "oracle": "zero_shot", "writer": "grammar", "seed": "1"}
    assert operator.post("/runs/new", {**form, "team": other.pk}).status_code == 422
    operator.post("/runs/new", {**form, "team": own.pk})
    assert Run.objects.get().team == own


def test_a_form_of_a_team_that_was_open_for_long_undoes_nothing(
    administrator: Client, person: Callable[[str], User]
) -> None:
    """Whoever was taken out meanwhile does not come back with it, nor does a new one go."""
    team = Team.objects.create(name="Auditors", slug="auditors")
    left, stays, comes, new = (User.objects.create_user(name) for name in "lscn")
    team.members.set([left, stays])
    page = administrator.get(f"/teams/{team.pk}").content.decode()
    shown = re.search(r'name="shown" value="([^"]+)"', page)
    assert shown
    team.members.remove(left)
    team.members.add(new)
    form = {"name": "Renamed", "members": [left.pk, stays.pk, comes.pk], "shown": shown[1]}
    administrator.post(f"/teams/{team.pk}", form)
    assert set(team.members.all()) == {stays, comes, new}
    assert Team.objects.get().name == "Renamed"
    team.members.clear()
    page = administrator.get(f"/teams/{team.pk}").content.decode()
    assert 'name="shown" value="nobody"' in page
    team.members.add(new)
    administrator.post(f"/teams/{team.pk}", {"name": "Renamed", "shown": "nobody"})
    assert set(team.members.all()) == {new}
