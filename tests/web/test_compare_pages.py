"""Comparing: any two programs of a game, every step of a search, and what a diff page says."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from django.test import Client

from csro_web.accounts.models import Team
from csro_web.policies.models import Candidate, Policy
from csro_web.runs.models import Run
from tests.web import builders

pytestmark = pytest.mark.django_db


def candidates(run: Run, iteration: int = 1) -> list[Candidate]:
    return list(Candidate.objects.filter(run=run, iteration=iteration).order_by("attempt"))


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_policies_of_two_runs_of_a_game_are_found_and_compared(viewer: Client) -> None:
    here, there = builders.populated_run(iterations=1), builders.populated_run(name="the other")
    mine, other = here.policies.last(), there.policies.last()
    assert mine is not None
    assert other is not None
    page = text(viewer, f"/policies/diff?b={mine.pk}&q=the+other")
    assert f"/policies/{other.pk}/diff/{mine.pk}" in page
    assert "the other" in text(viewer, f"/policies/{other.pk}/diff/{mine.pk}")


def test_the_list_to_choose_from_holds_one_game_and_only_runs_that_may_be_seen(
    viewer: Client,
) -> None:
    mine = builders.populated_run(iterations=1).policies.last()
    assert mine is not None
    poker = builders.add_policy(builders.make_run(game="leduc"), "x = 1\n", name="poker face")
    secret = builders.make_run(name="secret")
    builders.add_policy(secret, "x = 2\n", name="hidden one")
    Run.objects.filter(pk=secret.pk).update(team=Team.objects.create(name="Else", slug="else"))
    page = text(viewer, f"/policies/diff?b={mine.pk}")
    assert poker.name not in page
    assert "hidden one" not in page


def test_a_policy_of_another_team_is_no_side_of_a_comparison(viewer: Client) -> None:
    run = builders.populated_run(iterations=1)
    mine = run.policies.last()
    assert mine is not None
    secret = builders.make_run(name="secret")
    hidden = builders.add_policy(secret, "x = 2\n", name="hidden one")
    Run.objects.filter(pk=secret.pk).update(team=Team.objects.create(name="Else", slug="else"))
    for address in (
        f"/policies/diff?a={hidden.pk}&b={mine.pk}",
        f"/policies/{hidden.pk}/diff/{mine.pk}",
        f"/policies/{hidden.pk}/diff/candidates/{candidates(run)[0].pk}",
        f"/candidates/{candidates(run)[0].pk}/diff/policies/{hidden.pk}",
    ):
        assert viewer.get(address).status_code == 404, address


@pytest.mark.parametrize("query", ["", "?a=", "?a=zz&b=1", "?b=c999999", "?a=1%00&b=2"])
def test_a_choice_that_names_nothing_is_not_found(viewer: Client, query: str) -> None:
    assert viewer.get(f"/policies/diff{query}").status_code == 404


def test_a_policy_is_compared_with_a_candidate_either_way_round(viewer: Client) -> None:
    run = builders.populated_run(iterations=1)
    policy, candidate = run.policies.last(), candidates(run)[0]
    assert policy is not None
    response = viewer.get(f"/policies/diff?a={policy.pk}&b=c{candidate.pk}")
    assert response.status_code == 302
    page = text(viewer, response.url)
    assert f"/candidates/{candidate.pk}/diff/policies/{policy.pk}" in page
    swapped = text(viewer, f"/candidates/{candidate.pk}/diff/policies/{policy.pk}")
    assert "iteration 1, attempt 0" in swapped


def test_every_step_of_a_refinement_is_one_click_away_with_its_score_and_its_fate(
    viewer: Client,
) -> None:
    run = builders.populated_run(iterations=1)
    first, refused, second, third = candidates(run)
    lost = builders.add_candidate(run, 1, 4, parent=third, improved=False, difference_mean=-2.0)
    for address in (
        f"/candidates/{third.pk}/history",
        f"/candidates/{first.pk}/diff/{second.pk}",
        f"/candidates/{third.pk}/diff/{lost.pk}",
    ):
        page = text(viewer, address)
        for one in (refused, second, third, lost):
            assert f"/candidates/{one.parent_id}/diff/{one.pk}" in page, address
        assert "+118.0" in page
        assert page.count("not kept") >= 1
        assert "refused" in page


def test_a_step_without_a_program_says_why_and_breaks_nothing(viewer: Client) -> None:
    run = builders.populated_run(iterations=1)
    refused = candidates(run)[1]
    page = text(viewer, f"/candidates/{refused.parent_id}/diff/{refused.pk}")
    assert "has no program" in page
    assert "may not be imported" in page


def test_a_line_that_an_earlier_attempt_had_says_which(viewer: Client) -> None:
    run = builders.make_run()
    base = builders.FIRST
    gone = base.replace("        self._learn(theirs)\n", "")
    first = builders.add_candidate(run, 1, 0, source=base)
    second = builders.add_candidate(run, 1, 1, source=gone, parent=first, improved=True)
    third = builders.add_candidate(run, 1, 2, source=base, parent=second, improved=True)
    page = text(viewer, f"/candidates/{second.pk}/diff/{third.pk}")
    assert "was in attempt 0" in page
    assert "1 line back from an earlier version" in page


def test_what_was_asked_for_is_kept_from_step_to_step(viewer: Client) -> None:
    run = builders.populated_run(iterations=3)
    policies = list(run.policies.all())
    page = text(
        viewer, f"/policies/{policies[-2].pk}/diff/{policies[-1].pk}?view=unified&space=ignore"
    )
    earlier = f"/policies/{policies[-3].pk}/diff/{policies[-2].pk}?view=unified&amp;space=ignore"
    assert earlier in page


def long_program(lines: int) -> str:
    body = [f"    value{n % 50} = value{n % 49} + {n % 97}" for n in range(lines)]
    return "def act(self, obs):\n" + "\n".join(body) + "\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = '" + "a" * 100_000 + "'\n", "x = '" + "a" * 99_999 + "b'\n"),
        ("x = " + "(1, " * 25_000 + "\n", "x = " + "(1, " * 24_999 + "2\n"),
        ("pass\n" * 5_000, "pass\n" * 4_999 + "x\n"),
        (long_program(2_000), long_program(2_000).replace("+ 7", "- 7")),
    ],
    ids=["one long text", "one long line", "equal lines", "a long program"],
)
def test_no_input_takes_a_second(old: str, new: str, as_role: Callable[[str], Client]) -> None:
    client = as_role("viewer")
    run = builders.make_run()
    a, b = (builders.add_policy(run, one, name="p") for one in (old, new))
    client.get(f"/policies/{a.pk}")  # signing in and loading templates is not what is measured
    address = f"/policies/{a.pk}/diff/{b.pk}"
    # Processor time: others use this machine too. Twice, so that one pause decides nothing.
    spent = []
    for _ in range(2):
        started = time.process_time()
        assert client.get(address).status_code == 200
        spent.append(time.process_time() - started)
    assert min(spent) < 1.0


def test_the_population_links_each_policy_to_the_one_before(viewer: Client) -> None:
    run = builders.populated_run(iterations=2)
    last = run.policies.last()
    assert last is not None
    before = Policy.objects.get(run=run, index=last.index - 1)
    assert f"/policies/{before.pk}/diff/{last.pk}" in text(viewer, f"/policies/{last.pk}")
