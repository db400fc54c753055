"""Every address by every role, by people of another team and by strangers.

All is taken from the URL configuration itself and tried on real objects of a team's run, so that a
new view without a rule, or without an owner for what it shows, fails here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from csro_web.accounts import ownership
from csro_web.accounts.models import Role, Team, User
from csro_web.accounts.permissions import TABLE
from csro_web.runs.models import Run
from tests.web import objects

PUBLIC = {"sign-in", "sign-out", "healthz"}
MARK = "Zanzibar"
"""Stands in every text of the other team's run."""

PATTERNS = objects.all_patterns()
GUARDED = [pattern for pattern in PATTERNS if pattern.name not in PUBLIC]
OWNED = [pattern for pattern in GUARDED if set(pattern.pattern.converters) & ownership.OWNED.keys()]
PEOPLE = [role for role in Role.values if role != Role.ADMINISTRATOR]

each_guarded = pytest.mark.parametrize("pattern", GUARDED, ids=lambda pattern: pattern.name)
each_owned = pytest.mark.parametrize("pattern", OWNED, ids=lambda pattern: pattern.name)


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside leaves no trace, so that each role meets the same objects."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def body_of(response: object) -> str:
    """The whole answer, without the tokens that differ each time."""
    parts = getattr(response, "streaming_content", None)
    content = b"".join(parts) if parts is not None else response.content  # type: ignore[attr-defined]
    text = content.decode(errors="replace")
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text)


def asked(client: Client, address: str) -> list[tuple[int, str]]:
    """Status and text of what GET and POST answer, except that a method may not be allowed."""
    answers = [client.get(address), client.post(address)]
    return [(one.status_code, body_of(one)) for one in answers if one.status_code != 405]


def statuses(client: Client, address: str) -> set[int]:
    return {status for status, _ in asked(client, address)}


@pytest.fixture
def team(db: None) -> Team:
    return Team.objects.create(name="Auditors", slug="auditors")


@pytest.fixture
def others(db: None) -> Team:
    return Team.objects.create(name=f"{MARK} team", slug="others")


@pytest.fixture
def member(person: Callable[[str], User], team: Team) -> Callable[[str], User]:
    """The person of a role, who is in the team."""

    def make(role: str) -> User:
        found = person(role)
        team.members.add(found)
        return found

    return make


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_every_view_names_its_right_in_the_table_or_says_that_it_is_public(
    pattern: URLPattern,
) -> None:
    assert hasattr(pattern.callback, "required_right"), f"{pattern.name} has no rule"
    if pattern.name in PUBLIC:
        assert pattern.callback.required_right is None
    else:
        assert pattern.callback.required_right in TABLE


@each_guarded
def test_every_url_argument_says_whose_it_is_and_has_something_to_be_tried_on(
    pattern: URLPattern,
) -> None:
    for name in pattern.pattern.converters:
        assert name in ownership.OWNED or name in ownership.NOBODYS, (
            f"{name} of {pattern.name} is not in csro_web.accounts.ownership"
        )
        assert name in objects.BUILDERS, f"{name} has no builder in tests/web/objects.py"
        if owned := ownership.OWNED.get(name):
            model = apps.get_model(owned.model)
            for path in filter(None, (owned.runs, owned.person)):
                model._default_manager.filter(**{f"{path}__pk": 1})


@pytest.mark.django_db
@each_guarded
def test_a_stranger_is_sent_to_the_sign_in_page_and_nothing_happens(
    pattern: URLPattern, member: Callable[[str], User], team: Team
) -> None:
    address = objects.address(pattern, objects.run_of(team, "ours"), member(Role.OPERATOR))
    for method in ("get", "post"):
        response = getattr(Client(), method)(address)
        if response.status_code != 405:
            assert response.status_code == 302
            assert response.url.startswith("/sign-in?next=")


@pytest.mark.django_db
@each_guarded
def test_people_of_the_team_meet_403_exactly_where_the_table_says_so(
    pattern: URLPattern, member: Callable[[str], User], team: Team
) -> None:
    run = objects.run_of(team, "ours")
    for role in Role.values:
        with undone():
            user = member(role)
            met = statuses(signed_in(user), objects.address(pattern, run, user))
            assert met, f"{pattern.name} answers neither GET nor POST"
            if role in TABLE[pattern.callback.required_right].roles:
                assert not met & {403, 404, 500}, (role, met)
            else:
                assert 403 in met, (role, met)
                assert not met & {200, 302, 404, 500}, (role, met)


@pytest.mark.django_db
@each_owned
def test_to_people_of_another_team_it_is_as_if_it_did_not_exist(
    pattern: URLPattern, member: Callable[[str], User], person: Callable[[str], User], others: Team
) -> None:
    owner = User.objects.create_user("owner", role=Role.OPERATOR)
    others.members.add(owner)
    real = objects.address(pattern, objects.run_of(others, MARK), owner)
    missing = re.sub(r"\b\d+\b", "987654321", real)
    for role in PEOPLE:
        with undone():
            client = signed_in(member(role))
            found = asked(client, real)
            assert {status for status, _ in found} == {404}, role
            assert found == asked(client, missing)
    with undone():
        if pattern.name in objects.PERSONAL:
            return
        assert not statuses(signed_in(person(Role.ADMINISTRATOR)), real) & {403, 404, 500}


@pytest.mark.django_db
@each_guarded
def test_no_page_of_ones_own_shows_anything_of_another_team(
    pattern: URLPattern, member: Callable[[str], User], team: Team, others: Team
) -> None:
    """The others found the same programs, played the same matches, and asked the same."""
    theirs, ours = objects.run_of(others, MARK), objects.run_of(team, "ours")
    objects.share_matches(ours, theirs)
    stranger = User.objects.create_user(f"{MARK} person", role=Role.OPERATOR)
    others.members.add(stranger)
    for name, build in objects.BUILDERS.items():
        if name in ownership.OWNED:
            build(theirs, stranger)
    for role in (Role.OPERATOR, Role.APPROVER):
        with undone():
            user = member(role)
            for status, text in asked(signed_in(user), objects.address(pattern, ours, user)):
                assert status != 404
                assert MARK not in text, f"{pattern.name} shows what belongs to another team"


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
    client = signed_in(user)
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


def test_approvers_do_not_launch_runs() -> None:
    assert Role.APPROVER not in TABLE["runs.launch"].roles
