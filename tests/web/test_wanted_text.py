"""What somebody looks for in a list reaches the database as every database takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from django.http import QueryDict
from django.test import Client

from csro_web.accounts.models import Role, Team
from csro_web.approvals.queue import QueueFilter
from csro_web.approvals.waiting import Narrow
from csro_web.audit.selectors import TrailFilter
from csro_web.pages.keys import wanted_text
from csro_web.runs.selectors import RunFilter, games_of
from csro_web.search import query
from tests.web import builders

HOSTILE = {"game": "r\0rps", "oracle": "\0", "person": "a\0", "text": "\0b", "q": "\0c"}
Read = Callable[[Mapping[str, str]], object]


@pytest.mark.parametrize(
    "read",
    [RunFilter.from_query, QueueFilter.from_query, Narrow.from_query, TrailFilter.from_query],
)
def test_no_filter_holds_what_postgresql_refuses(read: Read) -> None:
    assert "\0" in HOSTILE["game"]
    assert "\0" not in "".join(map(str, vars(read(HOSTILE)).values()))


def test_no_word_that_is_searched_for_holds_it_either() -> None:
    asked = query.read(QueryDict("q=one%00+two"))
    assert asked.words == ("one", "two")


def test_a_text_is_cut_and_its_ends_are_trimmed() -> None:
    assert wanted_text("  \0abc\0def ", 4) == "abcd"


@pytest.mark.django_db
def test_the_list_of_approvals_names_only_games_of_runs_that_a_person_sees(
    as_role: Callable[[str], Client],
) -> None:
    builders.make_run(game="rrps")
    hidden = builders.make_run(game="leduc")
    hidden.team = Team.objects.create(name="others", slug="others")
    hidden.save()
    client = as_role(Role.APPROVER)
    assert list(client.get("/approvals").context["games"]) == ["rrps"]
    assert client.get("/approvals?game=%00rrps").status_code == 200
    assert games_of(as_role(Role.ADMINISTRATOR).get("/").wsgi_request.user) == ["leduc", "rrps"]
