"""The live page: sections that changed, silence when nothing did, and an end."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from csro_web.runs import progress
from csro_web.runs.models import Run, RunState
from tests.web import builders

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/1"}


def digests(html: str) -> str:
    found = re.findall(r'id="live-(\w+)" data-digest="(\w+)"', html)
    return ",".join(f"{name}:{digest}" for name, digest in found)


def test_nothing_is_sent_while_nothing_changed(viewer: Client) -> None:
    run = builders.populated_run()
    answer = viewer.get(f"/runs/{run.pk}/live?since={run.change}")
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_change_sends_only_the_sections_that_differ(viewer: Client) -> None:
    run = builders.populated_run()
    have = digests(viewer.get(f"/runs/{run.pk}").content.decode())
    Run.objects.filter(pk=run.pk).update(change=2, steps_done=31)
    answer = viewer.get(
        f"/runs/{run.pk}/live", {"since": run.change, "have": have}
    ).content.decode()
    assert re.findall(r'id="live-(\w+)" data-digest', answer) == ["status"]
    assert "31</span> of at most" in answer
    assert f"/runs/{run.pk}/live?since=2" in answer


def test_polling_ends_with_the_run_and_the_last_answer_holds_the_results(viewer: Client) -> None:
    run = builders.populated_run()
    assert "hx-trigger" in viewer.get(f"/runs/{run.pk}").content.decode()
    Run.objects.filter(pk=run.pk).update(state=RunState.FINISHED, ended_at=timezone.now())
    run.refresh_from_db()
    builders.finish(run)
    last = viewer.get(f"/runs/{run.pk}/live?since={run.change}")
    assert last.status_code == 200
    assert b"hx-trigger" not in last.content
    assert b"Held-out evaluation" in last.content


@pytest.mark.parametrize("state", ["finished", "cancelled", "failed"])
def test_the_page_of_an_ended_run_never_polls(state: str, viewer: Client) -> None:
    run = builders.make_run(state=state)
    assert b"hx-get" not in viewer.get(f"/runs/{run.pk}").content


def test_a_page_whose_session_ended_is_told_so_and_stops_polling(client: Client) -> None:
    run = builders.make_run()
    answer = client.get(f"/runs/{run.pk}/live?since=0", headers=HTMX)
    assert answer.status_code == 286
    assert b"signed out" in answer.content
    assert b"hx-trigger" not in answer.content
    assert b"/sign-in?next=%2Fruns%2F1" in answer.content


def test_held_out_figures_are_hidden_until_the_run_has_ended(viewer: Client) -> None:
    run = builders.populated_run()
    run.held_out = [builders.held_out("final_mixture", None, "rrps", 0)]
    run.save()
    policy = run.policies.first()
    for address in (f"/runs/{run.pk}", f"/policies/{policy.pk}"):
        assert b"PopReturn" not in viewer.get(address).content
    run.refresh_from_db()
    assert run.held_out_looks == 0


def test_a_match_that_is_no_cell_of_a_run_has_no_page(viewer: Client) -> None:
    """A held-out match would show its figures before the run has ended, and uncounted."""
    policy = builders.populated_run().policies.get(index=1)
    match = builders.add_match(policy, policy, mean=5.0)
    match.b = "bot:greenberg"
    match.save()
    assert viewer.get(f"/matches/{match.pk}").status_code == 404


def test_every_look_at_held_out_figures_is_counted(viewer: Client) -> None:
    run = builders.populated_run(state="finished")
    best = run.policies.get(index=run.best_policy_index)
    other = run.policies.get(index=0)
    for address in (f"/runs/{run.pk}", f"/policies/{best.pk}", f"/policies/{other.pk}"):
        viewer.get(address)
    run.refresh_from_db()
    assert run.held_out_looks == 2


def test_an_opponent_that_the_search_met_is_named_so_among_the_held_out_ones(
    viewer: Client,
) -> None:
    run = builders.make_run(state="finished")
    scores = builders.held_out("final_mixture", None, "rrps", 0)
    scores["opponents"][0]["seen"] = True
    run.held_out = [scores]
    run.save()
    page = viewer.get(f"/runs/{run.pk}").content.decode()
    name = scores["opponents"][0]["name"]
    assert page.count("met in the search") == 1
    assert f"{name} <span" in page


def test_opponents_that_the_writer_was_not_tuned_on_have_figures_of_their_own(
    viewer: Client,
) -> None:
    run = builders.make_run(state="finished")
    scores = builders.held_out("final_mixture", None, "rrps", 0)
    run.held_out = [scores]
    run.save()
    words = "opponents the writer was not tuned on"
    assert words not in viewer.get(f"/runs/{run.pk}").content.decode()
    figure = {"mean": 123.4, "low": 120.0, "high": 126.8, "episodes": 660}
    scores["untuned"] = {name: figure for name in ("pop_return", "pop_expl", "agg_score")}
    run.save()
    page = viewer.get(f"/runs/{run.pk}").content.decode()
    assert page.count(words) == 1
    assert page.count("123.4") == 3


def test_a_weight_whose_range_is_unknown_says_so(viewer: Client) -> None:
    run = builders.populated_run()
    address, policy = f"/runs/{run.pk}", f"/policies/{run.policies.get(index=0).pk}"
    assert ">range unknown<" not in viewer.get(address).content.decode()
    run.iterations.update(sigma_low=[], sigma_high=[])
    page = viewer.get(address).content.decode()
    assert ">range unknown<" in page
    assert 'class="range"' not in page
    assert ">range unknown<" in viewer.get(policy).content.decode()


def test_every_pair_of_the_heat_map_says_its_sign_without_colour_and_leads_to_its_match(
    viewer: Client,
) -> None:
    run = builders.populated_run(iterations=20)
    html = viewer.get(f"/runs/{run.pk}").content.decode()
    drawn = re.findall(r'<a href="/matches/\d+" tabindex="-1" class="cell [^"]+">.*?</a>', html)
    assert len(drawn) == 27 * 26
    assert all(re.search(r">(\+|−|·)</text>", cell) for cell in drawn)
    assert html.count('<td class="num"><a href="/matches/') == 27 * 26


@pytest.mark.parametrize(
    ("level", "css"), [("full", None), ("kernel", "note-warn"), ("process", "note-bad")]
)
def test_a_weak_sandbox_is_told_on_every_page_that_shows_its_results(
    level: str, css: str | None, viewer: Client
) -> None:
    run = builders.populated_run(iterations=1)
    Run.objects.filter(pk=run.pk).update(sandbox_level=level)
    cell = run.cells.first()
    type(cell.match).objects.update(sandbox_level=level)
    policy, candidate = run.policies.last(), run.candidates.first()
    for address in (
        f"/runs/{run.pk}",
        f"/runs/{run.pk}/candidates",
        f"/policies/{policy.pk}",
        f"/candidates/{candidate.pk}",
        f"/matches/{cell.match_id}",
    ):
        html = viewer.get(address).content.decode()
        assert ("sandbox-banner" in html) is (css is not None), address
        assert css is None or f"{css} sandbox-banner" in html


def test_no_time_is_promised_that_nobody_knows() -> None:
    def eta(state: str, durations: list[float]) -> str:
        return progress.describe(
            state=state, done=10, expected=40, durations=durations, workers=2
        ).eta

    assert eta("running", [1.0]) == "time left: not known yet"
    assert eta("running", [2.0, 4.0, 3.0]) == "at most about 45 s left at the present pace"
    assert "no time can be given" in eta("paused", [2.0, 4.0, 3.0])
    assert eta("finished", [2.0, 4.0, 3.0]) == ""


def test_the_mixture_lists_the_heaviest_policy_first(viewer: Client) -> None:
    run = builders.populated_run()
    count = run.policies.count()
    tail = [0.0] * (count - 3)
    Run.objects.filter(pk=run.pk).update(
        final_sigma=[0.05, 0.0, 0.95, *tail],
        final_sigma_low=[0.0, 0.0, 0.1, *tail],
        final_sigma_high=[0.1, 0.8, 0.98, *tail],
    )
    page = viewer.get(f"/runs/{run.pk}").content.decode()
    table = page[page.index('<table class="weights">') :]
    shown = re.findall(
        r'<th scope="row"><a href="/policies/(\d+)">', table[: table.index("</table>")]
    )
    index = dict(run.policies.values_list("pk", "index"))
    assert [index[int(pk)] for pk in shown][:3] == [2, 0, 1]


def test_an_iteration_says_why_it_ended(viewer: Client) -> None:
    run = builders.populated_run()
    run.iterations.filter(index=1).update(note="no policy joined: none was fit <b>at all</b>")
    html = viewer.get(f"/runs/{run.pk}").content.decode()
    assert "no policy joined: none was fit &lt;b&gt;at all&lt;/b&gt;" in html


def test_that_nothing_went_wrong_is_final_once_the_run_has_ended(viewer: Client) -> None:
    run = builders.make_run()
    assert b"Nothing so far." in viewer.get(f"/runs/{run.pk}").content
    ended = builders.make_run(state=RunState.FINISHED)
    assert b">Nothing.<" in viewer.get(f"/runs/{ended.pk}").content
