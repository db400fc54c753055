"""Searching: what is found, what is not, for whom, and how long it takes."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from csro_web.accounts.models import Team
from csro_web.policies.models import Candidate, Origin, Policy
from csro_web.runs.models import Run
from csro_web.search import services
from csro_web.search.models import ProgramText
from csro_web.search.places import Place, lowered, occurrences, pieces
from games.players import source_sha256
from tests.web import builders, review_builders

PROGRAM = '''class Policy:
    """Counts what rivals threw."""

    def act(self, obs):
        # favour the paper
        scissors = self.weight["rock"]  # heavy stone
        return "# no comment" if scissors else 0.25
'''


def a_policy(source: str = PROGRAM, name: str = "p", run: Run | None = None) -> Policy:
    policy = builders.add_policy(run or builders.make_run(), source, name=name)
    services.remember({policy.sha256: policy.source})
    return policy


def found(client: Client, query: str) -> list[str]:
    """Addresses of the lines that a search leads to."""
    response = client.get(f"/search?{query}")
    assert response.status_code == 200
    results = response.context.get("results", [])
    return [line.url for result in results for line in result.lines if line.place]


def titles(client: Client, query: str) -> list[str]:
    return [one.title for one in client.get(f"/search?{query}").context.get("results", [])]


def test_a_program_is_taken_apart_into_code_comments_and_docstrings() -> None:
    places = {(one.line, one.place): one.text.strip() for one in pieces(PROGRAM)}
    assert places[2, Place.DOCSTRINGS] == '"""Counts what rivals threw."""'
    assert places[5, Place.COMMENTS] == "# favour the paper"
    assert places[6, Place.COMMENTS] == "# heavy stone"
    assert places[6, Place.CODE] == 'scissors = self.weight["rock"]'
    assert (7, Place.COMMENTS) not in places


@given(st.text(max_size=60), st.text(min_size=1, max_size=4))
def test_what_is_marked_is_what_was_searched_for(line: str, wanted: str) -> None:
    wanted = lowered(wanted)
    for start, end in occurrences(line, wanted, whole=False):
        assert 0 <= start < end <= len(line)
        assert wanted in lowered(line[start:end])


@pytest.mark.django_db
class TestPages:
    def test_each_place_is_searched_only_where_it_is_chosen(self, viewer: Client) -> None:
        policy = a_policy(name="the best one")
        policy.summary = "Prefers throws that were lucky."
        policy.save()
        line = f"/policies/{policy.pk}#L"
        assert found(viewer, "q=scissors&in=code") == [line + "6", line + "7"]
        assert found(viewer, "q=scissors&in=comments") == []
        assert found(viewer, "q=HEAVY&in=comments") == [line + "6"]
        assert found(viewer, "q=heavy&in=code&in=docstrings") == []
        assert found(viewer, "q=rivals&in=docstrings") == [line + "2"]
        assert titles(viewer, "q=best+one&in=names") == ["the best one"]
        assert titles(viewer, "q=lucky&in=summaries") == ["the best one"]
        assert titles(viewer, "q=lucky&in=names&in=code") == []

    def test_all_words_must_be_there_and_a_phrase_as_it_stands(self, viewer: Client) -> None:
        a_policy()
        assert titles(viewer, "q=scissors+rivals") == ["p"]
        assert titles(viewer, "q=scissors+lizard") == []
        assert titles(viewer, 'q="favour+the"') == ["p"]
        assert titles(viewer, 'q="the+favour"') == []

    def test_whole_words_are_no_parts_of_longer_ones(self, viewer: Client) -> None:
        a_policy()
        assert titles(viewer, "q=scissor") == ["p"]
        assert titles(viewer, "q=scissor&whole=1") == []
        assert titles(viewer, "q=self.weight&whole=1") == ["p"]

    @pytest.mark.parametrize("text", ["%25", "_____", ".*", "(a%2B)%2B%24", "\\", "[a-z]", "''--"])
    def test_no_character_has_a_special_meaning(self, viewer: Client, text: str) -> None:
        a_policy()
        assert titles(viewer, f"q={text}") == []

    @pytest.mark.parametrize("query", ["", "q=", "q=++", "q=%00", "q=%22%22", "q=a&page=zz&in=zz"])
    def test_odd_requests_are_answered(self, viewer: Client, query: str) -> None:
        a_policy()
        assert viewer.get(f"/search?{query}").status_code == 200

    def test_equal_programs_are_one_result_that_names_all_who_hold_them(
        self, viewer: Client
    ) -> None:
        first = a_policy(name="old name")
        second = a_policy(name="new name")
        page = viewer.get("/search?q=scissors")
        assert titles(viewer, "q=scissors") == ["new name"]
        assert f"/policies/{first.pk}".encode() in page.content
        assert first.sha256 == second.sha256
        assert titles(viewer, "q=old&in=names") == ["old name"]

    def test_candidates_are_found_too_and_can_be_left_out(self, viewer: Client) -> None:
        source = "x = 'only tried'\n"
        candidate = builders.add_candidate(builders.make_run(), 1, 0, source=source)
        services.remember({candidate.sha256: source})
        assert found(viewer, "q=tried") == [f"/candidates/{candidate.pk}#L1"]
        assert titles(viewer, "q=tried&of=policies") == []

    def test_what_reviewers_published_is_found_and_no_draft(
        self, viewer: Client, person: Any
    ) -> None:
        policy = a_policy(name="the policy")
        author = person("reviewer")
        said = review_builders.add_thread(
            policy, author, first=1, body="Why <b>Lizard</b>?"
        ).comments.get()
        review_builders.add_thread(
            policy, author, first=2, body="lizard, not sent", published_at=None
        )
        secret = builders.make_run(name="secret run")
        Run.objects.filter(pk=secret.pk).update(team=Team.objects.create(name="E", slug="e"))
        hidden = a_policy("z = 1\n", name="hidden", run=secret)
        review_builders.add_thread(hidden, author, first=1, body="lizard elsewhere")
        for query in ("q=lizard", "q=LIZARD+why&in=reviews"):
            comments = viewer.get(f"/search?{query}").context["comments"]
            assert [one.comment for one in comments.shown] == [said]
            assert comments.count == 1
        page = viewer.get("/search?q=lizard&in=reviews").content.decode()
        assert "&lt;b&gt;<mark>Lizard</mark>" in page
        assert f"/comments/{said.pk}" in page
        assert "program" not in page.partition('role="status"')[2]
        assert titles(viewer, "q=why&in=reviews") == []

    def test_nothing_of_another_team_is_found_named_or_counted(self, viewer: Client) -> None:
        secret = builders.make_run(name="secret run")
        Run.objects.filter(pk=secret.pk).update(team=Team.objects.create(name="E", slug="e"))
        a_policy(name="hidden twin", run=secret)
        a_policy("y = 'hidden alone'\n", name="hidden alone", run=secret)
        a_policy(name="open twin")
        assert titles(viewer, "q=hidden") == []
        page = viewer.get("/search?q=scissors").content.decode()
        assert "open twin" in page
        assert "hidden twin" not in page
        assert "secret run" not in page

    def test_hostile_programs_names_and_words_stay_text(self, viewer: Client) -> None:
        attack = "<script>alert(1)</script>"
        policy = a_policy(f"# scissors {attack}\nx = 1\n", name=attack)
        policy.summary = f"scissors {attack} \u202e"
        policy.save()
        page = viewer.get(f"/search?q=scissors+{attack}").content.decode()
        assert attack not in page
        assert "&lt;script&gt;" in page
        assert "\u202e" not in page

    def test_the_choices_survive_from_page_to_page(self, viewer: Client) -> None:
        run = builders.make_run()
        for number in range(25):
            a_policy(f"scissors = {number}\n", name=f"p{number}", run=run)
        page = viewer.get("/search?q=scissors&in=code&in=names").content.decode()
        assert "in=code&amp;in=names&amp;page=2" in page
        assert len(titles(viewer, "q=scissors&in=code&in=names&page=2")) == 5

    def test_programs_are_searchable_from_the_moment_they_are_saved(self, viewer: Client) -> None:
        from csro_web.runs import services as runs
        from oracles.config import RunConfig

        config = RunConfig.from_json({"game": "rrps", "oracle": "zero_shot", "iterations": 1})
        run = runs.create_run(config=config, announce=False)
        assert run.policies.exclude(source="").count() > 0
        for policy in run.policies.exclude(source=""):
            assert ProgramText.objects.filter(sha256=policy.sha256).exists()

    def test_ten_thousand_policies_are_searched_in_a_second_with_few_queries(
        self, viewer: Client, django_assert_max_num_queries: Any
    ) -> None:
        crowd(10_000)
        viewer.get("/")  # notes, once a minute, that the session is in use
        for query in ("q=rarely_seen", "q=weight", "q=weight+obs&whole=1", "q=absent+name7"):
            with django_assert_max_num_queries(14):
                viewer.get(f"/search?{query}")
            started = time.process_time()
            viewer.get(f"/search?{query}")
            assert time.process_time() - started < 1.0, query


def crowd(size: int) -> None:
    """That many different programs of the usual length, in runs of two hundred."""
    filler = "".join(f"        self.slot_{n} = obs['t'] * self.weight + {n}\n" for n in range(40))
    body = PROGRAM + "    def more(self, obs):\n" + filler
    shared = services.columns(body)
    for start in range(0, size, 200):
        run = builders.make_run()
        sources = [f"{body}        number = {n}\n" for n in range(start, start + 200)]
        sources[0] += "        rarely_seen = True\n" if not start else ""
        Policy.objects.bulk_create(
            Policy(
                run=run, index=n, name=f"name{n}", origin=Origin.REFINED,
                source=source, sha256=source_sha256(source),
            )
            for n, source in enumerate(sources)
        )  # fmt: skip
        rows = [
            ProgramText(sha256=source_sha256(source), **shared | {"code": shared["code"] + source})
            for source in sources
        ]
        ProgramText.objects.bulk_create(rows)
    assert Candidate.objects.count() == 0
