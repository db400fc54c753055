"""What a program gets with a token: no more than its person's role, teams and its own scopes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern

from csro_web.accounts import ownership, tokens
from csro_web.accounts.models import Role, Scope, Team, User
from csro_web.accounts.permissions import TABLE
from csro_web.audit.models import AuditEvent
from csro_web.exports.models import Export
from csro_web.runs.models import Run
from tests.web import objects

pytestmark = pytest.mark.django_db
MARK = "Zanzibar"
OPERATIONS = objects.operations()
OWNED = [one for one in OPERATIONS if set(one.pattern.converters) & ownership.OWNED.keys()]
names = {"ids": lambda pattern: pattern.name}


@pytest.fixture(autouse=True)
def _own_counts() -> None:
    cache.clear()


@pytest.fixture
def team() -> Team:
    return Team.objects.create(name="Auditors", slug="auditors")


@pytest.fixture
def run(team: Team) -> Run:
    return objects.run_of(team, MARK)


def client_of(user: User, *scopes: Scope) -> Client:
    _, text = tokens.make(person=user, name="t", scopes=scopes or list(Scope))
    return Client(headers={"authorization": f"Bearer {text}"})


def asked(client: Client, address: str) -> Any:
    answer = client.get(address)
    if answer.status_code != 405:
        return answer
    return client.post(address, {"draft": True}, content_type="application/json")


@pytest.mark.parametrize("pattern", OPERATIONS, **names)
def test_every_operation_asks_for_a_token_and_a_right(
    pattern: URLPattern, run: Run, team: Team, person: Callable[[str], User]
) -> None:
    address = objects.address(pattern, run, person(Role.OPERATOR))
    unknown = Client(headers={"authorization": f"Bearer csro_{'0' * 12}_{'0' * 64}"})
    browser = Client()
    browser.force_login(person(Role.ADMINISTRATOR))
    for client in (Client(), unknown, browser):
        assert asked(client, address).status_code == 401
    for role in Role.values:
        user = person(role)
        team.members.add(user)
        answer = asked(client_of(user), address)
        if role in TABLE[pattern.callback.required_right].roles:
            assert answer.status_code in (200, 202, 409), (role, answer.content)
        else:
            assert (answer.status_code, "may not" in answer.json()["detail"]) == (403, True)


@pytest.mark.parametrize("pattern", OWNED, **names)
def test_what_belongs_to_another_team_is_as_if_it_did_not_exist(
    pattern: URLPattern, run: Run, person: Callable[[str], User]
) -> None:
    real = objects.address(pattern, run, person(Role.ADMINISTRATOR))
    for role in (Role.VIEWER, Role.OPERATOR, Role.APPROVER):
        answer = asked(client_of(person(role)), real)
        assert answer.status_code == 404
        assert MARK not in answer.content.decode()
        missing = asked(client_of(person(role)), real.replace("/v1/", "/v1/", 1).translate(NINES))
        assert missing.content == answer.content


NINES = str.maketrans({digit: "9" for digit in "023456789"})
"""Makes every number of an address (but the version) one that was never given out."""


def test_lists_hold_what_the_person_may_see(
    run: Run, team: Team, person: Callable[[str], User]
) -> None:
    public = objects.run_of(None, "public")
    client = client_of(person(Role.VIEWER))
    listed = client.get("/api/v1/runs").json()
    assert [one["id"] for one in listed["items"]] == [public.pk]
    assert listed["count"] == 1
    team.members.add(person(Role.VIEWER))
    listed = client.get("/api/v1/runs?limit=1").json()
    assert (len(listed["items"]), listed["count"]) == (1, 2)


def test_a_list_gives_so_many_rows_at_most_and_takes_no_number_beyond_a_database(
    person: Callable[[str], User],
) -> None:
    run = objects.run_of(None, "public")
    client = client_of(person(Role.OPERATOR))
    for path in ("runs", "exports", f"runs/{run.pk}/payoffs"):
        assert client.get(f"/api/v1/{path}?limit=1000").status_code == 200
        assert client.get(f"/api/v1/{path}?offset={10**15}").json()["items"] == []
        for asked_for in ("limit=1001", "limit=0", "offset=-1", f"limit={10**30}"):
            assert client.get(f"/api/v1/{path}?{asked_for}").status_code == 422
        for offset in (2**63, 10**30):
            assert client.get(f"/api/v1/{path}?offset={offset}").status_code == 422


def test_a_run_can_be_read_down_to_the_source(person: Callable[[str], User]) -> None:
    run = objects.run_of(None, "public")
    client = client_of(person(Role.VIEWER))
    told = client.get(f"/api/v1/runs/{run.pk}").json()
    assert (told["game"], told["team"], told["sandbox_level"]) == ("rrps", None, "full")
    cells = client.get(f"/api/v1/runs/{run.pk}/payoffs").json()
    assert cells["count"] == run.cells.count()
    assert {"low", "high", "seed", "sandbox_level"} <= cells["items"][0].keys()
    weights = client.get(f"/api/v1/runs/{run.pk}/mixture").json()
    assert [one["weight"] for one in weights] == run.final_sigma
    policy = client.get(f"/api/v1/runs/{run.pk}/policies").json()[-1]
    assert (policy["standing"], policy["withdrawn"]) == ("unreviewed", False)
    source = client.get(f"/api/v1/policies/{policy['id']}/source")
    assert source.content.decode() == run.policies.last().source


def test_a_token_does_not_more_than_it_is_for(person: Callable[[str], User]) -> None:
    run = objects.run_of(None, "public")
    reading, exporting = (client_of(person(Role.OPERATOR), scope) for scope in Scope)
    assert reading.get("/api/v1/runs").status_code == 200
    assert exporting.get("/api/v1/exports").status_code == 200
    refused = reading.get("/api/v1/exports")
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "this token has not the scope 'export'",
    )
    assert exporting.get(f"/api/v1/runs/{run.pk}").status_code == 403


def test_an_export_is_asked_for_and_fetched(person: Callable[[str], User]) -> None:
    run = objects.run_of(None, "public")
    client = client_of(person(Role.OPERATOR))
    refused = client.post(f"/api/v1/runs/{run.pk}/exports", {}, content_type="application/json")
    assert refused.status_code == 409
    asked_for = client.post(
        f"/api/v1/runs/{run.pk}/exports", {"draft": True}, content_type="application/json"
    )
    assert (asked_for.status_code, asked_for.json()["state"]) == (202, "waiting")
    assert Export.objects.get().asked_by == person(Role.OPERATOR)
    assert client.get(f"/api/v1/exports/{asked_for.json()['id']}/download").status_code == 404
    made = objects.export(run, person(Role.OPERATOR))
    told = client.get(f"/api/v1/exports/{made}").json()
    assert told["state"] == "done"
    zipped = client.get(f"/api/v1/exports/{made}/download")
    assert len(zipped.content) == told["size"]
    assert AuditEvent.objects.filter(action="export.downloaded").count() == 1


def test_a_token_in_the_address_is_refused_even_beside_a_good_one(
    person: Callable[[str], User],
) -> None:
    user = person(Role.VIEWER)
    _, text = tokens.make(person=user, name="t", scopes=[Scope.READ])
    for client in (Client(), client_of(user)):
        answer = client.get(f"/api/v1/runs?token={text}")
        assert answer.status_code == 400
        assert "revoke it" in answer.json()["detail"]
        assert text not in answer.content.decode()


def test_too_many_requests_are_told_when_to_come_again(
    person: Callable[[str], User], monkeypatch: pytest.MonkeyPatch
) -> None:
    from csro_web.api.urls import api

    client = client_of(person(Role.VIEWER))
    (throttle,) = api.throttle
    monkeypatch.setattr(throttle, "num_requests", 3)
    answers = [client.get("/api/v1/runs") for _ in range(4)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    assert client_of(person(Role.VIEWER)).get("/api/v1/runs").status_code == 200


def test_the_description_is_for_machines_and_lists_every_operation(
    person: Callable[[str], User],
) -> None:
    schema = client_of(person(Role.VIEWER)).get("/api/v1/openapi.json").json()
    assert len(schema["paths"]) == len(OPERATIONS) - 1
    assert "/api/v1/runs/{run_id}" in json.dumps(schema)
    assert Client().get("/api/v1/docs").status_code == 404
