"""Every address by every role, taken from the URL configuration itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from csro_web.accounts.models import Role
from csro_web.accounts.permissions import TABLE

PUBLIC = {"sign-in", "sign-out", "healthz"}


def all_patterns(resolver: URLResolver | None = None) -> Iterator[URLPattern]:
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            yield from all_patterns(entry)
        else:
            yield entry


def address_of(pattern: URLPattern) -> str:
    """The pattern's address with ids that name nothing."""
    route = str(pattern.pattern)
    for name in pattern.pattern.converters:
        route = route.replace(f"<int:{name}>", "987654").replace(f"<{name}>", "x")
    return "/" + route


GUARDED = [pattern for pattern in all_patterns() if pattern.name not in PUBLIC]


@pytest.mark.parametrize("pattern", list(all_patterns()), ids=lambda pattern: pattern.name)
def test_every_view_names_its_right_in_the_table_or_says_that_it_is_public(
    pattern: URLPattern,
) -> None:
    assert hasattr(pattern.callback, "required_right"), f"{pattern.name} has no rule"
    if pattern.name in PUBLIC:
        assert pattern.callback.required_right is None
    else:
        assert pattern.callback.required_right in TABLE


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("pattern", GUARDED, ids=lambda pattern: pattern.name)
def test_a_stranger_is_sent_to_the_sign_in_page_and_nothing_happens(
    pattern: URLPattern, method: str, client: Client
) -> None:
    response = getattr(client, method)(address_of(pattern))
    if response.status_code != 405:
        assert response.status_code == 302
        assert response.url.startswith("/sign-in?next=")


@pytest.mark.parametrize("role", Role.values)
@pytest.mark.parametrize("pattern", GUARDED, ids=lambda pattern: pattern.name)
def test_each_role_meets_403_exactly_where_the_table_says_so(
    pattern: URLPattern, role: str, as_role: Callable[[str], Client]
) -> None:
    client = as_role(role)
    allowed = role in TABLE[pattern.callback.required_right].roles
    statuses = {client.get(address_of(pattern)).status_code}
    statuses.add(client.post(address_of(pattern)).status_code)
    assert 500 not in statuses
    assert (403 in statuses) is (not allowed)


@pytest.mark.django_db
def test_a_switched_off_account_holds_no_right(person: Callable[..., object]) -> None:
    administrator = person(Role.ADMINISTRATOR)
    administrator.is_active = False
    administrator.save()
    assert not any(administrator.has_perm(name) for name in TABLE)


def test_approvers_do_not_launch_runs() -> None:
    assert Role.APPROVER not in TABLE["runs.launch"].roles
