"""Three hundred threads on one policy: a page within a second, in as many queries as with one."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from csro_web.accounts.models import Role
from csro_web.policies.models import Policy
from csro_web.reviews import lists
from tests.web import builders
from tests.web.review_builders import add_thread, refine

pytestmark = pytest.mark.django_db
LONG = builders.FIRST + "".join(
    f"\n    def helper_{n}(self):\n        return self.counts.get({n}, {n})\n" for n in range(140)
)


@pytest.fixture
def versions() -> tuple[Policy, Policy]:
    first = builders.add_policy(builders.make_run(), LONG, name="first")
    changed = LONG.replace("self.favourite = [0, 0, 0]", "self.favourite = [1, 1, 1]")
    return first, refine(first, '"""New."""\n' + changed, name="later")


def addresses(first: Policy, later: Policy) -> list[str]:
    return [
        f"/policies/{first.pk}",
        f"/policies/{later.pk}",
        f"/policies/{first.pk}/diff/{later.pk}",
        f"/policies/{later.pk}/threads",
        f"/runs/{first.run_id}/threads",
        f"/policies/{later.pk}/review",
    ]


def queries(client: Client, address: str) -> tuple[int, float]:
    began = time.process_time()
    with CaptureQueriesContext(connection) as made:
        assert client.get(address).status_code == 200
    return len(made), time.process_time() - began


def test_a_page_with_three_hundred_threads_is_made_within_a_second(
    versions: tuple[Policy, Policy], person: Any, as_role: Any
) -> None:
    add_thread(versions[0], person(Role.REVIEWER), first=9)
    client = as_role(Role.REVIEWER)
    few = {address: queries(client, address)[0] for address in addresses(*versions)}
    for number in range(299):
        add_thread(versions[0], person(Role.REVIEWER), first=10 + number, last=11 + number)
    for address in addresses(*versions):
        (count, seconds), again = queries(client, address), queries(client, address)
        seconds = min(seconds, again[1])
        assert count <= few[address] + 1, address
        assert seconds < 1.0, (address, seconds)


def test_lists_of_a_run_ask_the_database_as_often_for_many_threads_as_for_a_few(
    versions: tuple[Policy, Policy], person: Any, as_role: Any
) -> None:
    first, later = versions
    add_thread(first, person(Role.REVIEWER), first=9)
    add_thread(first, person(Role.REVIEWER), first=10)
    client = as_role(Role.REVIEWER)
    pages = (
        f"/runs/{first.run_id}/threads",
        f"/runs/{first.run_id}/threads?state=detached",
        f"/runs/{first.run_id}/threads?state=open&page=2",
        "/reviews",
    )
    for address in pages:
        queries(client, address)  # what the first request of a process looks up for the others
    few = {address: queries(client, address)[0] for address in pages}
    for number in range(60):
        policy = builders.add_policy(first.run, f"# {number}\n{LONG}", name=f"p{number}")
        add_thread(policy, person(Role.REVIEWER), first=3)
        add_thread(later, person(Role.REVIEWER), first=3)
    for address in pages:
        assert queries(client, address)[0] <= few[address], address
    page = client.get(f"/runs/{first.run_id}/threads?state=open")
    assert (page.context["page"].paginator.num_pages, len(page.context["rows"])) == (3, 50)
    assert page.context["counts"] == {
        "all": 122, "open": 122, "waiting": 0, "resolved": 0, "detached": None,
    }  # fmt: skip


def test_a_list_says_where_it_did_not_look_for_lines(
    versions: tuple[Policy, Policy], person: Any, as_role: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, later = versions
    refine(later, LONG.replace("self.counts = {}", "self.kept = []"), name="newest")
    add_thread(first, person(Role.REVIEWER), first=11)
    client, address = as_role(Role.REVIEWER), f"/runs/{first.run_id}/threads"
    assert "unknown" not in client.get(address).content.decode()
    monkeypatch.setattr(lists, "MOST_LOOKED_AT", 1)
    assert "older ones unknown" in client.get(address).content.decode()
