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
