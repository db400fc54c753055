"""Every address by every role, by people of another team and by strangers.

All is taken from the URL configuration itself and tried on real objects of a team's run, so that a
new view without a rule, or without an owner for what it shows, fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from csro_web.accounts import ownership
from csro_web.accounts.models import Role, Team, User
from csro_web.accounts.permission_page import PAGE, text
from csro_web.accounts.permissions import TABLE
from csro_web.runs.models import Run
from tests.web import objects

pytestmark = pytest.mark.django_db

PUBLIC = {"sign-in", "sign-out", "healthz"}
MARK = "Zanzibar"
"""Stands in every text of the other team's run."""

PATTERNS = objects.pages()
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


@dataclass(frozen=True)
class World:
    """Two teams that found the same programs and played the same matches, one person a role."""

    ours: Run
    theirs: Run
    members: Mapping[str, User]
    other: User
    """Who made what belongs to the other team."""


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Built once, for it is much; each test leaves it as it was."""
    with django_db_blocker.unblock(), undone():
        team = Team.objects.create(name="Auditors", slug="auditors")
        others = Team.objects.create(name=f"{MARK} team", slug="others")
        members = {role: User.objects.create(username=role, role=role) for role in Role.values}
        team.members.set(members.values())
        other = User.objects.create(username=f"{MARK} person", role=Role.OPERATOR)
        others.members.add(other)
        ours, theirs = objects.run_of(team, "ours"), objects.run_of(others, MARK)
        objects.share_matches(ours, theirs)
        yield World(ours, theirs, members, other)


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


@each_guarded
def test_a_stranger_is_sent_to_the_sign_in_page_and_nothing_happens(
    pattern: URLPattern, world: World
) -> None:
    with undone():
        address = objects.address(pattern, world.ours, world.members[Role.OPERATOR])
        for method in ("get", "post"):
            response = getattr(Client(), method)(address)
            if response.status_code != 405:
                assert response.status_code == 302
                assert response.url.startswith("/sign-in?next=")


@each_guarded
def test_people_of_the_team_meet_403_exactly_where_the_table_says_so(
    pattern: URLPattern, world: World
) -> None:
    for role, user in world.members.items():
        with undone():
            met = statuses(signed_in(user), objects.address(pattern, world.ours, user))
            assert met, f"{pattern.name} answers neither GET nor POST"
            if role in TABLE[pattern.callback.required_right].roles:
                assert not met & {403, 404, 500}, (role, met)
            else:
                assert 403 in met, (role, met)
                assert not met & {200, 302, 404, 500}, (role, met)


@each_owned
def test_to_people_of_another_team_it_is_as_if_it_did_not_exist(
    pattern: URLPattern, world: World
) -> None:
    with undone():
        real = objects.address(pattern, world.theirs, world.other)
        missing = re.sub(r"\b\d+\b", "987654321", real)
        for role, user in world.members.items():
            client = signed_in(user)
            found = asked(client, real)
            if role != Role.ADMINISTRATOR:
                assert {status for status, _ in found} == {404}, role
                assert found == asked(client, missing)
            elif pattern.name not in objects.PERSONAL:
                assert not {status for status, _ in found} & {403, 404, 500}


@each_guarded
def test_no_page_of_ones_own_shows_anything_of_another_team(
    pattern: URLPattern, world: World
) -> None:
    """The others found the same programs, played the same matches, and asked the same."""
    with undone():
        for name, build in objects.BUILDERS.items():
            if name in ownership.OWNED:
                build(world.theirs, world.other)
        for role in (Role.OPERATOR, Role.APPROVER):
            user = world.members[role]
            for status, text in asked(signed_in(user), objects.address(pattern, world.ours, user)):
                assert status != 404
                assert MARK not in text, f"{pattern.name} shows what belongs to another team"


def test_approvers_do_not_launch_runs() -> None:
    assert Role.APPROVER not in TABLE["runs.launch"].roles


def test_the_reference_page_of_rights_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "run ./csro manage document_permissions"
